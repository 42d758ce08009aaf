import { cleanup, configure, render, waitFor } from '@testing-library/react'
import { startStack } from '@stagepass/testing'
import * as fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { createVoiceClient } from '../createVoiceClient.js'
import { useStream } from '../stream/useStream.js'
import { VoiceProvider } from '../VoiceProvider.js'
import type { TranslationMessage } from './voiceTranslation.js'
import { voiceTranslation } from './voiceTranslation.js'

afterEach(cleanup)

// Real sockets on a busy machine.
configure({ asyncUtilTimeout: 15_000 })

const config = { source_language: 'en-US', target_language: 'es-ES', voice: 'female' } as const

/** 20 ms of a loud tone. */
function tone(): Int16Array<ArrayBuffer> {
  return Int16Array.from({ length: 320 }, (_, index) => Math.round(12_000 * Math.sin(index / 5)))
}

describe('voiceTranslation', { timeout: 30_000 }, () => {
  it('configures the connection, waits for ready, and speaks both ways', async () => {
    await using stack = await startStack()
    const client = createVoiceClient({ url: stack.url })
    const heard: TranslationMessage[] = []
    function Call() {
      const { status, send } = useStream('vt', {
        codec: voiceTranslation(config),
        onMessage: (message) => heard.push(message),
      })
      return (
        <button type="button" onClick={() => Array.from({ length: 250 }, () => send(tone()))}>
          {status}
        </button>
      )
    }
    const { getByRole } = render(
      <VoiceProvider client={client}>
        <Call />
      </VoiceProvider>,
    )
    // Spoken before anything is connected: it waits its turn behind the configuration.
    getByRole('button').click()
    await waitFor(() => expect(getByRole('button').textContent).toBe('open'))
    await waitFor(() => expect(heard.some(({ type }) => type === 'translate')).toBe(true))
    expect(heard[0]).toEqual({ type: 'ready' })
    const first = stack.upstream.frames[0]?.data
    expect(JSON.parse(String(first))).toMatchObject({ config: { audio: { sample_rate: 16_000 }, ...config } })
    const audio = heard.find((message) => message.type === 'audio')
    expect(audio?.pcm.byteLength).toBe(640)
    const text = heard.find((message) => message.type === 'transcript')
    expect(text?.text).toMatch(/^Good/)
  })

  it('ends the stream where the server refuses the configuration', async () => {
    await using stack = await startStack()
    const client = createVoiceClient({ url: stack.url })
    function Call() {
      const { status, error } = useStream('vt', {
        codec: voiceTranslation({ ...config, voice: 'robot' as 'male' }),
      })
      return <p>{`${status} ${error?.code}`}</p>
    }
    const { container } = render(
      <VoiceProvider client={client}>
        <Call />
      </VoiceProvider>,
    )
    await waitFor(() => expect(container.textContent).toBe('failed STREAM_ERROR'))
    expect(stack.upstream.counts.handshake).toBe(1)
  })

  it('says at once what is wrong with a language', () => {
    expect(() => voiceTranslation({ ...config, target_language: 'spanish' })).toThrow(
      'Failed to configure voice translation: target_language is "spanish". Give a language with its region, such as "en-US".',
    )
  })

  it('reads several blocks of one frame, and passes over what it does not know', () => {
    const { decode } = voiceTranslation(config)
    const transcript = { text: 'hello', final: true }
    const translate = { text: 'hola', final: false }
    expect(decode(JSON.stringify({ transcript, translate, mood: 'good' }))).toEqual([
      { type: 'transcript', ...transcript },
      { type: 'translate', ...translate },
    ])
    expect(decode('{"type":"transcript","text":7}')).toEqual([])
  })

  it('S34 never throws, whatever the server sends', () => {
    const { decode, isReady } = voiceTranslation(config)
    const anyText = fc.oneof(
      fc.string(),
      fc.json(),
      fc.json().map((text) => `{"type":"error","code":${text}}`),
    )
    fc.assert(
      fc.property(anyText, (text) => {
        isReady?.(text)
        for (const { type } of decode(text))
          expect(['ready', 'transcript', 'translate', 'error']).toContain(type)
      }),
      { numRuns: 20_000, seed: 7 },
    )
  })
})
