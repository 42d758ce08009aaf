import type { ServiceRequest } from '@stagepass/contract'
import { closeIdle, createEmulator, drop, type Emulator, respond } from '@stagepass/emulator'
import { startRawService } from '@stagepass/testing'
import { describe, expect, it } from 'vitest'
import { createFetchTransport } from './fetch.js'
import { createUndiciTransport } from './undici.js'

const TRANSPORTS = [
  ['undici', () => createUndiciTransport({ deadlineMs: 5_000 })],
  ['fetch', () => createFetchTransport({ dispatcher: undefined })],
] as const

const never = new AbortController().signal

const requestTo = (origin: string, fresh = false): ServiceRequest => ({
  method: 'GET',
  origin,
  path: '/v1/tags',
  headers: {},
  maxBytes: 10_000,
  fresh,
})
const requestOf = ({ baseUrl }: Emulator, fresh?: boolean) => requestTo(baseUrl, fresh)

describe.each(TRANSPORTS)('the transport with %s', (_name, create) => {
  it('knows that no byte of a response arrived', async () => {
    await using upstream = await createEmulator()
    const transport = create()
    upstream.use(drop())
    await expect(transport.send(requestOf(upstream), never)).rejects.toMatchObject({
      kind: 'unreachable',
      sent: true,
      answered: false,
    })
    await transport.close()
  })

  it('knows that a part of a response arrived', async () => {
    await using upstream = await createEmulator()
    const transport = create()
    upstream.use(respond({ status: 200, body: 'x'.repeat(1_000) }))
    upstream.use(drop({ when: 'mid-response' }))
    await expect(transport.send(requestOf(upstream), never)).rejects.toMatchObject({
      kind: 'unreachable',
      sent: true,
      answered: true,
    })
    await transport.close()
  })
})

it.each([
  ['a part of the head', 'HTTP/1.1 200 OK\r\ndate: '],
  ['something that is not HTTP', 'hello\r\n\r\n'],
])('the transport with undici knows that %s arrived', async (_what, text) => {
  await using service = await startRawService((socket) => socket.once('data', () => socket.end(text)))
  const transport = createUndiciTransport({ deadlineMs: 5_000 })
  await expect(transport.send(requestTo(service.url), never)).rejects.toMatchObject({ answered: true })
  await transport.close()
})

it('a fresh request uses no connection that was idle, and leaves none', async () => {
  await using upstream = await createEmulator()
  const transport = createUndiciTransport({ deadlineMs: 5_000 })
  const send = async (fresh: boolean) => (await transport.send(requestOf(upstream, fresh), never)).status
  await Promise.all([send(false), send(false), send(false)])
  upstream.use(closeIdle())
  for (let count = 0; count < 3; count += 1) expect(await send(true)).toBe(401)
  expect(await Promise.all([send(true), send(true)])).toEqual([401, 401])
  await expect(send(false)).rejects.toMatchObject({ sent: true, answered: false })
  await transport.close()
})
