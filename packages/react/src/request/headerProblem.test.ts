import { expect, it, vi } from 'vitest'
import { createVoiceClient, type VoiceClientOptions } from '../client/createVoiceClient.js'
import { sourceOf } from '../token/sourceOf.test.kit.js'
import { createVirtualPlatform } from '../virtual/createVirtualPlatform.test.kit.js'
import { headerProblem } from './headerProblem.js'

it.each([
  ['a text', 'Bearer secret', 'they are a string'],
  ['text that is not Latin', { 'x-name': 'Łukasz' }, '"x-name" or its value'],
  ['a line break', { authorization: 'Bearer secret\nx' }, '"authorization" or its value'],
  ['a space in a name', { 'x tenant': 'a' }, '"x tenant" or its value'],
  ['pairs', [['x-name', 'Łukasz']], '"x-name" or its value'],
])('says what is wrong with %s, without the value', async (_name, headers, problem) => {
  expect(headerProblem(headers)).toContain(problem)
  const error = vi.spyOn(console, 'error').mockImplementation(() => {})
  const platform = createVirtualPlatform()
  const voice = createVoiceClient({
    url: '/api/voice',
    platform,
    headers: (() => headers) as VoiceClientOptions['headers'],
    fetch: async (url, init) => {
      const { url: asked } = new Request(`http://localhost${url as string}`, init)
      return Response.json({ asked })
    },
  })
  const source = sourceOf(voice, 'stt')
  source.retain()
  await platform.advance(5_000)
  expect(source.state().error?.hint).toContain(problem)
  expect(error.mock.calls.flat().join()).toContain(problem)
  expect(error.mock.calls.flat().join()).not.toContain('secret')
  error.mockRestore()
})

it.each([
  ['none', undefined],
  ['null', null],
  ['no value', { authorization: null }],
  ['a number', { 'x-tenant': 5 }],
  ['Headers', new Headers({ a: 'b' })],
  ['pairs', [['a', 'b']]],
])('has nothing against %s', (_name, headers) => {
  expect(headerProblem(headers)).toBeUndefined()
})
