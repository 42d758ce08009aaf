import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTapeWriter } from '@stagepass/contract'
import { expect, it } from 'vitest'
import { handshake, issueToken, openStream } from './client.test.kit.js'
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

it('a handshake that was refused is refused again, also to the BFF that looks for the reason', async () => {
  const writer = createTapeWriter('2026-11-28T12:03:00.000Z')
  writer.add({ at: 0, type: 'connect', n: 1, product: 'stt' })
  writer.add({ at: 9, type: 'close', n: 1, code: 1006, reason: '', refused: 'concurrency_limit_exceeded' })
  writer.add({ at: 20, type: 'connect', n: 2, product: 'stt' })
  writer.add({ at: 29, type: 'close', n: 2, code: 1006, reason: '' })
  writer.add({ at: 40, type: 'connect', n: 3, product: 'stt' })
  writer.add({ at: 49, type: 'open', n: 3 })
  writer.add({ at: 60, type: 'in', n: 3, data: 'three' })
  await using upstream = await createEmulator({ tape: writer.take() })
  const { session_key } = await issueToken(upstream, { usage_type: 'stt' })
  const page = { query: `?authorization=${encodeURIComponent(`api-key ${session_key}`)}` }
  const bff = { headers: { authorization: `api-key ${session_key}` } }
  const full = { type: 'refused', status: 429 }
  expect(await handshake(upstream, page)).toMatchObject(full)
  expect(await handshake(upstream, bff)).toMatchObject(full)
  expect(await handshake(upstream, page)).toEqual({ type: 'broken' })
  // Nothing was refused, so the BFF is accepted.
  expect(await handshake(upstream, bff)).toMatchObject({ type: 'open' })
  expect(await (await openStream(upstream, 'stt')).next()).toBe('three')
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
