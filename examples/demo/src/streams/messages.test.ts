import { expect, it } from 'vitest'
import { appendLine } from './appendLine.js'
import type { Line } from './messages.js'
import { readFrame } from './messages.js'

const line = (id: string, text: string, final = true): Line => ({
  type: 'line',
  id,
  text,
  final,
  kind: 'heard',
})

it('reads captions, translations, sound and refusals', () => {
  const transcript = { type: 'transcript', text: 'And Mr', final: false, utterance_id: 'u1' }
  expect(readFrame(JSON.stringify(transcript))).toEqual(line('heard u1', 'And Mr', false))
  expect(readFrame(new Int16Array([1, 2]).buffer)).toEqual({ type: 'sound', samples: Int16Array.of(1, 2) })
  expect(readFrame('{"type":"error","message":"Send text."}')).toEqual({
    type: 'refusal',
    text: 'Send text.',
  })
})

it.each([
  'not json',
  'null',
  '[]',
  '{}',
  '{"type":"ready"}',
  '{"type":"transcript"}',
  '{"type":"constructor","text":"x"}',
])('passes over %s', (text) => expect(readFrame(text)).toBeUndefined())

it('lets a caption grow in its place', () => {
  const first = appendLine(line('u1', 'And Mr', false))
  const second = appendLine(line('u2', 'Unless'), first)
  expect(appendLine(line('u1', 'And Mr John.'), second)).toEqual([
    line('u1', 'And Mr John.'),
    line('u2', 'Unless'),
  ])
})

it('gives the same lines back where nothing is to be read', () => {
  const lines = [line('u1', 'And')]
  expect(appendLine({ type: 'sound', samples: new Int16Array(1) }, lines)).toBe(lines)
})
