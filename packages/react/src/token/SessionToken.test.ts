import { inspect } from 'node:util'
import { expect, it } from 'vitest'
import { createWiper, SessionToken, wipeToken } from './SessionToken.js'

it('S31 shows its value only to code', () => {
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

it('S31 is empty after it has expired', () => {
  let isDead = false
  const token = new SessionToken('secret', () => isDead)
  expect(token.value).toBe('secret')
  isDead = true
  expect(token.value).toBe('')
  isDead = false
  expect(token.value).toBe('')
})

it('S31 is printed as a name, never as its value', () => {
  const token = new SessionToken('secret')
  expect(String(token)).toBe('[session token]')
  expect(JSON.stringify({ token })).toBe('{"token":"[session token]"}')
  wipeToken(token)
  expect(token.value).toBe('')
})

it('S31 a wiper empties each token at its deadline, and all tokens without a time', () => {
  const wiper = createWiper()
  const [early, late] = [new SessionToken('early'), new SessionToken('late')]
  const values = (): string[] => [early.value, late.value]
  wiper.add({ token: early, deadline: 1_000 })
  wiper.add({ token: late, deadline: 2_000 })
  wiper.wipe(999)
  expect(values()).toEqual(['early', 'late'])
  wiper.wipe(1_000)
  expect(values()).toEqual(['', 'late'])
  wiper.wipe()
  expect(values()).toEqual(['', ''])
})
