import { expect, it } from 'vitest'
import { json } from '../codecs/json.js'
import { voiceTranslation } from '../codecs/voiceTranslation.js'
import { selectText, selectTranscript, selectTranslation } from './select.js'

const vt = voiceTranslation({ source_language: 'en-US', target_language: 'es-ES', voice: 'female' })

it('reads both texts of /vt', () => {
  const [heard, translated] = vt.decode(
    '{"transcript":{"text":"Good","final":false,"start":"2026-05-04T10:00:00.500+00:00","duration":300,"utterance_id":"u1"},"translate":{"text":"Buenos","utterance_id":"u1"}}',
  )
  const startMs = Date.parse('2026-05-04T10:00:00.500Z')
  expect(selectTranscript(heard!)).toEqual({
    text: 'Good',
    final: false,
    id: 'u1',
    startMs,
    endMs: startMs + 300,
  })
  expect(selectTranslation(translated!)).toEqual({ text: 'Buenos', final: true, id: 'u1' })
  for (const other of [
    translated!,
    { type: 'ready' } as const,
    { type: 'audio', pcm: new ArrayBuffer(2) } as const,
  ])
    expect(selectTranscript(other)).toBeUndefined()
  expect(selectTranslation(heard!)).toBeUndefined()
  expect(
    selectTranscript({ type: 'transcript', text: 'a', final: true, start: 'noon', duration: 5 }),
  ).toEqual({
    text: 'a',
    final: true,
    id: undefined,
  })
})

it('reads the text of stt, with a codec or without', () => {
  const message =
    '{"type":"transcript","text":"Good","final":false,"start":1.5,"duration":0.25,"utterance_id":"u1"}'
  const text = { text: 'Good', final: false, id: 'u1', startMs: 1_500, endMs: 1_750 }
  expect(selectText(message)).toEqual(text)
  expect(selectText(json().decode(message)[0])).toEqual(text)
  expect(selectText({ text: 'Good' })).toEqual({ text: 'Good', final: true })
  expect(selectText({ text: 'Good', utterance_id: 7, start: 0, duration: '1' })).toEqual({
    text: 'Good',
    final: true,
    id: 7,
    startMs: 0,
  })
  for (const other of [
    '{',
    '7',
    'null',
    '{"type":"finished"}',
    '{"text":7}',
    null,
    undefined,
    new ArrayBuffer(2),
  ])
    expect(selectText(other)).toBeUndefined()
})
