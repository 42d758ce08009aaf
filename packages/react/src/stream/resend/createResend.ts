import type { Product } from '@stagepass/contract'
import type { DropReason } from '../../events/events.js'
import type { Client } from '../../identity/Client.js'
import type { ReceivedData, SendData, Socket } from '../../platform/socket.js'
import { keepRecording } from '../../recordings/keepRecording.js'
import {
  KEEP_MS,
  LAG_MS,
  PACE,
  type ResendSettings,
  SAMPLE_RATE,
  type StreamSettings,
} from '../machine/settings.js'
import type { SoundLane } from '../queue/SoundLane.js'
import { createDoubts } from './createDoubts.js'
import { createFinals } from './createFinals.js'
import { createJournal, type JournalReader } from './createJournal.js'
import { BLOCK_MS } from './createKeptSound.js'
import { createPace } from './createPace.js'
import { createTrial } from './createTrial.js'
import { trialTransition } from './trialTransition.js'

interface ResendOptions {
  readonly client: Client
  readonly product: Product
  readonly key: string
  readonly settings: () => StreamSettings
  readonly onDrop: (reason: DropReason, count: number, bytes: number) => void
  /** A connection gets sound of this length that another one has got. */
  readonly onResent: (ms: number) => void
  /** True while no second connection is opened or tried. */
  readonly isAlone: () => boolean
  /** The current connection has left speech without an answer. Another one has `limitMs` to answer. */
  readonly onUnanswered: (limitMs: number) => void
}

const MOST_KEPT_MS = 1_800_000
/** Connections whose late messages can be about sound. */
const MOST_READERS = 8
/** The service may take so long for its last text. */
const MOST_PATIENCE_MS = 10_000
const MARGIN_MS = 1_000
/** A connection that is tried answers in this time, as a rule. */
const TRIAL_MS = 3_000
/** Each answer lowers the longest time by this factor, because the service may have become faster. */
const FORGET = 0.95

/** Sound of a stream that a later connection gets again, until it is final. */
export type Resend = ReturnType<typeof createResend>

/**
 * Keeps the sound of a stream in a journal, gives it to each connection at a bounded pace, reads from the texts
 * of the service what is final, and notices a connection that does not answer. A chunk of its own, so that
 * only streams with the option load it.
 */
