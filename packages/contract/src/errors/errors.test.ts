import { expect, it } from 'vitest'
import { MEETINGS_RATE } from '../service/limits.js'
import { BFF_ERRORS, bffErrorRow } from './bffErrors.js'
import { codesOf, hasCode } from './ErrorRow.js'
import { HANDSHAKE_ERRORS, HANDSHAKE_HINTS } from './handshakeErrors.js'
import { MEETINGS_ERRORS, TOKEN_ERRORS } from './upstreamErrors.js'

it('holds the twelve errors of the token endpoint with their statuses; only the one that is declared safe is retryable', () => {
  expect(codesOf(TOKEN_ERRORS).map((code) => [TOKEN_ERRORS[code].status, code])).toEqual([
    [400, 'VALIDATION_ERROR'],
    [401, 'AUTH_HEADER_MISSING'],
    [401, 'AUTH_API_KEY_INVALID'],
    [401, 'AUTH_API_KEY_EXPIRED'],
    [401, 'AUTH_NO_LICENSE'],
    [403, 'PRODUCT_NOT_ALLOWED'],
    [403, 'PAYMENT_PAST_DUE'],
    [403, 'BALANCE_EXHAUSTED'],
    [403, 'SPEND_CAP_REACHED'],
    [403, 'USAGE_LIMIT_EXCEEDED'],
    [403, 'VT_USAGE_LIMIT_EXCEEDED'],
    [502, 'CACHE_UNAVAILABLE'],
  ])
  expect(codesOf(TOKEN_ERRORS).filter((code) => TOKEN_ERRORS[code].retryable)).toEqual(['CACHE_UNAVAILABLE'])
})

it('holds the four refusals of a handshake with their statuses', () => {
  expect(codesOf(HANDSHAKE_ERRORS).map((code) => [HANDSHAKE_ERRORS[code].status, code])).toEqual([
    [401, 'missing_authorization_header'],
    [401, 'invalid_api_key'],
    [403, 'unauthorized'],
    [429, 'concurrency_limit_exceeded'],
  ])
})

it('uses each code in only one table of a wire', () => {
  const codes = [...codesOf(BFF_ERRORS), ...codesOf(HANDSHAKE_ERRORS)]
  expect(new Set(codes).size).toBe(codes.length)
})

it('keeps the names of the token endpoint, but not its 401, which would send an application into a login loop', () => {
  for (const code of codesOf(TOKEN_ERRORS)) expect(BFF_ERRORS).toHaveProperty(code)
  const refused = codesOf(TOKEN_ERRORS).filter((code) => TOKEN_ERRORS[code].status === 401)
  for (const code of refused) expect(BFF_ERRORS[code].status).toBe(502)
})

const HANDSHAKE_TABLE = Object.fromEntries(
  codesOf(HANDSHAKE_ERRORS).map((code) => [code, { ...HANDSHAKE_ERRORS[code], hint: HANDSHAKE_HINTS[code] }]),
)

it.each([TOKEN_ERRORS, HANDSHAKE_TABLE, MEETINGS_ERRORS, BFF_ERRORS])(
  'gives each code a title and a hint that end in a period or question mark (table %#)',
  (table) => {
    for (const { title, hint } of Object.values(table)) {
      expect(title).toMatch(/^[A-Z].*\.$/)
      for (const text of typeof hint === 'string' ? [hint] : Object.values<string>(hint))
        expect(text).toMatch(/^[A-Z`].*(?:[.?]|\{got\})$/)
    }
  },
)

it('finds no code on the prototype of a table', () => {
  for (const code of ['constructor', '__proto__', 'toString', 1, null, undefined])
    expect(hasCode(BFF_ERRORS, code)).toBe(false)
  expect(hasCode(BFF_ERRORS, 'NOT_FOUND')).toBe(true)
})

it('masks the keys, the payments and the usage, and nothing else', () => {
  expect(codesOf(BFF_ERRORS).filter((code) => bffErrorRow(code).masked)).toEqual([
    'AUTH_HEADER_MISSING',
    'AUTH_API_KEY_INVALID',
    'AUTH_API_KEY_EXPIRED',
    'AUTH_NO_LICENSE',
    'PAYMENT_PAST_DUE',
    'BALANCE_EXHAUSTED',
    'SPEND_CAP_REACHED',
    'USAGE_LIMIT_EXCEEDED',
    'VT_USAGE_LIMIT_EXCEEDED',
  ])
})

it('asks a client to wait only for what may be retried, and for a slot as long as a window', () => {
  const waiting = codesOf(BFF_ERRORS).filter((code) => bffErrorRow(code).waitMs !== undefined)
  expect(waiting.filter((code) => !BFF_ERRORS[code].retryable)).toEqual([])
  expect(BFF_ERRORS.BUDGET_EXHAUSTED.waitMs).toBe(MEETINGS_RATE.windowMs)
})
