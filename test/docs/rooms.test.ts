import { expect, it } from 'vitest'
import { roomProblems, ROOMS } from '../../scripts/rooms.js'

it.each(Object.keys(ROOMS))('the rooms of %s are as scripts/rooms.ts lists them', (name) => {
  expect(roomProblems(name)).toEqual([])
})
