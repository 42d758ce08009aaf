import { describe, expect, it } from 'vitest'
import { parseRetryAfter } from './parseRetryAfter.js'

describe('parseRetryAfter', () => {
  const now = Date.parse('2026-01-01T00:00:00Z')
  it.each([
    ['0', 0],
    ['5', 5_000],
    [' 5 ', 5_000],
    ['2.0', 2_000],
    ['1.5', 1_500],
    ['99999999', 3_600_000],
    ['99999999999', 3_600_000],
    // The time in milliseconds, and a number that no computer can hold.
    ['1767225610000', 3_600_000],
    ['9'.repeat(400), 3_600_000],
    ['Thu, 01 Jan 2026 00:00:10 GMT', 10_000],
    ['Thursday, 01-Jan-26 00:00:10 GMT', 10_000],
    ['Thu Jan  1 00:00:10 2026 GMT', 10_000],
    ['Wed, 31 Dec 2025 23:59:00 GMT', 0],
    ['Fri, 01 Jan 2027 00:00:00 GMT', 3_600_000],
    ['', undefined],
    [undefined, undefined],
    ['-5', undefined],
    ['-1.5', undefined],
    ['.5', undefined],
    ['5.', undefined],
    ['5, 5', undefined],
    ['1e3', undefined],
    ['Infinity', undefined],
    ['5s', undefined],
    ['2026-01-01T00:00:10Z', undefined],
    ['soon', undefined],
    ['Thu, nonsense', undefined],
  ])('reads %j as %s', (value, expected) => {
    expect(parseRetryAfter(value, now)).toBe(expected)
  })
})
