import { PRODUCT_NAMES, encodeText } from '@stagepass/contract'
import * as fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import { handshake, issueToken, openStream, TOKEN_PATH } from './client.test.kit.js'
import { createEmulator, type Emulator } from './createEmulator.js'
import { oddText, runs, sendBytes } from './fuzz.test.kit.js'

// A busy machine takes several times as long as the second that each of these needs.
vi.setConfig({ testTimeout: 30_000 })

async function expectAlive(upstream: Emulator): Promise<void> {
  expect(await issueToken(upstream, { usage_type: 'stt' })).toBeDefined()
}

const line = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('GET', 'POST', 'HEAD', 'OPTIONS', 'CONNECT', 'PRI', 'get', ''),
      fc.oneof(
        fc.constantFrom('/stt', '/vt', '/v1/meetings', TOKEN_PATH, '*', '', '?', '//', 'http://x/stt', '/%'),
        oddText,
      ),
      fc.constantFrom('HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'HTTP', ''),
    )
    .map((parts) => parts.join(' ')),
  oddText,
)
const ODD_HEADERS = [
  ...['x', '5', '-1', '99999999999999999999'].map((value) => `Content-Length: ${value}`),
  ...['x', '100-continue'].map((value) => `Expect: ${value}`),
  ...['chunked', 'gzip, chunked'].map((value) => `Transfer-Encoding: ${value}`),
  ...['websocket', 'h2c'].map((value) => `Upgrade: ${value}`),
  ...['Version: 13', 'Version: 99', 'Key: dGhlIHNhbXBsZSBub25jZQ==', 'Key: x', 'Protocol: a,,b'].map(
    (rest) => `Sec-WebSocket-${rest}`,
  ),
  'Sec-WebSocket-Extensions: permessage-deflate; x="',
  'Host: x',
  'Connection: Upgrade',
  'Content-Type: application/json',
  'Authorization: api-key x',
]
const header = fc.oneof(
  fc.constantFrom(...ODD_HEADERS),
  oddText.map((text) => `X: ${text}`),
  oddText,
)
const message = fc
  .tuple(line, fc.array(header, { maxLength: 8 }), fc.oneof(oddText, fc.json()))
  .map(([first, headers, body]) => Buffer.from(`${[first, ...headers].join('\r\n')}\r\n\r\n${body}`))
const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array))

it('survives any bytes, and answers with HTTP', async () => {
  const onError = vi.fn<(error: unknown) => void>()
  await using upstream = await createEmulator({ onError })
  await fc.assert(
    fc.asyncProperty(fc.oneof({ weight: 5, arbitrary: message }, bytes), async (sent) => {
      const received = await sendBytes(upstream, sent)
      expect(received).toMatch(/^$|^HTTP\/1\.1 [1-4]\d\d /)
    }),
    runs(200),
  )
  await expectAlive(upstream)
  expect(onError).not.toHaveBeenCalled()
})

it('refuses any authorization of a handshake with a status of the contract', async () => {
  await using upstream = await createEmulator()
  const query = fc.array(fc.tuple(fc.constantFrom('authorization', 'a', '__proto__', ''), oddText), {
    maxLength: 3,
  })
  await fc.assert(
    fc.asyncProperty(query, fc.constantFrom('', 'api-key%20', 'Bearer%20'), async (pairs, scheme) => {
      const search = pairs.map(([name, value]) => `${name}=${scheme}${encodeText(value)}`).join('&')
      const result = await handshake(upstream, { query: `?${search}` })
      expect([401, 403]).toContain(result.type === 'refused' ? result.status : result.type)
    }),
    runs(60),
  )
})

const config = {
  audio: { format: 'pcm_s16le', sample_rate: 16_000, channels: 1 },
  source_language: 'en-US',
  target_language: 'de-DE',
  voice: 'male',
}
const frame = fc.oneof(
  fc.constantFrom(
    JSON.stringify({ config }),
    JSON.stringify({ config: { ...config, audio: { ...config.audio, format: 'opus' } } }),
    '{"type":"finish"}',
    '{"threshold":0.05}',
    '{"text":"constructor __proto__"}',
    '{"config":null}',
    '['.repeat(50_000),
  ),
  oddText,
  fc.json(),
  fc
    .jsonValue({ maxDepth: 2 })
    .map((value) => JSON.stringify({ config: value, text: value, threshold: value })),
  bytes,
  fc.integer({ min: 0, max: 70_000 }).map((size) => Buffer.alloc(size, 'zy')),
)

it.each(PRODUCT_NAMES)('survives any frames, and no stream throws: %s', async (product) => {
  const onError = vi.fn<(error: unknown) => void>()
  await using upstream = await createEmulator({ onError })
  await fc.assert(
    fc.asyncProperty(fc.array(frame, { maxLength: 6 }), async (frames) => {
      await using client = await openStream(upstream, product)
      for (const data of frames) client.socket.send(data)
      client.socket.close()
      expect([1000, 1005, 1008]).toContain((await client.closed).code)
    }),
    runs(25),
  )
  expect(onError).not.toHaveBeenCalled()
})

it('survives any bytes instead of frames', async () => {
  await using upstream = await createEmulator()
  const opcodes = fc.constantFrom(0x80, 0x81, 0x82, 0x88, 0x89, 0x8a, 0x01, 0x83, 0xc1)
  const raw = fc.oneof(
    bytes,
    fc
      .tuple(opcodes, fc.integer({ min: 0, max: 255 }), bytes)
      .map(([first, second, rest]) => Buffer.concat([Buffer.of(first, second), rest])),
  )
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...PRODUCT_NAMES),
      fc.array(raw, { maxLength: 3 }),
      async (product, sent) => {
        const { session_key } = await issueToken(upstream, { usage_type: product })
        const path = { stt: '/stt', tts: '/tts', viva: '/voice-isolation', vt: '/vt' }[product]
        const head =
          `GET ${path} HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
          `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n` +
          `Authorization: api-key ${session_key}\r\n\r\n`
        expect(await sendBytes(upstream, Buffer.concat([Buffer.from(head), ...sent]))).toMatch(
          /^HTTP\/1\.1 101 /,
        )
      },
    ),
    runs(80),
  )
  await expectAlive(upstream)
})
