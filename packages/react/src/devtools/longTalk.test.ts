import { parseTape } from '@stagepass/contract'
import { QueryClient } from '@tanstack/react-query'
import { expect, it } from 'vitest'
import { joinStream } from '../stream/joinStream.test.kit.js'
import { createVirtualVoice, type VirtualVoice } from '../virtual/createVirtualVoice.test.kit.js'
import { recordVoice } from './recordVoice.js'

const FRAME_MS = 20
const TALK_MS = 600_000

const PARTICIPANTS = [
  { first_name: 'Ada', last_name: 'Lovelace', email: 'ada.l+work@mail.example.org' },
  { first_name: 'Zoë', last_name: 'García-Márquez', email: 'zoë@bücher.example' },
  { first_name: 'Conan', last_name: "O'Brien", email: null },
]
const OTHERS = ['Søren Kierkegaard', '李小龍', 'Bao Nguyen']
const NAMES = 'Ada,Lovelace,Zoë,García-Márquez,Márquez,Conan,Brien,Søren,Kierkegaard,李小龍,Nguyen'.split(',')
const EMAILS = ['ada.l+work@mail.example.org', 'zoë@bücher.example', 'o_brien@example.co.uk', 'X@EXAMPLE.IO']
const KEYS = [
  'sk_live_4eC39HqLyjWDarjtT1zdp7dc',
  'AKIAIOSFODNN7EXAMPLE',
  'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  'bXkgdjNyeSBzZWNyZXQga2V5IG9mIDMyIGJ5dGVzISE+Pj8=',
  'ghp_16C7e42F292c6912E7710c838347Ae178B4a',
  'AIzaSyDaGmWKa4JsXZ-HjGw7ISLn_3namBGewQe',
  'Ab3dEf6hIj9kLm2nOp5qRs8t',
  '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
]
const TOKENS = ['scripted-stt-1', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl']
const PLANTED = [
  ...new Set([...NAMES, ...NAMES.map((name) => name.toUpperCase()), ...EMAILS, ...KEYS, ...TOKENS]),
]

const inCodes = (text: string): string =>
  text.replaceAll(/[^]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** The ways in which a message may have one of them. */
const MESSAGES: readonly ((planted: string) => string)[] = [
  (planted) => JSON.stringify({ transcript: { text: `Good morning, ${planted} is here.`, final: true } }),
  (planted) =>
    JSON.stringify({ translate: { text: `¿(${planted})?`, words: [{ word: planted, at: 12.5 }] } }),
  (planted) => `{"transcript":{"text":"so ${inCodes(planted)} said"}}`,
  (planted) => `plain text, ${encodeURIComponent(planted)}&of=${planted}`,
  (planted) => JSON.stringify({ error: JSON.stringify({ reason: `api-key ${planted} is bad` }) }),
  (planted) => JSON.stringify({ [planted]: `${planted}'s`, text: `${planted}, ${planted}.` }),
]
const TEXTS = PLANTED.flatMap((planted) => MESSAGES.map((message) => message(planted)))

/** The planted things that a text has, however they are written. */
function scan(text: string): string[] {
  const read = text
    .replaceAll(/\\+u([\da-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll(/(?:%[\da-f]{2})+/gi, (codes) => decodeURIComponent(codes))
    .normalize('NFC')
    .toLowerCase()
  const words = new Set(read.split(/[^\p{L}\p{N}]+/u))
  return PLANTED.filter((planted) => {
    const small = planted.toLowerCase()
    // A short name is also a part of other words.
    return /^\p{L}+$/u.test(small) ? words.has(small) : read.includes(small)
  })
}

/**
 * Ten minutes: sound in both directions at the pace of a network, and the texts of the emulator: three a
 * second.
 */
async function talk(voice: VirtualVoice): Promise<void> {
  const stream = joinStream(voice)
  await voice.advance(50)
  const service = voice.service.connections[0]
  const frame = new ArrayBuffer(640)
  for (let nth = 0; nth < TALK_MS / FRAME_MS; nth += 1) {
    const lateMs = (nth * 7) % 5.3
    await voice.advance(lateMs)
    stream.send(frame)
    service?.send(frame)
    const utterance_id = `0191f2c4-${Math.floor(nth / 100)}`
    const text = 'and so we come to the second point of the day'.slice(0, nth % 100)
    const start = new Date(voice.now()).toISOString()
    const transcript = { text, final: false, start, duration: (nth % 100) * FRAME_MS, utterance_id }
    if (nth % 15 === 0) service?.send(JSON.stringify({ transcript }))
    if (nth % 100 === 0) service?.send(TEXTS[(nth / 100) % TEXTS.length] ?? '')
    await voice.advance(FRAME_MS - lateMs)
  }
}

it('S68 a talk of ten minutes has no key, token, e-mail address or name, and is under 1 MB', async () => {
  const voice = createVirtualVoice()
  const queryClient = new QueryClient()
  const recording = recordVoice(voice.client, { queryClient, hide: OTHERS })
  queryClient.setQueryData(['meetings'], { pages: [{ meetings: [{ participants: PARTICIPANTS }] }] })
  await talk(voice)
  const tape = recording.stop()
  expect(new Set(TEXTS.flatMap(scan))).toEqual(new Set(PLANTED))
  const lines = parseTape(tape).moments.map((moment) => JSON.stringify(moment))
  expect(lines.flatMap((line) => scan(line).map((found) => [found, line]))).toEqual([])
  expect(scan(tape)).toEqual([])
  expect(lines.length).toBeGreaterThan(2 * (TALK_MS / FRAME_MS))
  expect(new TextEncoder().encode(tape).length).toBeLessThan(1_000_000)
})
