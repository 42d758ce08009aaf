import { waitFor } from '@testing-library/react'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { useStream } from '../stream/useStream.js'
import { setupVoice } from '../testing/setupVoice.test.kit.js'
import type { TranslationMessage } from './voiceTranslation.js'
import { voiceTranslation } from './voiceTranslation.js'

const config = { source_language: 'en-US', target_language: 'es-ES', voice: 'female' } as const

/** 20 ms of a loud tone. */
function tone(): Int16Array<ArrayBuffer> {
  return Int16Array.from({ length: 320 }, (_, index) => Math.round(12_000 * Math.sin(index / 5)))
}

describe('voiceTranslation', () => {
  it('configures the connection, waits for ready, and sends and receives', async () => {
    await using setup = await setupVoice()
    const heard: TranslationMessage[] = []
    const { result } = setup.render(() =>
      useStream('vt', { codec: voiceTranslation(config), onMessage: (message) => heard.push(message) }),
    )
    // Sent before there is a connection: it waits until the configuration was sent.
    for (let frame = 0; frame < 250; frame += 1) result.current.send(tone())
    await waitFor(() => expect(result.current.status).toBe('open'))
    await waitFor(() => expect(heard.some(({ type }) => type === 'translate')).toBe(true))
    expect(heard[0]).toEqual({ type: 'ready' })
    const first = setup.stack.upstream.frames[0]?.data
    expect(JSON.parse(String(first))).toMatchObject({ config: { audio: { sample_rate: 16_000 }, ...config } })
    const audio = heard.find((message) => message.type === 'audio')
    expect(audio?.pcm.byteLength).toBe(640)
    const text = heard.find((message) => message.type === 'transcript')
    expect(text?.text).toMatch(/^Good/)
  })

  it('ends the stream if the server refuses the configuration', async () => {
    await using setup = await setupVoice()
    const codec = voiceTranslation({ ...config, voice: 'robot' as 'male' })
    const { result } = setup.render(() => useStream('vt', { codec }))
    await waitFor(() => expect(result.current.error?.code).toBe('STREAM_ERROR'))
    expect(result.current.status).toBe('failed')
    expect(setup.stack.upstream.counts.handshake).toBe(1)
  })

  it('does not read another frame as `ready`', () => {
    const { isReady } = voiceTranslation(config)
    expect(isReady?.('{"transcript":{"text":"Hello"}}')).toBe(false)
    expect(isReady?.(new ArrayBuffer(640))).toBe(false)
    expect(isReady?.('{"type":"ready"}')).toBe(true)
  })

  it('reports an invalid language at once', () => {
    expect(() => voiceTranslation({ ...config, target_language: 'spanish' })).toThrow(
      'Failed to configure voice translation: target_language is "spanish". Give a language with its region, such as "en-US".',
    )
  })

  it('reads several blocks of one frame, and ignores unknown ones', () => {
    const { decode } = voiceTranslation(config)
    const transcript = { text: 'hello', final: true }
    const translate = { text: 'hola', final: false }
    expect(decode(JSON.stringify({ transcript, translate, mood: 'good' }))).toEqual([
      { type: 'transcript', ...transcript },
      { type: 'translate', ...translate },
    ])
  })

  it.each([
    [{ final: false }, false],
    [{ final: true }, true],
    // A text is not final if one of the two spellings is false.
    [{ final: true, is_final: false }, false],
    [{ final: false, is_final: true }, false],
    [{ is_final: false }, false],
    [{ is_final: true }, true],
    [{ final: null, is_final: false }, false],
    [{}, true],
  ])('reads the flag of %j as %j, and hands on one spelling', (flags, final) => {
    const [message] = voiceTranslation(config).decode(
      JSON.stringify({ translate: { text: 'hola', ...flags } }),
    )
    expect(message).toEqual({ type: 'translate', text: 'hola', final })
  })

  it.each([
    ['{"error":{"code":402,"reason":"r","description":"d","reference_id":"c"}}', 402],
    ['{"error":{"code":"unauthorized"}}', 'unauthorized'],
    ['{"error":"unauthorized"}', 'unauthorized'],
    ['{"error":429}', 429],
    ['{"error":{"reason":"r"}}', undefined],
  ])('reads the error %s', (text, code) => {
    const [message] = voiceTranslation(config).decode(text)
    expect(message).toMatchObject({ type: 'error', ...(code && { code }) })
  })

  it.each([
    '{"type":"transcript","text":"the first edition of the frames","final":true}',
    '{"transcript":"hello"}',
    '{"transcript":{"text":7}}',
    '{"transcript":{"text":"  "}}',
    '{"error":null}',
    '[]',
    'null',
    'hello',
  ])('passes over %s', (text) => expect(voiceTranslation(config).decode(text)).toEqual([]))

  it('drops a field of the wrong type, and keeps the text', () => {
    const text =
      '{"transcript":{"text":"hi","final":true,"start":7,"duration":"long","utterance_id":{},"reference_id":1}}'
    expect(voiceTranslation(config).decode(text)).toEqual([
      { type: 'transcript', text: 'hi', final: true, reference_id: '1' },
    ])
  })

  it('reads what is written as another type, and loses no part to another one', () => {
    const transcript = { text: 'hi', final: 'false', utterance_id: 7, duration: '480' }
    const read = (frame: object) => voiceTranslation(config).decode(JSON.stringify(frame))
    const heard = { type: 'transcript', text: 'hi', final: false, utterance_id: '7', duration: 480 }
    expect(read({ transcript })).toEqual([heard])
    for (const odd of [null, 7, 'hola', [], {}, { text: {} }, true]) {
      expect(read({ transcript, translate: odd })).toEqual([heard])
      expect(read({ transcript: odd, translate: { text: 'hola' } })).toEqual([
        { type: 'translate', text: 'hola', final: true },
      ])
    }
    for (const odd of [null, [], true]) expect(read({ transcript, error: odd })).toEqual([heard])
  })

  it('S34 never throws, whatever the server sends', () => {
    const { decode, isReady } = voiceTranslation(config)
    const types = new Set<string>()
    // The generator takes most of the time, so each value is read in every form.
    fc.assert(
      fc.property(fc.string(), fc.json(), (text, json) => {
        const forms = [
          text,
          json,
          `{"error":${json}}`,
          `{"transcript":${json},"translate":{"text":"a","final":${json}}}`,
        ]
        for (const form of forms) {
          isReady?.(form)
          for (const { type } of decode(form)) types.add(type)
        }
      }),
      { numRuns: 5_000, seed: 7 },
    )
    expect(['ready', 'transcript', 'translate', 'error']).toEqual(expect.arrayContaining([...types]))
  })
})
