import { inspect } from 'node:util'
import { expect, it } from 'vitest'
import { SessionToken } from './SessionToken.js'

it('S31 shows its value to code and to nothing else', () => {
  const token = new SessionToken('secret')
  expect(token.value).toBe('secret')
  const dumps = [
    JSON.stringify({ token }),
    String(token),
    inspect(token, { showHidden: true }),
    inspect(structuredClone(token)),
    JSON.stringify(Object.entries(token)),
    Object.keys(token).join(),
  ]
  expect(dumps.join()).not.toContain('secret')
})

it('S31 is empty once its time is over', () => {
  let isDead = false
  const token = new SessionToken('secret', () => isDead)
  expect(token.value).toBe('secret')
  isDead = true
  expect(token.value).toBe('')
  isDead = false
  expect(token.value).toBe('')
})