export function createResend(given: ResendOptions) {
  const { client, product, key, settings, onDrop, onResent, isAlone, onUnanswered } = given
  const { platform } = client
  const options = (): ResendSettings => settings().resend || {}
  const { sampleRate = SAMPLE_RATE, persist = false } = options()
  const now = (): number => platform.now()
  let isEnding = false
  const journal = createJournal({
    sampleRate,
    keepMs: () => Math.min(options().keepMs ?? KEEP_MS, MOST_KEPT_MS),
    copy: persist ? keepRecording({ client, product, key, sampleRate }) : undefined,
    onUnheard: (blocks, bytes) => onDrop(isEnding ? 'ended' : 'unheard', blocks, bytes),
  })
  const newPace = () =>
    createPace({ now, pace: () => Math.max(options().pace ?? PACE, 1), bytesPerSecond: sampleRate * 2 })
  const pace = newPace()
  const doubts = createDoubts({
    platform,
    isPossible: () => isAlone() && reader !== undefined && settings().setup?.isFinal !== undefined,
    isUnfinished: journal.isUnfinished,
    onUnanswered,
  })
  const finals = createFinals({ settings, now, onFinal: final })
  const trial = createTrial(platform)
  /** The readers of the last connections, by generation. */
  const readers = new Map<number, JournalReader>()
  let reader: JournalReader | undefined
  let generation: number | undefined
  /** The longest time from a last word to its final text, lately. */
  let slowestMs: number | undefined

  function begin(next: number): JournalReader {
    const its = journal.begin()
    readers.delete(next - MOST_READERS)
    readers.set(next, its)
    if (its.resentMs > 0) onResent(Math.round(its.resentMs))
    return its
  }

  function final(untilMs?: number, durationMs?: number): void {
    if (!reader) return
    const wasUnfinished = journal.isUnfinished()
    reader.final({ untilMs, durationMs, lagMs: options().lagMs ?? LAG_MS }, now())
    if (!wasUnfinished || journal.isUnfinished()) return
    slowestMs = Math.max(now() - reader.wordSentAt(), (slowestMs ?? 0) * FORGET)
  }

  const behindMs = (): number => ((journal.end() - lane.cursor()) * 1_000) / sampleRate

  const lane: SoundLane = {
    push(data, at) {
      const pcm = soundIn(data)
      if (!pcm) return false
      journal.push(pcm, at)
      finals.endLateTexts()
      trial.pump()
      doubts.frame(at)
      return true
    },
    end: journal.end,
    cursor: () => reader?.cursor() ?? journal.seam(),
    next(until, isPaced) {
      if (!reader || (isPaced && !pace.mayPass())) return undefined
      return reader.next(until)
    },
    sent(bytes) {
      pace.pass(bytes)
      const isSpeech = reader?.sent(bytes, now()) ?? false
      doubts.sent((bytes * 500) / sampleRate, isSpeech)
    },
    waiting: () => (reader || journal.isUnfinished() ? Math.ceil(behindMs() / BLOCK_MS) : 0),
    waitsMs: () => (behindMs() === 0 ? 0 : now() - journal.saidAt(lane.cursor())),
  }

  return {
    lane,
    /** The transitions of the stream, with those of a connection that does not answer. */
    transition: trialTransition,
    /** The sound goes to the connection of this generation from now on; `undefined`: it waits. */
    follow(next: number | undefined): void {
      if (next === generation) return
      reader?.end()
      generation = next
      finals.forget()
      doubts.forget()
      if (next === undefined) reader = undefined
      else reader = next === trial.generation() ? trial.end() : begin(next)
      reader?.use()
    },
    /** This connection gets the same sound as the current one; `undefined`: none does. */
    try(next: number | undefined, socket: Socket | undefined): void {
      if (next === trial.generation()) return
      const before = trial.end()
      before?.end()
      doubts.tried(before !== undefined)
      if (next !== undefined && socket)
        trial.start({ generation: next, socket, reader: begin(next), pace: newPace() })
    },
    /** A message of a connection. Those of another connection than the current one say nothing. */
    received(data: ReceivedData, from: number): void {
      const { setup } = settings()
      if (from !== generation || !setup) return
      const isFinal = setup.isFinal?.(data)
      doubts.answered(isFinal === false)
      finals.received(data, isFinal)
    },
    /** When the sound at `ms` of a connection was said. */
    saidAt: (of: number, ms: number): number | undefined => readers.get(of)?.saidAt(ms),
    /** True if this connection got sound that another one had got. */
    isResent: (of: number): boolean => (readers.get(of)?.resentMs ?? 0) > 0,
    /** `expectLast(true)`: no more speech follows for now. */
    expectLast: (isExpected: boolean): void => doubts.expectLast(isExpected),
    isUnfinished: journal.isUnfinished,
    /** True if the service says which sound is final. */
    isExact: finals.isExact,
    /** From this time on no final text of the last word is expected any longer. */
    lateAt(): number {
      const usualMs = slowestMs === undefined ? Infinity : 2 * slowestMs + MARGIN_MS
      // Another connection must have time to answer too.
      const doubtMs = doubts.limitMs(trial.generation() !== undefined)
      const patienceMs = Math.max(usualMs, doubtMs + TRIAL_MS)
      return (reader?.wordSentAt() ?? now()) + Math.min(MOST_PATIENCE_MS, patienceMs)
    },
    quietMs: (): number => journal.quietMs(now()),
    stats: () => ({ unfinalMs: Math.round(journal.unfinalMs()), behindMs: Math.round(behindMs()) }),
    /** The service has said its last text: all sound counts as final. */
    settle: journal.settle,
    /** Forgets all sound: the stream has ended, or its user has changed. */
    clear(): void {
      isEnding = true
      journal.clear()
      isEnding = false
      trial.end()
      doubts.stop()
    },
  }
}

/** The bytes of whole samples; `undefined` for text and other data. */
function soundIn(data: SendData): Uint8Array | undefined {
  if (typeof data === 'string' || data instanceof Blob || data.byteLength % 2 > 0) return undefined
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data)
}
