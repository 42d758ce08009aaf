import { WebSocket } from 'ws'

/*
 * A client of /vt that is written only from public documentation. It must not import anything from this
 * repository: it represents clients that we did not write.
 */

export interface Said {
  readonly text: string
  readonly final: boolean
  readonly utterance: string | undefined
  readonly reference: string | undefined
}

export interface Session {
  readonly transcripts: Said[]
  readonly translations: Said[]
  readonly audioBytes: number
  readonly closeCode: number
}

export interface CallOptions {
  readonly baseUrl: string
  readonly streamingUrl: string
  readonly apiKey: string
  readonly config: Readonly<Record<string, unknown>>
  /** 16-bit little-endian PCM, 16 kHz, mono. */
  readonly speech: Buffer
  /** Pause between two frames. 80 for speech in real time. */
  readonly paceMs: number
}

/** The fields of the server's frames that this client reads. */
interface Spoken {
  readonly text: string
  readonly final?: boolean
  readonly is_final?: boolean
  readonly utterance_id?: string
  readonly reference_id?: string
}

interface ServerEvent {
  readonly type?: string
  readonly transcript?: Spoken
  readonly translate?: Spoken
  readonly error?: { readonly code: number; readonly reason: string; readonly description: string }
}

const FRAME_BYTES = 2_560
const READY_TIMEOUT_MS = 20_000
const LAST_EVENTS_MS = 2_000

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

async function sessionToken({ baseUrl, apiKey }: CallOptions): Promise<string> {
  const response = await fetch(`${baseUrl}/v2/sdk/tokens/session`, {
    method: 'POST',
    headers: { Authorization: `api-key ${apiKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ usage_type: 'vt', expiration_ttl: 5 }),
  })
  const envelope = (await response.json()) as { code: number; message: string; data: { session_key: string } }
  if (envelope.code !== 0) throw new Error(`no token: ${envelope.message}`)
  return envelope.data.session_key
}

/** Opens the stream, speaks, waits for the last events, closes. */
export async function translateCall(options: CallOptions): Promise<Session> {
  const token = await sessionToken(options)
  const socket = new WebSocket(`${options.streamingUrl}/vt?authorization=api-key%20${token}`)
  const transcripts: Said[] = []
  const translations: Said[] = []
  let audioBytes = 0

  const ready = new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('the server was never ready')), READY_TIMEOUT_MS)
    socket.on('error', reject)
    socket.on('open', () => socket.send(JSON.stringify({ config: options.config })))
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (isBinary) {
        audioBytes += data.length
        return
      }
      const event = JSON.parse(data.toString()) as ServerEvent
      if (event.type === 'ready') {
        clearTimeout(timer)
        resolve()
      }
      if (event.error) {
        clearTimeout(timer)
        reject(new Error(`${event.error.code} ${event.error.reason}: ${event.error.description}`))
      }
      if (event.transcript) transcripts.push(read(event.transcript))
      if (event.translate) translations.push(read(event.translate))
    })
  })
  await ready

  for (let at = 0; at < options.speech.length; at += FRAME_BYTES) {
    socket.send(options.speech.subarray(at, at + FRAME_BYTES))
    await pause(options.paceMs)
  }
  await pause(LAST_EVENTS_MS)
  const closed = new Promise<number>((resolve) => socket.on('close', resolve))
  socket.close(1000)
  return { transcripts, translations, audioBytes, closeCode: await closed }
}

function read(event: Spoken): Said {
  const { text, final, is_final, utterance_id, reference_id } = event
  const isFinal = final !== false && is_final !== false
  return { text, final: isFinal, utterance: utterance_id, reference: reference_id }
}
