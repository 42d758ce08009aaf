import { clock } from './virtualTime.js'
import { createBff } from '@stagepass/bff/fetch'
import { createVoiceClient, type OpenSocket, VoiceProvider } from '@stagepass/react'
import { useVoiceSession, type UseVoiceSessionResult } from '@stagepass/react/audio'
import { createTestVoice } from '@stagepass/react/testing'
import { type ReactNode, useEffect } from 'react'
import { createRoot } from 'react-dom/client'
import { codecOf } from './codecOf.js'
import { compare, mapValues, paidMs, type Time, type Words } from './compare.js'
import { createLine, type Line } from './createLine.js'
import { type Kind, type KindName, lengthOf, timesOf } from './faults.js'
import { createRandom, createRecording, type Heard, PART_MS, type Recording } from './recording.js'

type Session = UseVoiceSessionResult<never, unknown>

/** A frame of 20 ms of speech has its number in its samples, and is loud. */
const FRAME_SAMPLES = 320
const FRAME_MS = 20
const LOUD = 8_000
const DIGITS = 4_096

function framesOf({ sentences, lengthMs }: Recording): Int16Array {
  const samples = new Int16Array((lengthMs / FRAME_MS) * FRAME_SAMPLES)
  for (const { fromMs, toMs } of sentences)
    for (let frame = fromMs / FRAME_MS; frame < toMs / FRAME_MS; frame += 1)
      for (let index = 0; index < FRAME_SAMPLES; index += 1) {
        const digit = index % 4 < 2 ? frame % DIGITS : Math.floor(frame / DIGITS)
        samples[frame * FRAME_SAMPLES + index] = (index % 2 ? -1 : 1) * (LOUD + digit)
      }
  return samples
}

function read(samples: Int16Array): Heard[] {
  const heard: Heard[] = []
  for (let at = 0; at + FRAME_SAMPLES <= samples.length; at += FRAME_SAMPLES) {
    const [low = 0, , high = 0] = samples.subarray(at, at + 3)
    if (low < LOUD) continue
    const fromMs = (at / FRAME_SAMPLES) * FRAME_MS
    const part = Math.floor(((low - LOUD + (high - LOUD) * DIGITS) * FRAME_MS) / PART_MS)
    heard.push({ part, fromMs, toMs: fromMs + FRAME_MS })
  }
  return heard
}

/** Puts the line between the page and the service in it. */
const onLine =
  (line: Line, openSocket: OpenSocket, newestId: () => string): OpenSocket =>
  (url, listener, access) => {
    let isClosed = false
    let passing: ReturnType<Line['open']> | undefined
    let service: ReturnType<OpenSocket> | undefined
    const end = (code: number, reason: string): void => {
      passing?.closed()
      if (isClosed) return
      isClosed = true
      service?.close()
      listener.closed(code, reason)
    }
    void line.ready().then(() => {
      if (isClosed) return
      service = openSocket(
        url,
        {
          ...listener,
          opened() {
            passing = line.open(newestId(), {
              toService: (data) => service?.send(data as Uint8Array<ArrayBuffer> | string),
              toPage: (data) =>
                listener.received(typeof data === 'string' ? data : (data.buffer as ArrayBuffer)),
              end: (code = 1006, reason = '') => end(code, reason),
            })
            listener.opened()
          },
          received: (data) => passing?.fromService(typeof data === 'string' ? data : new Uint8Array(data)),
          closed: end,
        },
        access,
      )
    })
    return {
      send: (data) => passing?.fromPage(typeof data === 'string' ? data : bytesOf(data as BufferSource)),
      close() {
        isClosed = true
        passing?.closed()
        service?.close()
      },
      bufferedAmount: () => 0,
    }
  }

const bytesOf = (data: BufferSource): Uint8Array =>
  ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength).slice()
    : new Uint8Array(data).slice()

const TICK_MS = 20
const SPOKEN_MS = 1_000
/** What a session may still send after the speech. */
const LAST_MS = 120_000

interface Plan {
  readonly kind: Kind
  readonly seed: number
  /** The service counts time. */
  readonly times: boolean
}

