import { expect, it } from 'vitest'
import * as doctor from './index.js'

it('exports this', () => {
  expect(Object.keys(doctor).toSorted()).toEqual(['createRedactor', 'nodePlatform', 'runDoctor'])
})
