import { array, assert, property, string } from 'fast-check'
import { expect, it } from 'vitest'
import { readKey, type ReadKeyParts } from './readKey.js'

const key = (question: Partial<ReadKeyParts>): string =>
  readKey({ account: 'main', operation: 'meetings', credential: 1, canonical: [], ...question })

it('S21 equal reads have the same key, and different reads have different keys', () => {
  expect(key({ canonical: [20, undefined, 'all'] })).toBe(key({ canonical: [20, undefined, 'all'] }))
  expect(key({ account: 'other' })).not.toBe(key({ account: 'main' }))
  expect(key({ operation: 'tags' })).not.toBe(key({ operation: 'meetings' }))
  expect(key({ credential: 2 })).not.toBe(key({ credential: 1 }))
  expect(key({ account: undefined })).not.toBe(key({ account: 'undefined' }))
  expect(key({ account: undefined })).not.toBe(key({ account: 'null' }))
  expect(key({ canonical: [['title']] })).not.toBe(key({ canonical: [['title', 'participants']] }))
})

it.each([
  ['a comma', [['a', 'b']], [['a,b']]],
  ['a quote', [['a","b']], [['a', 'b']]],
  ['a bracket', ['a"],["b'], [['a'], ['b']]],
  ['an empty part', ['', 'a'], ['a', '']],
  ['a part that is missing', [undefined, 'a'], ['a', undefined]],
  ['a number and its digits', [1], ['1']],
  ['nothing and its word', [undefined], ['null']],
  ['a null byte', ['a\0', 'b'], ['a', '\0b']],
  ['halves of a character', ['\ud83d', '\ude00'], ['\ud83d\ude00', '']],
  ['halves of a character, and what encoders make of them', ['\ud83d'], ['\ufffd']],
])('S21 %s between two parts collides with nothing', (_name, one, other) => {
  expect(key({ canonical: one })).not.toBe(key({ canonical: other }))
})

it('S21 a part of the query cannot be mistaken for the credential', () => {
  expect(key({ credential: 1, canonical: [2, 'x'] })).not.toBe(key({ credential: 12, canonical: ['x'] }))
})

it('S21 different lists of texts have different keys', () => {
  const texts = array(string({ unit: 'binary', maxLength: 6 }), { maxLength: 4 })
  const collideOnlyIfEqual = property(texts, texts, (one, other) => {
    const same = JSON.stringify(one) === JSON.stringify(other)
    return (key({ canonical: one }) === key({ canonical: other })) === same
  })
  expect(() => assert(collideOnlyIfEqual, { numRuns: 1_000 })).not.toThrow()
})
