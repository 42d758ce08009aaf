import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { lastWords, withoutRepeated } from './repeatedWords.js'

const after = (finals: string[], text: string): string => withoutRepeated(text, lastWords(finals, 200)).text

it('leaves out words that end the final texts, in any case and punctuation', () => {
  expect(after(['Good morning. How are', 'you today?'], 'you today. I am fine.')).toBe('I am fine.')
  expect(after(['Good morning, how are you'], 'How are you')).toBe('')
  expect(after(['Good morning.'], 'Good evening.')).toBe('Good evening.')
  expect(after([], 'Good evening.')).toBe('Good evening.')
})

it('leaves out a text that is in the middle, and goes on behind it', () => {
  const { text, rest } = withoutRepeated('One two.', lastWords(['One two.', 'Three four.'], 200))
  expect(text).toBe('')
  expect(withoutRepeated('Three four five', rest).text).toBe('five')
})

it('keeps a single word that only happens to be the same', () => {
  expect(after(['I said no'], 'no problem')).toBe('no problem')
  expect(after(['I said', 'No.'], 'No problem')).toBe('problem')
})

it('knows scripts without spaces', () => {
  expect(after(['今日は天気です'], '天気です。明日')).toBe('明日')
})

const word = fc.constantFrom('one', 'two', 'three', 'four', 'five', 'six')

it('of words that were said once each, keeps each word once, wherever the sound is cut', () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 30 }), fc.nat(29), fc.nat(29), (count, one, other) => {
      const words = Array.from({ length: count }, (_, index) => `w${index}`)
      const until = 1 + (one % count)
      // From before the end of what is final: at least two words are repeated, or none.
      const from = Math.max(0, until - (other % 10))
      const repeated = until - from === 1 ? from - 1 : from
      const final = words.slice(0, until).join(' ')
      const next = words.slice(Math.max(0, repeated)).join(' ')
      expect(`${final} ${after([final], next)}`.trim()).toBe(words.join(' '))
    }),
  )
})

it('only ever takes words from the start of a text', () => {
  fc.assert(
    fc.property(fc.array(word), fc.array(word), (final, next) => {
      const text = next.join(' ')
      expect(text.endsWith(after([final.join(' ')], text))).toBe(true)
    }),
  )
})
