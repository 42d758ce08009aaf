import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import type { ServiceRequest } from '@stagepass/contract'
import { encoded, fail, malformed } from '@stagepass/emulator'
import { startService, startStack } from '@stagepass/testing'
import { describe, expect, it } from 'vitest'
import { createFetchTransport } from './fetch.js'
import { createUndiciTransport } from './undici.js'

const MAX_BYTES = 10_000
const JSON_TEXT = '{"id":"é"}'

const TRANSPORTS = [
  ['undici', createUndiciTransport({ deadlineMs: 5_000 })],
  ['fetch', createFetchTransport({ dispatcher: undefined })],
] as const

const requestTo = (origin: string): ServiceRequest => ({
  method: 'GET',
  origin,
  path: '/',
  headers: { 'accept-encoding': 'identity' },
  maxBytes: MAX_BYTES,
})

describe.each(TRANSPORTS)('the transport with %s', (_name, transport) => {
  const answerTo = async (body: Buffer | string, encoding: string, status = 200) => {
    await using service = await startService((_req, res) =>
      res.writeHead(status, { 'content-encoding': encoding, 'content-type': 'application/json' }).end(body),
    )
    return await transport.send(requestTo(service.url), new AbortController().signal)
  }

  it.each([
    ['gzip', gzipSync(JSON_TEXT)],
    ['x-gzip', gzipSync(JSON_TEXT)],
    ['GZIP', gzipSync(JSON_TEXT)],
    ['br', brotliCompressSync(JSON_TEXT)],
    ['deflate', deflateSync(JSON_TEXT)],
    ['deflate', deflateRawSync(JSON_TEXT)],
    ['gzip, br', brotliCompressSync(gzipSync(JSON_TEXT))],
    ['identity', Buffer.from(JSON_TEXT)],
  ])('decodes %s', async (encoding, body) => {
    expect(await answerTo(body, encoding)).toMatchObject({
      status: 200,
      text: JSON_TEXT,
      contentEncoding: undefined,
      contentType: 'application/json',
    })
  })

  it.each([
    ['compress', Buffer.from([0x1f, 0x9d, 0x90, 0x7b])],
    ['__proto__', Buffer.from([0x1f, 0x9d])],
    ['gzip', Buffer.from('this is not gzip')],
    ['br', Buffer.from('this is not brotli at all')],
    ['deflate', Buffer.from('this is not deflate')],
  ])('names %s that cannot be decoded, with the status', async (encoding, body) => {
    expect(await answerTo(body, encoding, 403)).toMatchObject({
      status: 403,
      text: '',
      contentEncoding: encoding,
    })
  })

  it('S11 limits the size after decoding', async () => {
    const long = Buffer.alloc(MAX_BYTES + 1, ' ')
    for (const [encoding, body] of [
      ['gzip', gzipSync(long)],
      ['br', brotliCompressSync(long)],
      ['deflate', deflateSync(long)],
    ] as const)
      await expect(answerTo(body, encoding)).rejects.toMatchObject({
        kind: 'too-large',
      })
    expect((await answerTo(gzipSync(long.subarray(1)), 'gzip')).text).toHaveLength(MAX_BYTES)
  })

  it('knows nothing to decode in an empty body', async () => {
    expect(await answerTo('', 'gzip', 503)).toMatchObject({ status: 503, text: '' })
  })

  it('reports where a redirect leads, and what came', async () => {
    await using service = await startService((_req, res) =>
      res.writeHead(302, { location: '//elsewhere/x', 'content-type': 'text/html' }).end('<p>'),
    )
    const answer = await transport.send(requestTo(service.url), new AbortController().signal)
    expect(answer).toMatchObject({ status: 302, location: '//elsewhere/x', contentType: 'text/html' })
  })
})

it('S11 more codings than a gateway applies are not decoded', async () => {
  const [[, undici]] = TRANSPORTS
  let body: Buffer = Buffer.from(JSON_TEXT)
  for (let count = 0; count < 4; count += 1) body = gzipSync(body)
  const encoding = 'gzip, gzip, gzip, gzip'
  await using service = await startService((_req, res) =>
    res.writeHead(200, { 'content-encoding': encoding }).end(body),
  )
  const answer = await undici.send(requestTo(service.url), new AbortController().signal)
  expect(answer).toMatchObject({ text: '', contentEncoding: encoding })
})

describe('a service that encodes every response', () => {
  it.each(['gzip', 'br', 'deflate'] as const)('with %s is understood', async (coding) => {
    await using stack = await startStack()
    stack.upstream.use(encoded(coding))
    const minted = await stack.fetch('/session-token', { json: { usage_type: 'stt' } })
    const { session_key } = (await minted.json()) as { session_key: string }
    expect(session_key).toMatch(/^st_/)
    for (const path of ['/meetings', '/tags']) expect((await stack.fetch(path)).status).toBe(200)
    const check = { json: { usage_type: 'stt', session_key } }
    expect(await (await stack.fetch('/handshake-check', check)).json()).toEqual({ ok: true })
    stack.upstream.use(fail('invalid_api_key'))
    stack.upstream.use(encoded(coding))
    expect(await (await stack.fetch('/handshake-check', check)).json()).toMatchObject({
      error_code: 'invalid_api_key',
    })
    for (const { headers } of stack.upstream.requests) expect(headers['accept-encoding']).toBe('identity')
  })

  it('S11 with a bomb is an error', async () => {
    await using stack = await startStack()
    stack.upstream.use(malformed('oversized', { bytes: 17 * 1_024 * 1_024 }))
    stack.upstream.use(encoded('gzip'))
    for (const path of ['/meetings', '/tags'])
      expect(await (await stack.fetch(path)).json()).toMatchObject({ error_code: 'UPSTREAM_MALFORMED' })
  })
})