/** Speaks a recording to a session, with the faults of a kind, at random times. */
async function runPlan({ kind, seed, times }: Plan): Promise<{ words: Words; time: Time }> {
  const random = createRandom(seed)
  const recording = createRecording(lengthOf(kind) + Math.floor(random() * 10) * 1_000, seed)
  const line = createLine({
    now: () => clock.now(),
    after: (ms, task) => void clock.after(ms, task),
    delayMs: kind.delayMs,
  })
  using voice = createTestVoice()
  const { emulator } = voice
  const bff = createBff({ ...emulator.bffOptions, authorize: () => ({ user: 'ada' }), logger: false })
  const page = emulator.clientOptions({
    fetch: (request) => (line.isDark ? Promise.reject(new TypeError('Failed to fetch')) : bff.fetch(request)),
  })
  const client = createVoiceClient({
    ...page,
    openSocket: onLine(line, page.openSocket, () => emulator.sockets.at(-1)?.id ?? ''),
    platform: {
      now: () => clock.now(),
      wallNow: () => clock.now(),
      setTimeout: (task, ms) => setTimeout(task, ms),
      clearTimeout: (handle) => clearTimeout(handle as number),
      random,
      isOnline: () => true,
      onWake: () => () => {},
      onSuspend: () => () => {},
    },
  })
  let session!: Session
  function Talk(): ReactNode {
    const current = useVoiceSession<never, unknown>('stt', { codec: codecOf(times), ...kind.options })
    useEffect(() => {
      session = current
    })
    return null
  }
  const root = createRoot(document.createElement('main'))
  const until = async (isSo: () => boolean, mostMs: number): Promise<void> => {
    for (let ms = 0; ms < mostMs && !isSo(); ms += TICK_MS) await clock.advance(TICK_MS)
  }
  try {
    root.render(
      <VoiceProvider client={client}>
        <Talk />
      </VoiceProvider>,
    )
    await until(() => session !== undefined, 1_000)
    session.start()
    await until(() => session.status === 'active', 60_000)
    const jitterMs = Math.floor(random() * 200) * FRAME_MS
    for (const atMs of timesOf(kind, recording))
      clock.after(atMs + jitterMs, () => kind.act(line, emulator, random))
    const samples = framesOf(recording)
    for (let ms = 0; ms < recording.lengthMs; ms += SPOKEN_MS) {
      const from = (ms / FRAME_MS) * FRAME_SAMPLES
      voice.microphone.speak(samples.subarray(from, from + (SPOKEN_MS / FRAME_MS) * FRAME_SAMPLES))
      await clock.advance(SPOKEN_MS)
    }
    session.stop()
    await until(() => session.status === 'idle' || session.status === 'failed', LAST_MS)
    return {
      words: compare(recording, line, mapValues(emulator.heard(), read)),
      time: { saidMs: recording.lengthMs, paidMs: paidMs(emulator) },
    }
  } finally {
    root.unmount()
    await clock.advance(1_000)
    await bff.close()
  }
}

/** The sum over the plans of a kind, and the plan that lost most. */
export interface Sum {
  plans: number
  readonly words: { -readonly [TName in keyof Words]: number }
  readonly time: { -readonly [TName in keyof Time]: number }
  worst: { readonly seed: number; readonly lost: number }
}

/** A kind that takes ten minutes has one plan of so many. */
const RARE = 100
const RARE_MS = 600_000

/** Runs plans of the kinds in turns. Their seeds count up from `seed`. */
export async function runPlans(
  kinds: readonly (readonly [KindName, Kind])[],
  { plans, seed, times }: { readonly plans: number; readonly seed: number; readonly times: boolean },
): Promise<ReadonlyMap<KindName, Sum>> {
  const sums = new Map<KindName, Sum>()
  const rare = kinds.filter(([, kind]) => lengthOf(kind) > RARE_MS)
  const usual = kinds.filter(([, kind]) => lengthOf(kind) <= RARE_MS)
  const kindOf = (index: number): readonly [KindName, Kind] => {
    const from = usual.length === 0 || (rare.length > 0 && index % RARE === RARE - 1) ? rare : usual
    return from[index % from.length]!
  }
  for (let index = 0; index < plans; index += 1) {
    const [name, kind] = kindOf(index)
    const own = seed + index
    const { words, time } = await runPlan({ kind, seed: own, times })
    const sum = sums.get(name) ?? {
      plans: 0,
      words: { lost: 0, twice: 0, again: 0, withoutText: 0 },
      time: { saidMs: 0, paidMs: 0 },
      worst: { seed: own, lost: 0 },
    }
    sums.set(name, sum)
    sum.plans += 1
    for (const key of Object.keys(words) as (keyof Words)[]) sum.words[key] += words[key]
    sum.time.saidMs += time.saidMs
    sum.time.paidMs += time.paidMs
    if (words.lost > sum.worst.lost) sum.worst = { seed: own, lost: words.lost }
  }
  return sums
}
