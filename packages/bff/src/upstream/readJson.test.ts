import { describe, expect, it } from 'vitest'
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

const distinct = (count: number, of = '') =>
  `{${Array.from({ length: count }, (_, nth) => `"name ${of}.${nth}":1`).join()}}`
it.each([
  ['in one object', distinct(100_000)],
  [
    'in objects of 1,000',
    `[${Array.from({ length: 11 }, (_, nth) => distinct(1_000, `${nth}`)).join()}]${' '.repeat(300_000)}`,
  ],
  ['in objects of 5', `[${Array.from({ length: 20_000 }, (_, nth) => distinct(5, `${nth}`)).join()}]`],
])('does not parse many names %s', (_, text) => {
  expect(readJson(text)).toBeUndefined()
  expect(() => void JSON.parse(text)).not.toThrow()
})

it('parses names within the bounds, and marks in texts', () => {
  const names = `[${Array.from({ length: 10 }, (_, nth) => distinct(1_000, `${nth}`)).join()}]`
  const same = `[${Array.from({ length: 100 }, () => distinct(1_000)).join()}]`
  const texts = JSON.stringify(Array.from({ length: 1_000 }, () => ':,[{}]\\"'.repeat(1_000)))
  for (const text of [names.padEnd(300_000), same, texts]) expect(readJson(text)).toEqual(JSON.parse(text))
})

it.each(['[1', '"a', `["${'\\"'.repeat(COUNT)}`, ''])('gives undefined for what is not JSON', (text) => {
  expect(readJson(text)).toBeUndefined()
})

describe('an integer that a number cannot hold', () => {
  it('is a text with all its digits, wherever it is', () => {
    const text =
      '{"a":9007199254740993,"b":[{"c":-9223372036854775808}],"d":9007199254740991,"e":"9007199254740993"}'
    expect(readJson(`\ufeff${text}`)).toEqual({
      a: '9007199254740993',
      b: [{ c: '-9223372036854775808' }],
      d: 9_007_199_254_740_991,
      e: '9007199254740993',
    })
  })

  it('leaves the other values as JSON.parse reads them', () => {
    const text =
      '{"a":1e20,"b":1.2345678901234567,"c":-0,"d":1,"d":[2],"f":"\\ud83d\\n","g":1e999,"__proto__":{"h":true},"i":null}'
    const value = readJson(`[${text},9007199254740993]`) as unknown[]
    expect(value).toEqual([JSON.parse(text), '9007199254740993'])
    expect(value[0]).not.toHaveProperty('h')
  })

  it('is rounded if the text is too deep or too long for a second look', () => {
    const rounded = Number('9007199254740993')
    const deep = '['.repeat(50_000) + ']'.repeat(50_000)
    expect(readJson(`{"a":9007199254740993,"b":${deep}}`)).toMatchObject({ a: rounded })
    expect(readJson(`{"a":9007199254740993,"b":"${'x'.repeat(8_000_000)}"}`)).toMatchObject({ a: rounded })
  })
})
