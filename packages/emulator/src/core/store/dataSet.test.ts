import { expect, it } from 'vitest'
import { createRandom } from '../platform/random.js'
import { createDataSet } from './dataSet.js'

const NOW = Date.parse('2026-03-02T12:00:00.000Z')
const dataSet = (seed = 1) => createDataSet(createRandom(seed), NOW)

it('has 120 meetings with unique ids, all before now, most in the last half year', () => {
  const rows = dataSet()
  expect(new Set(rows.map(({ id }) => id)).size).toBe(120)
  for (const { started_at, created_at, updated_at, duration } of rows) {
    const [startedMs, createdMs, updatedMs] = [started_at, created_at, updated_at].map((date) =>
      Date.parse(date),
    )
    expect(startedMs).toBeGreaterThan(NOW - 365 * 86_400_000)
    expect(startedMs).toBeLessThan(createdMs ?? 0)
    expect(createdMs).toBeLessThanOrEqual(updatedMs ?? 0)
    expect(updatedMs).toBeLessThanOrEqual(NOW)
    expect(duration).toBeGreaterThan(0)
  }
})

it.each([1, 2, 3, 99])('has some of every kind (seed %i)', (seed) => {
  const rows = dataSet(seed)
  for (const visibility of ['owned', 'shared', 'public-link', 'workspace'] as const) {
    expect(rows.filter((row) => row.visibility === visibility).length).toBeGreaterThanOrEqual(5)
  }
  expect(rows.filter(({ processing }) => processing)).toHaveLength(3)
  expect(rows.filter(({ holder }) => holder === 'other')).toHaveLength(8)
  expect(rows.some(({ title }) => title === null)).toBe(true)
  expect(rows.some(({ source }) => source === null)).toBe(true)
  expect(rows.some(({ tags }) => tags.length === 0)).toBe(true)
})

it.each([1, 2, 3, 99])('is in the order of the dates that a list shows (seed %i)', (seed) => {
  const rows = dataSet(seed)
  const sortedBy = (date: 'started_at' | 'created_at') =>
    rows.toSorted((one, other) => Date.parse(other[date]) - Date.parse(one[date])).map(({ id }) => id)
  expect(sortedBy('started_at')).toEqual(rows.map(({ id }) => id))
  expect(sortedBy('created_at')).toEqual(rows.map(({ id }) => id))
  for (const { started_at, duration, created_at } of rows) {
    const sinceEndMs = Date.parse(created_at) - Date.parse(started_at) - duration * 1_000
    expect(sinceEndMs).toBeGreaterThanOrEqual(0)
    expect(sinceEndMs).toBeLessThanOrEqual(3_600_000)
  }
})

it('has texts in its transcripts that are not in its titles and notes', () => {
  for (const { transcript, title, notes } of dataSet()) {
    const rest = JSON.stringify([title, notes])
    expect(transcript.segments.length).toBeGreaterThan(0)
    for (const { text } of transcript.segments) expect(rest).not.toContain(text)
  }
})
