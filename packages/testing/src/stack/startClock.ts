import { execFileSync } from 'node:child_process'
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * The wall clock of another process, that a test steps. Its monotonic clock stays as it is. Needs `faketime`,
 * and Linux with glibc.
 */
export interface ProcessClock extends Disposable {
  /** Variables of that process. */
  readonly env: NodeJS.ProcessEnv
  /** Steps the clock forward, or back if `byMs` is negative. */
  step(byMs: number): void
}

export function startClock(): ProcessClock {
  const folder = mkdtempSync(join(tmpdir(), 'stagepass-clock-'))
  const file = join(folder, 'offset')
  const faketime = execFileSync('faketime', ['-m', '-f', '+0', 'printenv', 'LD_PRELOAD']).toString().trim()
  let aheadMs = 0
  const write = (): void => {
    // The process reads the file at each look at the clock: it must never find half of it.
    writeFileSync(`${file}.new`, `${aheadMs < 0 ? '-' : '+'}${Math.abs(aheadMs) / 1_000}`)
    renameSync(`${file}.new`, file)
  }
  write()
  return {
    env: {
      // With the memory of glibc: jemalloc, which Redis uses, and faketime look for each other before they
      // are ready.
      LD_PRELOAD: `${faketime}:libc.so.6`,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
    step(byMs) {
      aheadMs += byMs
      write()
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}
