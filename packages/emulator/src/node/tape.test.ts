import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTapeWriter } from '@stagepass/contract'
import { expect, it } from 'vitest'
import { openStream } from './client.test.kit.js'
import { createEmulator } from './createEmulator.js'
import { runCli } from './runCli.js'

const writer = createTapeWriter('2026-11-28T12:03:00.000Z')
writer.add({ at: 0, type: 'connect', n: 1, product: 'stt' })
writer.add({ at: 10, type: 'open', n: 1 })
writer.add({ at: 20, type: 'in', n: 1, data: '{"text":"one"}' })
writer.add({ at: 25, type: 'in', n: 1, data: 640 })
writer.add({ at: 40, type: 'close', n: 1, code: 4_503, reason: 'busy' })
const TAPE = writer.take()

it('a connection plays the tape, and the next one is the service again', async () => {
  await using upstream = await createEmulator({ tape: TAPE })
  const first = await openStream(upstream, 'stt')
  expect(await first.next()).toBe('{"text":"one"}')
  expect(await first.next()).toHaveLength(640)
  expect(await first.closed).toEqual({ code: 4_503, reason: 'busy' })
  const second = await openStream(upstream, 'stt')
  second.socket.send('{"type":"finish"}')
  expect(await second.next()).toBe('{"type":"finished"}')
})

it('--tape plays a file', async () => {
  const file = join(tmpdir(), `stagepass-${process.pid}.voicetape`)
  writeFileSync(file, TAPE)
  const { emulator } = await runCli({
    argv: ['--port', '0', '--quiet', '--tape', file, '--rechunk', '1'],
    environment: {},
    print: () => undefined,
    printError: () => undefined,
  })
  if (!emulator) throw new Error('it does not run')
  await using upstream = emulator
  const client = await openStream(upstream, 'stt')
  expect(await client.next()).toBe('{"text":"one"}')
})

it('a file that is no tape is refused with a sentence', async () => {
  await expect(createEmulator({ tape: '<html>' })).rejects.toThrow('Failed to read the tape: its first line')
})
