import { expect, it } from 'vitest'
import { appendLine } from './appendLine.js'
import { codecOf } from './codecOf.js'
import type { Line } from './messages.js'

const line = (id: string, text: string, final = true): Line => ({
  type: 'line',
  id,
  text,
  final,
  kind: 'heard',
})
const { decode } = codecOf('stt')

it('reads captions, sound and refusals', () => {
  const transcript = { type: 'transcript', text: 'And Mr', final: false, utterance_id: 'u1' }
  expect(decode(JSON.stringify(transcript))).toEqual([line('heard u1', 'And Mr', false)])
  expect(decode(new Int16Array([1, 2]).buffer)).toEqual([{ type: 'sound', samples: Int16Array.of(1, 2) }])
  expect(decode('{"type":"error","message":"Send text."}')).toEqual([{ type: 'refusal', text: 'Send text.' }])
})

it('reads both languages of a translation', () => {
  const frame = (key: string, text: string) =>
    JSON.stringify({ [key]: { text, final: true, utterance_id: 'u1' } })
  const { decode } = codecOf('vt')
  expect(decode(frame('transcript', 'Good morning'))).toEqual([line('heard u1', 'Good morning')])
  expect(decode(frame('translate', 'Buenos días'))).toEqual([
    { ...line('translated u1', 'Buenos días'), kind: 'translated' },
  ])
  expect(decode('{"error":{"code":429}}')).toEqual([{ type: 'refusal', text: 'Error 429' }])
})

it.each([
  'not json',
  'null',
  '[]',
  '{}',
  '{"type":"ready"}',
  '{"type":"transcript"}',
  '{"type":"other","text":"x"}',
])('passes over %s', (text) => expect([...decode(text), ...codecOf('vt').decode(text)]).toEqual([]))

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
