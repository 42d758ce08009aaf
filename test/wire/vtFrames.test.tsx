import { TranslationConfig, TranslationFrame } from '@stagepass/contract/schemas'
import type { Emulator } from '@stagepass/emulator'
import { createEmulator } from '@stagepass/emulator'
import { createVoiceClient, useStream, VoiceProvider } from '@stagepass/react'
import type { TranslationMessage } from '@stagepass/react/codecs'
import { voiceTranslation } from '@stagepass/react/codecs'
import { startStack } from '@stagepass/testing'
import { render, waitFor } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import frames from './vt-frames.json' with { type: 'json' }

/*
 * The exact frames of /vt that public clients send and read, through the emulator and through the codec.
 * (Assumptions: "Frames of /vt".)
 */

const { clientToServer, serverToClient } = frames
const decode = (frame: unknown) =>
  voiceTranslation({ source_language: 'en-US', target_language: 'es-ES', voice: 'male' }).decode(
    JSON.stringify(frame),
  )

/** The messages that the application receives for each frame of the server. */
const RECEIVED: Readonly<Record<string, TranslationMessage[]>> = {
  ready: [{ type: 'ready' }],
  'interim transcript': [
    {
      type: 'transcript',
      text: 'Good mor',
      final: false,
      start: '2026-11-21T09:15:02.120+00:00',
      duration: 480,
      utterance_id: '0191f2c4',
    },
  ],
  'final transcript': [
    {
      type: 'transcript',
      text: 'Good morning.',
      final: true,
      start: '2026-11-21T09:15:02.120+00:00',
      duration: 960,
      utterance_id: '0191f2c4',
      reference_id: 'call-17',
    },
  ],
  translation: [
    {
      type: 'translate',
      text: 'Buenos días.',
      final: true,
      utterance_id: '0191f2c4',
      reference_id: 'call-17',
    },
  ],
  'both in one frame': [
    {
      type: 'transcript',
      text: 'Thank you.',
      final: true,
      start: '2026-11-21T09:15:04.000+00:00',
      duration: 700,
      utterance_id: '0191f2c5',
    },
    { type: 'translate', text: 'Gracias.', final: true, utterance_id: '0191f2c5' },
  ],
  'legacy flag, no id': [
    { type: 'transcript', text: 'Yes.', final: true, start: '2026-11-21T09:15:05.000+00:00', duration: 300 },
  ],
  'no flag at all: final': [{ type: 'translate', text: 'Sí.', final: true }],
  'no usable text: no event': [],
  'unknown frame: passed on or passed over, never an error': [],
  'unknown key beside a known one': [{ type: 'translate', text: 'Hola.', final: true, utterance_id: 'u9' }],
  'error before ready: config': [
    { type: 'error', code: 400, reason: 'invalid_request', description: 'Unsupported target_language.' },
  ],
  'error: credentials': [
    {
      type: 'error',
      code: 401,
      reason: 'unauthorized',
      description: 'Token is invalid or expired.',
      reference_id: 'call-17',
    },
  ],
  'error: balance': [
    { type: 'error', code: 402, reason: 'payment_required', description: 'Balance exhausted.' },
  ],
  'error: too many sessions': [
    { type: 'error', code: 429, reason: 'too_many_requests', description: 'Too many simultaneous sessions.' },
  ],
  'error: server': [{ type: 'error', code: 500, reason: 'internal_error', description: 'Try again later.' }],
}

async function mint({ baseUrl, apiKey }: Emulator): Promise<string> {
  const answer = await fetch(`${baseUrl}/v2/sdk/tokens/session`, {
    method: 'POST',
    headers: { authorization: `api-key ${apiKey}`, 'content-type': 'application/json' },
    body: '{"usage_type":"vt"}',
  })
  return ((await answer.json()) as { data: { session_key: string } }).data.session_key
}

/** A plain socket to the emulator's /vt, with the received texts. */
async function openSocket(upstream: Emulator) {
  const token = await mint(upstream)
  const socket = new WebSocket(
    `${upstream.streamingUrl}/vt?authorization=${encodeURIComponent(`api-key ${token}`)}`,
  )
  const texts: string[] = []
  socket.on('message', (data: Buffer, isBinary) => !isBinary && texts.push(data.toString()))
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  return { socket, texts }
}

describe.each(clientToServer)('from the client: $name', ({ frame }) => {
  it('is a config by the schema', () => {
    expect(TranslationConfig.safeParse(frame.config).error).toBeUndefined()
  })

  it('is answered by the emulator with ready', async () => {
    await using upstream = await createEmulator()
    const { socket, texts } = await openSocket(upstream)
    socket.send(JSON.stringify(frame))
    await expect.poll(() => texts).toEqual(['{"type":"ready"}'])
  })

  it('is what the codec sends first', () => {
    const codec = voiceTranslation(TranslationConfig.parse(frame.config))
    expect(codec.start?.().map((text) => JSON.parse(text as string) as unknown)).toEqual([frame])
  })
})

describe.each(serverToClient)('from the server: $name', ({ name, frame }) => {
  it('becomes messages in the codec', () => {
    expect(RECEIVED[name]).toBeDefined()
    expect(decode(frame)).toEqual(RECEIVED[name])
  })
})

it('the schema accepts each frame that has a complete known key', () => {
  const known = serverToClient.filter(({ frame }) => TranslationFrame.safeParse(frame).success)
  const unknown = [
    'legacy flag, no id',
    'no flag at all: final',
    'unknown frame: passed on or passed over, never an error',
  ]
  expect(serverToClient.filter((row) => !known.includes(row)).map(({ name }) => name)).toEqual(unknown)
})

it('all of them reach an application that uses the hooks, and only a final error with a close ends its stream', async () => {
  await using stack = await startStack()
  const client = createVoiceClient({ url: stack.url })
  const codec = voiceTranslation({ source_language: 'en-US', target_language: 'es-ES', voice: 'male' })
  const heard: TranslationMessage[] = []
  function Call() {
    const { status, error } = useStream('vt', { codec, onMessage: (message) => heard.push(message) })
    return <p>{`${status} ${error?.code} ${error?.status}`}</p>
  }
  const { container } = render(
    <VoiceProvider client={client}>
      <Call />
    </VoiceProvider>,
  )
  await waitFor(() => expect(container.textContent).toContain('open'))
  const [socket] = stack.upstream.sockets
  // The frames that are about the connection are the last in the list.
  const isFatal = ({ frame }: (typeof serverToClient)[number]) =>
    'error' in frame && [401, 429].includes(frame.error?.code ?? 0)
  for (const { frame } of serverToClient.filter((row) => !isFatal(row))) socket?.send(JSON.stringify(frame))
  const expected = serverToClient.filter((row) => !isFatal(row)).flatMap(({ name }) => RECEIVED[name] ?? [])
  await waitFor(() => expect(heard).toEqual([{ type: 'ready' }, ...expected]))
  expect(container.textContent).toContain('open')

  socket?.send('{"error":{"code":402,"reason":"payment_required","description":"Balance exhausted."}}')
  socket?.close(1008)
  await waitFor(() => expect(container.textContent).toBe('failed STREAM_ERROR 402'))
})
