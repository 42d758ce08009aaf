import { expect, it } from 'vitest'
import { captions } from './captions.js'

it('knows what is final, and until when', () => {
  const { decode, isFinal, finalUntilMs } = captions()
  const grows =
    '{"type":"transcript","text":"Good","final":false,"start":1.5,"duration":0.25,"utterance_id":"u1"}'
  expect(decode(grows)).toEqual([
    { text: 'Good', final: false, start: 1.5, duration: 0.25, utterance_id: 'u1' },
  ])
  expect(isFinal?.(grows)).toBe(false)
  expect(finalUntilMs?.(grows)).toBeUndefined()
  const ended = '{"text":"Good.","start":1.5,"duration":0.5}'
  expect(isFinal?.(ended)).toBe(true)
  expect(finalUntilMs?.(ended)).toBe(2_000)
  expect(finalUntilMs?.('{"text":"Good.","start":1.5}')).toBeUndefined()
})

it('ignores messages without a text', () => {
  const { decode, isFinal } = captions()
  for (const data of ['{', 'null', '7', '[]', '{"type":"finished"}', '{"text":7}', new ArrayBuffer(2)]) {
    expect(decode(data)).toEqual([])
    expect(isFinal?.(data)).toBeUndefined()
  }
})
