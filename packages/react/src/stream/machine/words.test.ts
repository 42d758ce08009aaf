import { expect, it } from 'vitest'
import { SessionToken } from '../../token/SessionToken.js'
import { tokenOf } from './step.test.kit.js'
import { wordsWithoutToken } from './refusal.js'

const VALUE = 'Zt+9/aQ==x7kLm_w2-Rr0'
const live = { ...tokenOf(1), token: new SessionToken(VALUE) }
const address = `wss://service.example/stt?authorization=${encodeURIComponent(`api-key ${VALUE}`)}`

it.each([
  ['the token', `bad key ${VALUE}`],
  ['a part of it', `bad key ${VALUE.slice(3, 12)}...`],
  ['the token, percent-encoded', `bad key ${encodeURIComponent(VALUE)}`],
  ['a part of it, percent-encoded', `bad key ${encodeURIComponent(VALUE.slice(2))}`],
  ['the address', `cannot open ${address}`],
  ['the path of the request', `bad /stt?authorization=api-key%20${encodeURIComponent(VALUE)}`],
  ['a path that was cut off', `bad /stt?authorization=api-key%20${VALUE.slice(0, 4)}`],
  ['an encoded part that was cut off in an escape', `bad ${encodeURIComponent(VALUE.slice(4))}%2`],
  ['the token in base64', `bad ${btoa(VALUE)}`],
  ['the token in base64 for addresses', `bad ${btoa(VALUE).replaceAll('+', '-').replaceAll('/', '_')}`],
  ['the address in base64', `bad ${btoa(address)}`],
])('S31 words with %s are removed', (_name, words) => {
  expect(wordsWithoutToken(words, live)).toBeUndefined()
})

it.each([
  'Balance exhausted.',
  'unauthorized',
  '100 % used, request 6f9619ff-8b86-d011-b42d-00cf4fc964ff',
  'no api-key was sent',
  'a%zz',
])('words without it are kept: %s', (words) => {
  expect(wordsWithoutToken(words, live)).toBe(words)
})

it('words about a token that has expired are removed, because it is not known any longer', () => {
  expect(wordsWithoutToken('any', { ...live, token: new SessionToken('') })).toBeUndefined()
  expect(wordsWithoutToken(undefined, live)).toBeUndefined()
  expect(wordsWithoutToken('', live)).toBeUndefined()
})
