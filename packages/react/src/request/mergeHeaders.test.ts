import { expect, it } from 'vitest'
import { mergeHeaders } from './mergeHeaders.js'

it.each([
  ['an object', { Authorization: 'Bearer 1', 'X-Stagepass': '0' }],
  [
    'pairs',
    [
      ['Authorization', 'Bearer 1'],
      ['X-Stagepass', '0'],
    ] as [string, string][],
  ],
  ['Headers', new Headers({ Authorization: 'Bearer 1', 'X-Stagepass': '0' })],
])("takes the application's headers from %s, and puts ours over them", (_form, given) => {
  expect(mergeHeaders(given, { 'x-stagepass': '1', accept: undefined })).toEqual({
    authorization: 'Bearer 1',
    'x-stagepass': '1',
  })
})

it('accepts no headers', () => {
  expect(mergeHeaders(undefined, { accept: 'application/json' })).toEqual({ accept: 'application/json' })
})
