import { expect, it } from 'vitest'
import { readJson } from './readJson.js'

const COUNT = 1_000_000
const part = { start: 3.2, end: 6.4, speaker: 'Speaker 1', text: 'the point, that I [would] make with "{"' }
const page = {
  items: Array.from({ length: 100 }, (_, id) => ({
    id,
    transcript: Array.from({ length: 800 }, () => part),
  })),
}

it('reads a page of 100 meetings with their transcripts', () => {
  const text = JSON.stringify(page)
  expect(text.length).toBeGreaterThan(7_000_000)
  expect(readJson(text)).toEqual(page)
})

it.each([
  ['nested lists', '['.repeat(COUNT + 1) + ']'.repeat(COUNT + 1)],
  ['nested objects', '{"a":'.repeat(COUNT + 1) + '1' + '}'.repeat(COUNT + 1)],
  ['empty objects', `[${'{},'.repeat(COUNT / 2)}{}]`],
  ['numbers', `[${'1,'.repeat(COUNT)}1]`],
  ['names behind strings with quotes', `{${'"\\\\":"\\"",'.repeat(COUNT)}"a":1}`],
])('does not parse more than a million values: %s', (_, text) => {
  expect(readJson(text)).toBeUndefined()
  expect(() => void JSON.parse(text)).not.toThrow() // it is JSON
})

it.each(['[1', '"a', `["${'\\"'.repeat(COUNT)}`, ''])('gives undefined for what is not JSON', (text) => {
  expect(readJson(text)).toBeUndefined()
})
