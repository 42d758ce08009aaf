import { expect, it } from 'vitest'
import { SessionToken } from '../../token/SessionToken.js'
import { tokenOf } from './step.test.kit.js'
import { wordsWithoutToken } from './refusal.js'

const VALUE = 'Zt+9/aQ==x7kLm_w2-Rr0'
const live = { ...tokenOf(1), token: new SessionToken(VALUE) }
const address = `wss://service.example/stt?authorization=${encodeURIComponent(`api-key ${VALUE}`)}`

it.each([
  ['the token', `key ${VALUE}`, 'key …'],
  ['a long part of it', `key ${VALUE.slice(0, 17)}`, 'key …'],
  ['a short part of it', `key ${VALUE.slice(3, 12)}`, undefined],
  ['the token, percent-encoded', `key ${encodeURIComponent(VALUE)}`, 'key …'],
  ['a part of it, percent-encoded', `key ${encodeURIComponent(VALUE.slice(2))}`, 'key …'],
  ['an encoded part that was cut off', `key ${encodeURIComponent(VALUE.slice(4))}%2`, 'key …'],
  ['the token, encoded twice', `key ${encodeURIComponent(encodeURIComponent(VALUE))}`, 'key …'],
  ['the address', `cannot open ${address}.`, 'cannot open …'],
  [
    'the path of the request',
    `bad /stt?authorization=api-key%20${encodeURIComponent(VALUE)} sent`,
    'bad … sent',
  ],
  ['a path that was cut off', `bad /stt?authorization=api-key%20${VALUE.slice(0, 4)}`, 'bad …'],
  ['the token in base64', `key ${btoa(VALUE)}`, 'key …'],
  ['the address in base64', `bad ${btoa(address)}`, 'bad …'],
])('S31 words lose %s', (_name, words, kept) => {
  expect(wordsWithoutToken(words, live)).toBe(kept)
})

it('S31 a token of letters or of hexadecimal digits is no name and no id', () => {
  for (const value of ['abcdefghijklmnopqrstuv', '6f9619ff-8b86-d011-b42d-00cf4fc964ff']) {
    const token = { ...live, token: new SessionToken(value) }
    expect(wordsWithoutToken(`key ${value}`, token)).toBeUndefined()
    // A part of an id is no id.
    expect(wordsWithoutToken(`key ${value.slice(5)}`, token) ?? 'key …').toBe('key …')
  }
})

it.each([
  'Balance exhausted.',
  'unauthorized',
  '100 % used, request 6f9619ff-8b86-d011-b42d-00cf4fc964ff',
  'no api-key was sent',
  'concurrency_limit_exceeded',
  'a%zz',
])('words without it are kept: %s', (words) => {
  expect(wordsWithoutToken(words, live)).toBe(words)
})

it('words about a token that has expired are removed, because it is not known any longer', () => {
  expect(wordsWithoutToken('any', { ...live, token: new SessionToken('') })).toBeUndefined()
  expect(wordsWithoutToken(undefined, live)).toBeUndefined()
  expect(wordsWithoutToken('', live)).toBeUndefined()
})
