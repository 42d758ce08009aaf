import type { Client } from '../../identity/Client.js'
import { perClient } from '../../identity/perClient.js'
import type { TimerHandle } from '../../platform/platform.js'
import type { ReceivedData } from '../../platform/socket.js'
import { parkedStreams } from '../../stream/lease/parkedStreams.js'
import { streamsOf } from '../../stream/streamsOf.js'
import { tokensOf } from '../../token/tokensOf.js'
import { createEar, type HeardSession } from './createEar.js'
import type { SilenceState } from './SilenceOptions.js'
import {
  closedMs,
  KEPT_OPEN,
  OPEN,
  type Silence,
  type SilenceEffect,
  type SilenceInput,
  silenceTransition,
} from './silenceTransition.js'

/** What a session shows of its silence. */
export interface ShownSilence {
  /** The stream was closed in silence, and is not open again yet. */
  readonly isWaiting: boolean
  readonly saved: SilenceState
  /** Whose figures these are. No other user sees them. */
  readonly savedFor?: Client | undefined
}

/** The sessions on a stream, and the part of their state that they share. */
interface SilentStream {
  silence: Silence
  readonly sessions: Map<ReturnType<typeof createEar>, (effects: readonly SilenceEffect[]) => void>
}

const TICK_MS = 1_000
/** The service still speaks if its last sound is not older than this. */
const SOUND_MS = 1_000

const silentStreams = perClient(() => new Map<string, SilentStream>())

/**
 * Runs the part `stream` of a session: sends the frames of the session during speech, and closes its stream in
 * silence. Throws a `RangeError` if a number of the options makes no sense.
 */
export function followSpeech(latest: () => HeardSession, show: (shown: ShownSilence) => void) {
  const { client, product, key } = latest()
  const { platform } = client
  const name = `${product} ${key}`
  const stream = streamsOf(client).of(product, key)
  const ear = createEar(latest, () => {
    if (ear.unavailable()) step('needed')
    showAll()
  })
  // After the ear, which throws for a wrong number.
  const shared = silentStreams(client).get(name) ?? { silence: OPEN, sessions: new Map() }
  silentStreams(client).set(name, shared)
  const { sessions } = shared
  const before = shared.silence
  let hasEnded = false
  let quietTimer: TimerHandle | undefined
  let tickTimer = platform.setTimeout(tick, TICK_MS)

  const run: Readonly<Record<SilenceEffect, () => unknown>> = {
    show: () => showAll(),
    open: () => stream.open(),
    finish: () => stream.finish(shared.silence.finishMs).then(() => step('finished')),
    'wait for quiet'() {
      platform.clearTimeout(quietTimer)
      quietTimer = platform.setTimeout(() => step('quiet'), SOUND_MS)
    },
    'let pass': () => send(ear.open()),
    words: () => ear.confirm(true),
    'no words': () => ear.confirm(false),
    report: () => isFirst() && client.emit({ ...KEPT_OPEN, product, key, at: platform.wallNow() }),
  }

  /** All sessions on the stream follow. */
  function step(input: SilenceInput): void {
    if (hasEnded) return
    const ears = [...sessions.keys()]
    const [silence, ...effects] = silenceTransition(shared.silence, input, {
      now: platform.now(),
      stream: stream.snapshot().status,
      isShared: stream.countEnabled() > ears.length,
      isSilent: ears.every(({ isSilent }) => isSilent()),
      closeAfterMs: Math.min(...ears.map(({ closeAfterMs }) => closeAfterMs)),
    })
    shared.silence = silence
    for (const follow of sessions.values()) follow(effects)
  }

  function showAll(isEnd = false): void {
    const { silence } = shared
    const savedMs = Math.round(closedMs(silence, platform.now()) - before.closedMs)
    const saved = { savedMs, opens: silence.opens - before.opens, unavailable: ear.unavailable() }
    if (!hasEnded) show({ isWaiting: silence.isWaiting && !isEnd, saved, savedFor: client })
  }

  function send(frames: readonly ArrayBuffer[]): void {
    for (const frame of frames) stream.send(frame)
  }

  /** The first session reads the messages, and reports. */
  function isFirst(): boolean {
    return sessions.keys().next().value === ear
  }

  function receive(data: ReceivedData): void {
    if (!isFirst()) return
    const { codec, soundOf } = latest()
    const isFinal = codec?.isFinal ? codec.isFinal(data) : true
    if (isFinal !== undefined) step(isFinal ? 'final text' : 'text')
    if (shared.silence.phase !== 'closing' && shared.silence.phase !== 'listening') return
    const messages = codec?.decode(data) ?? [data]
    if (messages.some((message) => Boolean(soundOf(message)))) step('sound')
  }

  function tick(): void {
    tickTimer = platform.setTimeout(tick, TICK_MS)
    if (shared.silence.phase === 'closed') showAll()
    step('review')
  }

  sessions.set(ear, (effects) => effects.forEach((effect) => run[effect]()))
  const unpark = parkedStreams(client).add(name)
  const stops = [
    stream.subscribe(receive),
    // At once, so that a session shows both changes in one render.
    stream.watch(() => step('changed')),
    // A live token, so that an opening takes only the handshake.
    tokensOf(client, product).retain(),
    ear.stop,
  ]
  showAll()

  return {
    /** Takes a frame of the microphone: sends it, or keeps it in silence. */
    push(frame: ArrayBuffer): void {
      const frames = ear.push(frame)
      if (ear.hearsSpeech()) step('speech')
      const isKept = ear.unavailable() !== null || platform.now() < shared.silence.keepUntil
      send(isKept && !ear.hearsSpeech() ? ear.open() : frames)
      step('review')
    },
    /** `isNeeded`: the stream must be open again. */
    end(isNeeded: boolean): void {
      if (isNeeded) step('needed')
      showAll(true)
      hasEnded = true
      platform.clearTimeout(tickTimer)
      platform.clearTimeout(quietTimer)
      for (const stop of stops) stop()
      sessions.delete(ear)
      if (sessions.size > 0) return
      silentStreams(client).delete(name)
      unpark()
    },
  }
}

export type FollowedSpeech = ReturnType<typeof followSpeech>
