import type { Libraries } from '../pack.js'

/** Context of all cases of a run. */
export interface Context {
  readonly tarballs: Libraries
  /** An empty folder outside the workspace. It is removed after the run. */
  readonly folder: string
}

/** One row of docs/hosts.md: a user's application with the packed tarballs. */
export interface Case {
  /** Name with versions, as in the table. `--only` matches a part of it. */
  readonly name: string
  /** Throws if something does not work. Returns a description of the test, for the table. */
  run(context: Context): Promise<string>
}
