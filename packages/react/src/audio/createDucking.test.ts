import { expect, it } from 'vitest'
import { createDucking } from './createDucking.js'

it('is quieter while the user speaks, also between words', () => {
  const speak = createDucking()
  expect(speak(0.01)).toBe(undefined)
  expect(speak(0.3)).toBe(0.2)
  expect(speak(0.3)).toBe(undefined)
  const pause = Array.from({ length: 19 }, () => speak(0.01))
  expect(new Set(pause)).toEqual(new Set([undefined]))
  expect(speak(0.01)).toBe(1)
  expect(speak(0.01)).toBe(undefined)
})
