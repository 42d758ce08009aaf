import { expect, it } from 'vitest'
import { createDucking } from './createDucking.js'

it('makes the sound quieter while the user speaks, also between words', () => {
  const duck = createDucking()
  expect(duck(0.01)).toBe(1)
  expect(duck(0.3)).toBe(0.2)
  for (let frame = 0; frame < 19; frame += 1) expect(duck(0.01)).toBe(0.2)
  expect(duck(0.01)).toBe(1)
  expect(duck(0.01)).toBe(1)
})
