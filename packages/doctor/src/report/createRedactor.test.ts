import { array, assert, property, string } from 'fast-check'
import { expect, it } from 'vitest'
import { createRedactor } from './createRedactor.js'

const SECRET = 'vk_A7x9Qm2LzW+/=%&rT'

const redactorOf = (...secrets: string[]) => {
  const redactor = createRedactor()
  for (const secret of secrets) redactor.hide(secret)
  return redactor
}

it.each([
  ['plain', SECRET],
  ['percent-encoded', encodeURIComponent(SECRET)],
  ['in base64', Buffer.from(SECRET).toString('base64')],
  ['in base64 behind one byte', Buffer.from(`:${SECRET}`).toString('base64').slice(2)],
  ['in base64 behind two bytes', Buffer.from(`a:${SECRET}`).toString('base64').slice(3)],
  ['in base64url', Buffer.from(SECRET).toString('base64url')],
  ['in hexadecimal', Buffer.from(SECRET).toString('hex')],
  ['in capital hexadecimal', Buffer.from(SECRET).toString('hex').toUpperCase()],
])('hides a secret %s, and every part of eight characters', (_, form) => {
  const redactor = redactorOf(SECRET)
  expect(redactor.redact(`before ${form} after`)).toMatch(/^before \[hidden\].{0,3} after$/)
  for (let at = 0; at + 9 <= form.length - 3; at += 1)
    expect(redactor.redact(`<${form.slice(at, at + 8)}>`)).toBe('<[hidden]>')
})

it('leaves what is no part of a secret', () => {
  const redactor = redactorOf(SECRET)
  expect(redactor.redact('vk_A7x9 is the start of it')).toBe('vk_A7x9 is the start of it')
  expect(redactorOf().redact('anything')).toBe('anything')
})

it('hides a secret that was given percent-encoded, such as a cookie', () => {
  expect(redactorOf('sid=s%3Aq8Yw3ZtLr').redact('s:q8Yw3ZtLr')).toBe('[hidden]')
})

it('hides short secrets whole, and secrets that touch', () => {
  expect(redactorOf('abc').redact('xabcx')).toBe('x[hidden]x')
  expect(redactorOf('abcdefgh', '12345678').redact('abcdefgh12345678')).toBe('[hidden]')
})

it('does not call a text safe that holds a part in other letters', () => {
  const redactor = redactorOf(SECRET)
  expect(redactor.isSafe(SECRET.toUpperCase())).toBe(false)
  expect(redactor.isSafe('AUTH_API_KEY_EXPIRED')).toBe(true)
  const words = [SECRET.slice(0, 8), 'next_cursor', 'ada@example.com', '\u001b[31m', 7]
  expect(words.map(redactor.show)).toEqual(['?', 'next_cursor', '?', '?', '?'])
})

it('leaves no part of any secret in any text', () => {
  const parts = array(string({ maxLength: 12 }), { maxLength: 4 })
  const secrets = string({ minLength: 8, maxLength: 40 })
  assert(
    property(secrets, parts, (secret, around) => {
      const shown = redactorOf(secret).redact(around.join(secret) + secret)
      // The mask itself can be a part of a secret.
      const rest = shown.split('[hidden]')
      for (let at = 0; at + 8 <= secret.length; at += 1)
        for (const text of rest) expect(text).not.toContain(secret.slice(at, at + 8))
    }),
  )
})
