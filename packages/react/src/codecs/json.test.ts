import { expect, it } from 'vitest'
import { json } from './json.js'

it('is JSON both ways, and passes over what is not', () => {
  const { encode, decode } = json<{ say: string }, unknown>()
  expect(encode({ say: 'hello' })).toBe('{"say":"hello"}')
  expect(decode('{"text":"hello"}')).toEqual([{ text: 'hello' }])
  expect([...decode('{'), ...decode(new ArrayBuffer(2))]).toEqual([])
})
