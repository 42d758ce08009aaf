import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The project with the longest files. */
const FIRST = 'demo'
/** Small files with long tests. Without the times of an earlier run, vitest starts the largest files first. */
const EARLY =
  /\/(?:hosts\/hosts|doctor\/src\/api|first\/(?:create|dev)|phone\/preset|platform\/anyTime|silence\/paidTime)\.test\./
/** After its loudspeaker was unplugged, Firefox on a busy machine plays no sound in later tests. */
const LAST = /unplugged\.browser/

function rankOf({ project, moduleId }: TestSpecification): number {
  if (LAST.test(moduleId)) return 3
  if (project.name === FIRST) return 0
  return EARLY.test(moduleId) ? 1 : 2
}

/** Starts the longest files first, so that the end of a run does not wait for a single one. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- a method of vitest, which returns another array
    const sorted = await super.sort(files)
    return sorted.toSorted((a, b) => rankOf(a) - rankOf(b))
  }
}
