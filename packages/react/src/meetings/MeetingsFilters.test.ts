import { expect, it } from 'vitest'
import { isSameParams } from './MeetingsFilters.js'

it('treats only bounds within a minute as equal', () => {
  const at = (from: string) => ({ from: `2026-01-01T${from}Z` })
  expect(isSameParams(at('10:00:00'), at('10:00:59.999'))).toBe(true)
  expect(isSameParams(at('10:00:00'), at('10:01:00'))).toBe(false)
  expect(isSameParams(at('10:00:00'), {})).toBe(false)
  expect(isSameParams({ q: 'a' }, { q: 'b' })).toBe(false)
  expect(isSameParams({ from: 'Invalid Date' }, { from: '2026-01-01' })).toBe(false)
})
