import { expect, it } from 'vitest'
import { createDays } from './createDays.js'

it.each([
  ['UTC', '2030-01-31T23:59:59.999Z', '2030-01-31', '2030-02-01T00:00:00.000Z'],
  ['UTC', '2030-02-01T00:00:00.000Z', '2030-02-01', '2030-02-02T00:00:00.000Z'],
  // Summer time: days of 23 and 25 hours.
  ['Europe/Berlin', '2030-03-30T23:30:00Z', '2030-03-31', '2030-03-31T22:00:00.000Z'],
  ['Europe/Berlin', '2030-10-26T22:00:00Z', '2030-10-27', '2030-10-27T23:00:00.000Z'],
  // The clock goes from 23:59 to 1:00, and from 24:00 back to 23:00.
  ['America/Santiago', '2023-09-03T04:00:00Z', '2023-09-03', '2023-09-04T03:00:00.000Z'],
  ['America/Santiago', '2023-04-02T03:30:00Z', '2023-04-01', '2023-04-02T04:00:00.000Z'],
  ['Asia/Kolkata', '2030-01-01T18:29:59Z', '2030-01-01', '2030-01-01T18:30:00.000Z'],
  ['Pacific/Kiritimati', '2030-01-01T10:00:00Z', '2030-01-02', '2030-01-02T10:00:00.000Z'],
])('in %s at %s it is %s, until %s', (zone, at, name, end) => {
  const dayOf = createDays(zone)
  const { name: found, endsAtMs } = dayOf(Date.parse(at))
  expect([found, new Date(endsAtMs).toISOString()]).toEqual([name, end])
})

it('a clock that steps back is on the day before again', () => {
  const dayOf = createDays('UTC')
  const noon = Date.parse('2030-01-02T12:00:00Z')
  expect(dayOf(noon).name).toBe('2030-01-02')
  expect(dayOf(noon - 86_400_000).name).toBe('2030-01-01')
  expect(dayOf(noon + 0.5).name).toBe('2030-01-02')
})
