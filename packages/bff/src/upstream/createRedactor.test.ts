import { expect, it } from 'vitest'
import { createRedactor } from './createRedactor.js'

const KEY = 'vk_planted+key/0123456789='
const base64 = (text: string): string => Buffer.from(text).toString('base64')
const base64url = (text: string): string => Buffer.from(text).toString('base64url')
const hex = (text: string): string => Buffer.from(text).toString('hex')
const percent = (code: string): string => code.replaceAll(/../g, '%$&')

it.each([
  ['as it is', KEY],
  ['percent-encoded', encodeURIComponent(KEY)],
  ['percent-encoded in lower case', encodeURIComponent(KEY).toLowerCase()],
  ['in a form', new URLSearchParams({ key: KEY }).toString()],
  ['percent-encoded letter by letter', percent(hex(KEY))],
  ['percent-encoded letter by letter, in upper case', percent(hex(KEY).toUpperCase())],
  ['in hexadecimal', hex(KEY)],
  ['in base64', base64(KEY)],
  ['in base64 for addresses', base64url(KEY)],
  ['in the base64 of one letter more', base64(`:${KEY}`)],
  ['in the base64 of a pair', base64(`ab:${KEY}:cd`)],
  ['in the base64 of a header', base64(`api-key ${KEY}`)],
  ['twice, without a gap', KEY + KEY],
  ['between letters', `x${KEY}x`],
])('S60 a secret %s is removed, and the words around it stay', (_how, form) => {
  const { note, redact } = createRedactor()
  note(KEY)
  const text = redact(`The vault said ${form} and ended`) ?? ''
  expect(text).toMatch(/^The vault said .*\[hidden\].* and ended$/)
  const isThere = (part: string) => text.includes(part)
  for (const part of [KEY, KEY.slice(0, 13), KEY.slice(13)])
    expect([part, encodeURIComponent(part), hex(part), percent(hex(part))].filter(isThere)).toEqual([])
  expect([base64(KEY).slice(0, 12), base64(`ab:${KEY}`).slice(8, 20)].filter(isThere)).toEqual([])
})

it('S60 a secret with quotes is removed from JSON, and one with other characters from an address', () => {
  const { note, redact } = createRedactor()
  note('half "quoted" \\ key')
  note("it's (a) key!")
  expect(redact(JSON.stringify({ x: 'half "quoted" \\ key' }))).toBe('{"x":"[hidden]"}')
  expect(redact(`?x=${encodeURIComponent("it's (a) key!")}`)).toBe('?x=[hidden]')
})

it('S60 the longest of two secrets that begin with the same letters is removed', () => {
  const { note, redact } = createRedactor()
  note('vk_12345')
  note('vk_12345_of_ada')
  expect(redact('(vk_12345_of_ada, vk_12345)')).toBe('([hidden], [hidden])')
})

it('S60 a secret that was noted after a text is removed from the next', () => {
  const { note, redact } = createRedactor()
  note('first_secret')
  expect(redact('first_secret later_secret')).toBe('[hidden] later_secret')
  note('later_secret')
  expect(redact('first_secret later_secret')).toBe('[hidden] [hidden]')
})

it.each([
  ['api-key xyz', 'api-key [hidden]'],
  ['Bearer xyz.abc', 'Bearer [hidden]'],
  ['bearer%20xyz', 'bearer%20[hidden]'],
  ['Basic dXNlcjpwYXNz', 'Basic [hidden]'],
  [
    'wss://a.example/asr?authorization=api-key%20xyz&x=1',
    'wss://a.example/asr?authorization=api-key%20[hidden]&x=1',
  ],
  ['authorization=xyz', 'authorization=[hidden]'],
  ['{"authorization":"api-key xyz"}', '{"authorization":"api-key [hidden]"}'],
  ["headers: { Authorization: 'Bearer xyz' }", "headers: { Authorization: 'Bearer [hidden]' }"],
  ['"session_key":"st_1"', '"session_key":"[hidden]"'],
  ['access_token=xyz;', 'access_token=[hidden];'],
  ['Cookie: sid=xyz', 'Cookie: [hidden]'],
  ['got eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln here', 'got [hidden] here'],
])('S60 what looks like a credential is removed: %s', (text, rest) => {
  expect(createRedactor().redact(text)).toBe(rest)
})

it.each([
  "Cannot read properties of undefined (reading 'id')",
  'connect ECONNREFUSED 127.0.0.1:5432',
  'relation "users" does not exist at character 15',
  'Return the bearer credential, or check bearer tokens.',
  'The key was not found. Is the secret store running?',
])('another text stays as it is: %s', (text) => {
  const { note, redact } = createRedactor()
  note(KEY)
  expect(redact(text)).toBe(text)
})

it('S60 a secret of the options is known after any number of others, and what is remembered is bounded', () => {
  const OWN = '0b9c2a541d3e4f608a7192b3c4d5e6f7'
  const { note, isSecretId } = createRedactor(OWN, undefined, () => KEY)
  const idOf = (nth: number): string => `f${nth.toString(16).padStart(31, '0')}`
  for (let nth = 0; nth < 20_001; nth += 1) note(idOf(nth))
  expect([OWN, idOf(20_000), idOf(1), idOf(0)].map((id) => isSecretId(id, ''))).toEqual([
    true,
    true,
    true,
    false,
  ])
  // In length too.
  for (let nth = 0; nth < 20; nth += 1) note(`secret-number-${nth}-`.padEnd(400_000, 's'))
  expect([OWN, idOf(20_000)].map((id) => isSecretId(id, ''))).toEqual([true, false])
})

it('S60 a secret that is in use is not forgotten', () => {
  const { note, isSecretId } = createRedactor()
  const id = '0b9c2a541d3e4f608a7192b3c4d5e6f7'
  for (let nth = 0; nth < 20; nth += 1) {
    note(id)
    note(`secret-number-${nth}-`.padEnd(400_000, 's'))
  }
  expect(isSecretId(id, '')).toBe(true)
})

it('S60 no text is returned that there is no time to compare', () => {
  const { note, redact } = createRedactor(KEY)
  expect(redact('x'.repeat(300_001))).toBeUndefined()
  for (let nth = 0; nth < 10_000; nth += 1) note(`secret-number-${nth}`)
  expect(redact('x'.repeat(31))).toBeUndefined()
})

it('S60 a long text of what could be tokens takes linear time', () => {
  // Quadratic time would be much longer than a test may take.
  const text = 'eyJaaaaa-'.repeat(30_000)
  expect(createRedactor().redact(text)).toBe(text)
})

it.each([
  ['a UUID', '0b9c2a54-1d3e-4f60-8a71-92b3c4d5e6f7'],
  ['32 digits', '0b9c2a541d3e4f608a7192b3c4d5e6f7'],
  ['half of the digits', '8a7192b3c4d5e6f7'],
  ['16 letters', Buffer.from('0b9c2a541d3e4f608a7192b3c4d5e6f7', 'hex').toString('latin1')],
])('S18 an id that is a secret is known: %s', (_what, secret) => {
  const { note, isSecretId } = createRedactor()
  const ids = ['0b9c2a54-1d3e-4f60-8a71-92b3c4d5e6f7', '0B9C2A541D3E4F608A7192B3C4D5E6F7']
  expect(ids.map((id) => isSecretId(id, ''))).toEqual([false, false])
  expect(ids.map((id) => isSecretId(id, secret))).toEqual([true, true])
  note(secret)
  expect(ids.map((id) => isSecretId(id, ''))).toEqual([true, true])
})
