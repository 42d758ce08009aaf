import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { codesOf } from './ErrorRow.js'
import { HANDSHAKE_ERRORS } from './handshakeErrors.js'
import {
  isErrorFrame,
  readClose,
  readErrorFrame,
  readRefusedUpgrade,
  type Refusal,
  REFUSAL_CODES,
} from './refusal.js'

it('a byte order mark before a refusal is skipped', () => {
  const text = '\ufeff{"error":{"code":401,"reason":"invalid_api_key"}}'
  expect(readErrorFrame(text)).toMatchObject({ code: 'invalid_api_key' })
  expect(readRefusedUpgrade({ status: 400, body: text })).toMatchObject({ code: 'invalid_api_key' })
})

const unauthorized = (status?: number) => ({
  code: 'unauthorized',
  retryable: true,
  ...(status && { status }),
})
const full = (status?: number) => ({
  code: 'concurrency_limit_exceeded',
  retryable: true,
  ...(status && { status }),
})
const final = (status: number) => ({ code: 'STREAM_ERROR', retryable: false, status })
const again = (status: number) => ({ code: 'STREAM_ERROR', retryable: true, status })

/** The meaning of each number if there is no name. */
const NUMBERS = [
  [400, final(400)],
  [401, unauthorized(401)],
  [402, final(402)],
  [403, unauthorized(403)],
  [429, full(429)],
  [500, again(500)],
  [503, again(503)],
] as const

const named = (code: keyof typeof HANDSHAKE_ERRORS) => ({ code, retryable: HANDSHAKE_ERRORS[code].retryable })

const withoutWords = (refusal: Refusal | undefined) => {
  if (!refusal) return undefined
  const { words: _words, ...rest } = refusal
  return rest
}

describe.each(NUMBERS)('the number %i', (number, meant) => {
  it('is read as an HTTP status, with any body', () => {
    for (const body of [
      '',
      '<html>Unauthorized</html>',
      '{"message":"no"}',
      `{"error":{"code":${number}}}`,
    ]) {
      expect(withoutWords(readRefusedUpgrade({ status: number, body }))).toEqual(meant)
    }
  })

  it('is read in an error frame: nested, flat, as text', () => {
    for (const text of [
      `{"error":{"code":${number},"reason":"r","description":"d"}}`,
      `{"error":{"code":"${number}"}}`,
      `{"error":${number}}`,
      `{"type":"error","code":${number}}`,
    ]) {
      expect(withoutWords(readErrorFrame(text))).toEqual(meant)
      expect(isErrorFrame(text)).toBe(true)
    }
  })

  it('is read in a close: as a code of 4000 and more, and in the reason', () => {
    expect(withoutWords(readClose(4_000 + number, ''))).toEqual(meant)
    expect(withoutWords(readClose(4_000 + number, 'some words'))).toEqual(meant)
    expect(withoutWords(readClose(1008, `{"error":{"code":${number}}}`))).toEqual(meant)
  })
})

describe.each(codesOf(HANDSHAKE_ERRORS))('the name %s', (code) => {
  it('has precedence over the number beside it, in every form', () => {
    const number = { ...named(code), status: 500 }
    for (const text of [
      `{"error":{"code":500,"reason":"${code}"}}`,
      `{"error":"${code}","code":500}`,
      `{"error_code":"${code}","error":500}`,
      `{"type":"error","code":500,"reason":"${code}"}`,
    ]) {
      expect(withoutWords(readErrorFrame(text))).toEqual(number)
      expect(withoutWords(readClose(1008, text))).toEqual(number)
      expect(withoutWords(readRefusedUpgrade({ status: 503, body: text }))).toEqual(number)
    }
  })

  it('is read alone', () => {
    for (const text of [
      `{"error":{"code":"${code}"}}`,
      `{"error":"${code}"}`,
      `{"error_code":"${code}"}`,
      `{"type":"error","code":"${code}"}`,
    ]) {
      expect(withoutWords(readErrorFrame(text))).toEqual(named(code))
    }
    expect(withoutWords(readClose(1008, code))).toEqual(named(code))
    expect(withoutWords(readClose(4_000, `code: ${code}`))).toEqual(named(code))
    expect(withoutWords(readClose(1008, `{"code":"${code}"}`))).toEqual(named(code))
    expect(readRefusedUpgrade({ status: 401, body: code })).toEqual({ ...named(code), status: 401 })
  })
})

