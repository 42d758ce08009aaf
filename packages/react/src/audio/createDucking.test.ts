import { expect, it } from 'vitest'
import { createDucking } from './createDucking.js'

it('is quieter while the user speaks, also between words', () => {
  const factors: number[] = []
  const { hear } = createDucking((factor) => factors.push(factor))
  hear(0.01)
  expect(factors).toEqual([])
  hear(0.3)
  hear(0.3)
  expect(factors).toEqual([0.2])
  for (let frame = 0; frame < 19; frame += 1) hear(0.01)
  expect(factors).toEqual([0.2])
  hear(0.01)
  hear(0.01)
  expect(factors).toEqual([0.2, 1])
})

it('is as loud as before when it ends while the user speaks', () => {
  const factors: number[] = []
  const { hear, end } = createDucking((factor) => factors.push(factor))
  hear(0.3)
  end()
  end()
  hear(0.01)
  expect(factors).toEqual([0.2, 1])
})
