import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTapeWriter } from '@stagepass/contract'
import { createEmulator } from '@stagepass/emulator'
import { expect, it } from 'vitest'
import { type DoctorRun, runDoctorOn, withoutMeetings } from './doctor.test.kit.js'

const CONFIG =
  '{"config":{"audio":{"format":"pcm_s16le","sample_rate":16000},"source_language":"en-US","target_language":"es-ES","voice":"female"}}'

/** Runs the doctor with a tape of `/vt` on which these messages came. */
async function runOn(came: readonly (string | number)[]): Promise<DoctorRun> {
  const writer = createTapeWriter('2026-11-28T12:03:00.000Z')
  writer.add({ at: 0, type: 'connect', n: 1, product: 'vt' })
  writer.add({ at: 0, type: 'open', n: 1 })
  writer.add({ at: 1, type: 'out', n: 1, data: CONFIG })
  for (const nth of [1, 2, 3]) writer.add({ at: 200 + 20 * nth, type: 'out', n: 1, data: 640 })
  for (const data of came) writer.add({ at: 300, type: 'in', n: 1, data })
  return runWith(writer.take())
}

async function runWith(tape: string): Promise<DoctorRun> {
  const folder = mkdtempSync(join(tmpdir(), 'stagepass-tape-'))
  const file = join(folder, 'a.voicetape')
  writeFileSync(file, tape)
  try {
    await using upstream = await createEmulator()
    return await runDoctorOn(upstream, { argv: ['--json', '--tape', file], environment: withoutMeetings })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

it('proves that the service still sends messages of these forms', async () => {
  const run = await runOn(['{"type":"ready"}', 640])
  expect(run.check('tape vt')).toMatchObject({ status: 'proven', seen: 'All 2 forms of the tape came.' })
  expect(run.exitCode).toBe(0)
})

it('says which form came in the place of another, and no value', async () => {
  const run = await runOn(['{"state":"secret words","n":1}'])
  const { status, seen } = run.check('tape vt')
  expect(status).toBe('contradicted')
  expect(seen).toContain('{ type: text }')
  expect(seen).toContain('{ n: number, state: text }')
  expect(run.output).not.toContain('secret words')
  expect(run.exitCode).toBe(1)
})

it('does not take silence for a change', async () => {
  const run = await runOn(['{"type":"ready"}', 640, '{"transcript":{"text":"a"}}'])
  expect(run.check('tape vt').status).toBe('not provable')
  expect(run.exitCode).toBe(0)
})

it('a file that is no tape is a wrong use', async () => {
  const run = await runWith('<html>')
  expect(run.exitCode).toBe(2)
  expect(run.errors).toContain('Failed to read the tape: the file of --tape is no tape')
})