it.each([
  '{"code":403}',
  '{"type":"transcript","text":"unauthorized"}',
  '{"transcript":{"text":"unauthorized","final":true}}',
  '{"type":"error","code":"constructor"}',
  '{"error":null,"code":401}',
  '{"error":false,"code":401}',
  '{"error":{"code":418}}',
  'unauthorized',
  'null',
  '[]',
  '{',
])('the frame %s is no refusal', (text) => expect(readErrorFrame(text)).toBeUndefined())

it.each([
  [1000, ''],
  [1006, ''],
  [1011, 'internal'],
  [1000, 'reunauthorized'],
  [4_000, ''],
  [4_399, ''],
  [4_600, ''],
])('the close %i "%s" is no refusal', (code, reason) => expect(readClose(code, reason)).toBeUndefined())

it.each([
  [404, false],
  [406, false],
  [408, true],
  [409, false],
  [418, false],
  [425, true],
  [426, false],
  [451, false],
  [599, true],
])('a close code of 4000 and the HTTP status %i is read; a retry may help: %s', (status, retryable) => {
  const refusal = { code: 'STREAM_ERROR', retryable, status }
  expect(withoutWords(readClose(4_000 + status, ''))).toEqual(refusal)
  expect(readClose(4_000 + status, 'gone')).toEqual({ ...refusal, words: 'gone' })
})

it.each([
  [200, ''],
  [302, ''],
  [404, '<html>'],
  [418, '{}'],
])('the answer %i %s is no refusal', (status, body) =>
  expect(readRefusedUpgrade({ status, body })).toBeUndefined(),
)

it('a 5xx of a proxy says nothing about the token, whatever its page says', () => {
  expect(readRefusedUpgrade({ status: 503, body: 'unauthorized upstream' })).toEqual(again(503))
})

it('keeps the words of the service, up to a length', () => {
  expect(
    readErrorFrame('{"error":{"code":402,"reason":"r","description":"Balance exhausted."}}')?.words,
  ).toBe('Balance exhausted.')
  expect(readClose(4_401, 'token expired')?.words).toBe('token expired')
  expect(readErrorFrame(`{"error":{"code":402,"description":"${'x'.repeat(2_000)}"}}`)?.words).toHaveLength(
    300,
  )
})

const RUNS = 10_000 * Number(process.env.SEED_FACTOR ?? 1)

it('S34 reads random texts of a server without throwing', () => {
  // The generator takes most of the time, so each value is read in every form that a frame can have.
  const formsOf = (text: string, binary: string, value: string): string[] => [
    text,
    value,
    `{"type":"error","code":${value}}`,
    `{"error":${value},"reason":${value}}`,
    `{"error":{"code":${value},"description":${value}}}`,
    `{"code":"${binary}"}`,
  ]
  const cases = fc
    .tuple(fc.string(), fc.string({ unit: 'binary' }), fc.json())
    .map(([text, binary, value]) => formsOf(text, binary, value))
  const codes = new Set<unknown>([undefined, ...REFUSAL_CODES])
  let read = 0
  fc.assert(
    fc.property(cases, fc.integer({ min: 0, max: 65_535 }), (frames, code) =>
      frames.every((text) => {
        read += 1
        return [
          readErrorFrame(text),
          readClose(code, text),
          readRefusedUpgrade({ status: code % 1_000, body: text }),
        ].every((refusal) => codes.has(refusal?.code))
      }),
    ),
    { numRuns: RUNS, seed: 7 },
  )
  expect(read).toBe(6 * RUNS)
})
