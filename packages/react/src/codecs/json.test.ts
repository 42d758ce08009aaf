import { expect, it } from 'vitest'
import { json } from './json.js'

it('is JSON both ways, passes over text that is not, and leaves bytes as they are', () => {
  const { encode, decode } = json<{ say: string }, unknown>()
  expect(encode({ say: 'hello' })).toBe('{"say":"hello"}')
  expect(decode('{"text":"hello"}')).toEqual([{ text: 'hello' }])
  expect(decode('{')).toEqual([])
  const bytes = new ArrayBuffer(2)
  expect(decode(bytes)[0]).toBe(bytes)
})
