import type { Libraries } from '../pack.js'

/** What all cases of a run share. */
export interface Context {
  readonly tarballs: Libraries
  /** The tarball of create-stagepass. */
  readonly starter: string
  /** An empty folder outside the workspace. It is removed after the run. */
  readonly folder: string
}

/** One row of docs/hosts.md: an application that a user could have, with the packed tarballs in it. */
export interface Case {
  /** With versions, as in the table. `--only` finds a part of it. */
  readonly name: string
  readonly table: 'builds' | 'hosts'
  /** Also a part of `npm run check`. */
  readonly quick?: boolean
  /**
   * Why it cannot work. The case runs all the same, and must fail with this error: otherwise the reason is
   * out of date.
   */
  readonly cannot?: { readonly reason: string; readonly error: string }
  /** Throws if something does not work. Returns what was done, for the table. */
  run(context: Context): Promise<string>
}
