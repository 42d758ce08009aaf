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

it.each([
  ['null in place of headers', null, {}],
  ['null as a value', { authorization: null, 'x-tenant': 'a' }, { 'x-tenant': 'a' }],
  ['undefined as a value', { authorization: undefined }, {}],
])('does not send %s', (_form, given, sent) => {
  expect(mergeHeaders(given as unknown as HeadersInit, {})).toEqual(sent)
})
