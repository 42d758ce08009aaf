import type { Product } from '@stagepass/contract'
import type { DropReason } from '../../events/events.js'
import type { Client } from '../../identity/Client.js'
import type { TimerHandle } from '../../platform/platform.js'
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
import { createAnswerWatch } from './createAnswerWatch.js'
import { createBeside } from './createBeside.js'
import { createJournal, type JournalReader } from './createJournal.js'
import { BLOCK_MS } from './createKeptSound.js'
import { createPace } from './createPace.js'
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
/** A final text counts without the last text of its words, such as a translation, after this time. */
const LAST_TEXT_MS = 5_000
/** The service may take so long for its last text. */
const MOST_PATIENCE_MS = 10_000
const MARGIN_MS = 1_000
/** A second connection answers in this time, as a rule. */
const BESIDE_MS = 3_000
/** Each answer lowers the longest time by this factor, because the service may have become faster. */
const FORGET = 0.95
/** Frames that come later than this after the one before are those of a hidden page, or the machine slept. */
const LATE_MS = 1_000

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
  const answers = createAnswerWatch()
  const beside = createBeside(platform)
  /** The readers of the last connections, by generation. */
  const readers = new Map<number, JournalReader>()
  let reader: JournalReader | undefined
  let generation: number | undefined
  /** True if the service counts time on this connection. */
  let hasTimes = false
  /** True if it says how long its words are. */
  let hasDurations = false
  /** Final texts whose last text has not come. */
  let durations: { readonly ms: number; readonly at: number }[] = []
  /** The longest time from a last word to its final text, lately. */
  let slowestMs: number | undefined
  let lastPushAt = -Infinity
  /** True if no more speech follows, so that a single word must be answered too. */
  let isLast = false
  /** The last limit, and until when a second connection may answer. */
  let limitMs = 0
  let besideUntil = Infinity
  let doubtTimer: TimerHandle | undefined

  function begin(next: number): JournalReader {
    const its = journal.begin()
    readers.delete(next - MOST_READERS)
    readers.set(next, its)
    if (its.resentMs > 0) onResent(Math.round(its.resentMs))
    return its
  }

  function final(untilMs: number | undefined, durationMs?: number): void {
    if (!reader) return
    const wasUnfinished = journal.isUnfinished()
    reader.final({ untilMs, durationMs, lagMs: options().lagMs ?? LAG_MS }, now())
    if (!wasUnfinished || journal.isUnfinished()) return
    slowestMs = Math.max(now() - reader.wordSentAt(), (slowestMs ?? 0) * FORGET)
  }

  /** A final transcript whose translation does not come is final too. */
  function endLateTexts(): void {
    for (let [first] = durations; first && now() - first.at > LAST_TEXT_MS; [first] = durations) {
      durations.shift()
      final(undefined, first.ms)
    }
  }

  /** Called when frames come, because a timer is late in a hidden page. */
  function doubt(isOver: boolean): void {
    if (!isAlone() || !reader || !settings().setup?.isFinal) return
    if (now() < answers.dueAt(isOver)) return
    limitMs = answers.limitMs()
    answers.doubt()
    onUnanswered(limitMs)
  }

  /** After the last frame, such as the release of a button, only a timer can notice it. */
  function doubtLater(): void {
    const due = Math.ceil(answers.dueAt(true))
    if (doubtTimer !== undefined || due === Infinity) return
    const at = Math.max(now() + LATE_MS, due)
    const fire = (): void => {
      doubtTimer = undefined
      // The machine slept.
      if (now() - at > LATE_MS) answers.restart(now())
      if (isLast || now() - lastPushAt > LATE_MS) doubt(true)
      if (journal.isUnfinished()) doubtLater()
    }
    doubtTimer = platform.setTimeout(fire, at - now())
  }

  const behindMs = (): number => ((journal.end() - lane.cursor()) * 1_000) / sampleRate

  const lane: SoundLane = {
    push(data, at) {
      const pcm = soundIn(data)
      if (!pcm) return false
      if (at - lastPushAt > LATE_MS) answers.restart(at)
      lastPushAt = at
      journal.push(pcm, at)
      endLateTexts()
      beside.pump()
      doubt(isLast)
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
      answers.sent((bytes * 500) / sampleRate, isSpeech, now())
      if (isSpeech) doubtLater()
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
      hasTimes = hasDurations = false
      durations = []
      answers.forget()
      if (next === undefined) reader = undefined
      else reader = next === beside.generation() ? beside.end() : begin(next)
      reader?.use()
    },
    /** This connection gets the same sound beside the current one; `undefined`: none does. */
    try(next: number | undefined, socket: Socket | undefined): void {
      if (next === beside.generation()) return
      const before = beside.end()
      before?.end()
      // None of the two has answered.
      if (before && now() >= besideUntil) answers.restart(now())
      besideUntil = now() + limitMs
      if (next !== undefined && socket)
        beside.start({ generation: next, socket, reader: begin(next), pace: newPace() })
    },
    /** A message of a connection. Those of another connection than the current one say nothing. */
    received(data: ReceivedData, from: number): void {
      const { setup } = settings()
      if (from !== generation || !setup) return
      const isFinal = setup.isFinal?.(data)
      answers.answered(isFinal === false, now())
      const untilMs = numberOf(setup.finalUntilMs?.(data))
      const ms = numberOf(setup.finalDurationMs?.(data))
      hasTimes ||= untilMs !== undefined
      hasDurations ||= ms !== undefined
      if (ms !== undefined) durations.push({ ms, at: now() })
      if (untilMs !== undefined) return final(untilMs)
      if (hasTimes || !isFinal) return endLateTexts()
      const duration = durations.shift()
      if (duration || !hasDurations) final(undefined, duration?.ms)
    },
    /** When the sound at `ms` of a connection was said. */
    saidAt: (of: number, ms: number): number | undefined => readers.get(of)?.saidAt(ms),
    /** True if this connection got sound that another one had got. */
    isResent: (of: number): boolean => (readers.get(of)?.resentMs ?? 0) > 0,
    /** `expectLast(true)`: no more speech follows for now. */
    expectLast(isExpected: boolean): void {
      isLast = isExpected
    },
    isUnfinished: journal.isUnfinished,
    /** True if the service says which sound is final. */
    isExact: (): boolean => hasTimes || hasDurations,
    /** From this time on no final text of the last word is expected any longer. */
    lateAt(): number {
      const usualMs = slowestMs === undefined ? Infinity : 2 * slowestMs + MARGIN_MS
      // Another connection must have time to answer too.
      const doubtMs = beside.generation() === undefined ? answers.limitMs() : limitMs
      const patienceMs = Math.max(usualMs, doubtMs + BESIDE_MS)
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
      isEnding = isLast = false
      beside.end()
      answers.forget()
      platform.clearTimeout(doubtTimer)
      doubtTimer = undefined
    },
  }
}

const numberOf = (value: number | undefined): number | undefined =>
  Number.isFinite(value) ? value : undefined

/** The bytes of whole samples; `undefined` for text and other data. */
function soundIn(data: SendData): Uint8Array | undefined {
  if (typeof data === 'string' || data instanceof Blob || data.byteLength % 2 > 0) return undefined
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data)
}
