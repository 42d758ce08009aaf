import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { watchFiles } from './watchFiles.js'

function start(known: string, onChange: () => Promise<void> = async () => undefined) {
  const folder = mkdtempSync(join(tmpdir(), 'stagepass-watch-'))
  const path = join(folder, 'secret')
  writeFileSync(path, known)
  let changes = 0
  const watch = (content = known) =>
    watchFiles(
      new Map([[path, content]]),
      () => {
        changes += 1
        return onChange()
      },
      5,
    )
  return { path, watch, changes: () => changes, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) }
}

it('calls for each change, also for one from before it began', async () => {
  using test = start('one')
  const stop = test.watch('none')
  await expect.poll(test.changes).toBe(1)
  writeFileSync(test.path, 'two')
  await expect.poll(test.changes).toBe(2)
  stop()
})

it('looks again only after the call has ended', async () => {
  let end: (() => void) | undefined
  using test = start('one', () => new Promise((resolve) => (end = resolve)))
  const stop = test.watch()
  writeFileSync(test.path, 'two')
  await expect.poll(test.changes).toBe(1)
  writeFileSync(test.path, 'three')
  expect(test.changes()).toBe(1)
  end?.()
  await expect.poll(test.changes).toBe(2)
  stop()
})

it('S50 a file that becomes a named pipe stops nothing', async () => {
  using test = start('one')
  const stop = test.watch()
  rmSync(test.path)
  execFileSync('mkfifo', [test.path])
  await expect.poll(test.changes).toBe(1)
  stop()
})
