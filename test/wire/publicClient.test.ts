import { readFileSync } from 'node:fs'
import { createEmulator } from '@stagepass/emulator'
import { describe, expect, it } from 'vitest'
import { translateCall } from './publicClient.js'

const HEADER_BYTES = 44
const SECONDS = 10

/** Ten seconds of a real voice, from the demo's recording. */
function readSpeech(): Buffer {
  const wav = readFileSync(
    new URL('../../examples/demo/public/recordings/sense-and-sensibility.wav', import.meta.url),
  )
  const voice = wav.subarray(HEADER_BYTES)
  const whole = Buffer.concat(Array.from({ length: 3 }, () => voice))
  return whole.subarray(0, SECONDS * 16_000 * 2)
}

const config = {
  audio: { format: 'pcm_s16le', sample_rate: 16_000 },
  source_language: 'en-US',
  target_language: 'de-DE',
  voice: 'female',
  metadata: { reference_id: 'call-17' },
}

describe('a client that shares no code with this repository', () => {
  it('imports nothing from it', () => {
    const source = readFileSync(new URL('./publicClient.ts', import.meta.url), 'utf8')
    expect(source.match(/from '[^']+'/g)).toEqual(["from 'ws'"])
  })

  it('streams 10 s of speech, and receives transcripts and translations', async () => {
    await using upstream = await createEmulator()
    const speech = readSpeech()
    const session = await translateCall({ ...upstream, config, speech, paceMs: 4 })

    const finals = session.transcripts.filter(({ final }) => final)
    expect(finals.length).toBeGreaterThanOrEqual(2)
    expect(session.transcripts.some(({ final }) => !final)).toBe(true)
    expect(session.translations.map(({ utterance }) => utterance)).toEqual(
      finals.map(({ utterance }) => utterance),
    )
    expect(finals[0]?.text).toMatch(/^Good morning/)
    expect(session.translations[0]?.text).toMatch(/^Guten Morgen/)
    for (const { reference } of [...session.transcripts, ...session.translations])
      expect(reference).toBe('call-17')
    expect(session.audioBytes).toBe(speech.length)
    expect(session.closeCode).toBe(1000)
  })

  it('gets an error about a wrong config in place of ready', async () => {
    await using upstream = await createEmulator()
    const call = translateCall({
      ...upstream,
      config: { ...config, target_language: 'klingon' },
      speech: Buffer.alloc(0),
      paceMs: 0,
    })
    await expect(call).rejects.toThrow(/^400 invalid_request: .*target_language/)
  })
})
