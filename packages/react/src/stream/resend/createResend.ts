import type { Platform } from '../../platform/platform.js'
import type { ReceivedData, SendData } from '../../platform/socket.js'
import type { DropReason } from '../../events/events.js'
import type { ResendSettings, StreamSettings } from '../machine/settings.js'
import type { SoundLane } from '../queue/SoundLane.js'
import { BLOCK_MS, createJournal, type JournalReader } from './createJournal.js'
import { createPace } from './createPace.js'

interface ResendOptions {
  readonly platform: Platform
  readonly settings: () => StreamSettings
  readonly onDrop: (reason: DropReason, count: number, bytes: number) => void
  /** A connection gets sound of this length again. */
  readonly onResent: (ms: number) => void
}

/** A final text counts without the last text of its words, such as a translation, after this time. */
const LAST_TEXT_MS = 5_000

/** A service that was slow may be faster now. */
const FORGET = 0.95
const LEAST_PATIENCE_MS = 2_500
const MOST_PATIENCE_MS = 10_000
const MARGIN_MS = 1_000
const MOST_KEPT_MS = 1_800_000
/** Connections whose late messages can be about sound. */
const MOST_READERS = 8

/** Sound of a stream that a later connection gets again, until it is final. */
export type Resend = ReturnType<typeof createResend>

/**
 * Keeps the sound of a stream in a journal, gives it to each connection at a bounded pace, and reads from the
 * texts of the service what is final. A chunk of its own, so that only streams with the option load it.
 */
export function createResend({ platform, settings, onDrop, onResent }: ResendOptions) {
  const options = (): ResendSettings => settings().resend || {}
  const { sampleRate = 16_000 } = options()
  const now = (): number => platform.now()
  let isEnding = false
  const journal = createJournal({
    sampleRate,
    keepMs: () => Math.min(options().keepMs ?? 120_000, MOST_KEPT_MS),
    onUnheard: (blocks, bytes) => onDrop(isEnding ? 'ended' : 'unheard', blocks, bytes),
  })
  const pace = createPace({
    now,
    pace: () => Math.max(options().pace ?? 4, 1),
    bytesPerSecond: sampleRate * 2,
  })
  let reader: JournalReader | undefined
  let generation: number | undefined
  /** Those of the last connections, by generation. */
  const readers = new Map<number, JournalReader>()
  /** True if the service counts time on this connection. */
  let hasTimes = false
  /** True if it says how long its words are. */
  let hasDurations = false
  /** Final texts whose last text has not come. */
  /** The longest time from a last word to its final text, lately. */
  let slowestMs: number | undefined
  let durations: { readonly ms: number; readonly at: number }[] = []

  function final(untilMs: number | undefined, durationMs?: number): void {
    if (!reader) return
    const wasUnfinished = journal.isUnfinished()
    reader.final({ untilMs, durationMs, lagMs: options().lagMs ?? 8_000 }, now())
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

  const lane: SoundLane = {
    push(data, at) {
      const pcm = soundIn(data)
      if (!pcm) return false
      journal.push(pcm, at)
      endLateTexts()
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
      reader?.sent(bytes, now())
    },
    waiting: () => (reader || journal.isUnfinished() ? Math.ceil(behindMs() / BLOCK_MS) : 0),
    waitsMs: () => (behindMs() === 0 ? 0 : now() - journal.saidAt(lane.cursor())),
  }

  const behindMs = (): number => ((journal.end() - lane.cursor()) * 1_000) / sampleRate

  return {
    lane,
    /** The sound goes to the connection of this generation from now on; `undefined`: it waits. */
    follow(next: number | undefined): void {
      if (next === generation) return
      reader?.end()
      generation = next
      reader = undefined
      hasTimes = hasDurations = false
      durations = []
      if (next === undefined) return
      reader = journal.begin()
      reader.use()
      readers.delete(next - MOST_READERS)
      readers.set(next, reader)
      if (reader.resentMs > 0) onResent(Math.round(reader.resentMs))
    },
    /** A message of a connection. Those of another connection than the current one say nothing. */
    received(data: ReceivedData, from: number): void {
      const { setup } = settings()
      if (from !== generation || !setup) return
      const untilMs = numberOf(setup.finalUntilMs?.(data))
      const ms = numberOf(setup.finalDurationMs?.(data))
      hasTimes ||= untilMs !== undefined
      hasDurations ||= ms !== undefined
      if (ms !== undefined) durations.push({ ms, at: now() })
      if (untilMs !== undefined) return final(untilMs)
      if (hasTimes || !setup.isFinal?.(data)) return endLateTexts()
      const duration = durations.shift()
      if (duration || !hasDurations) final(undefined, duration?.ms)
    },
    /** When the sound at `ms` of a connection was said. */
    saidAt: (of: number, ms: number): number | undefined => readers.get(of)?.saidAt(ms),
    /** True if this connection got sound that another one had got. */
    isResent: (of: number): boolean => (readers.get(of)?.resentMs ?? 0) > 0,
    isUnfinished: journal.isUnfinished,
    /** True if the service says which sound is final. */
    isExact: (): boolean => hasTimes || hasDurations,
    /** How long the service may take for the final text of the last word. */
    patienceMs: (): number =>
      slowestMs === undefined
        ? MOST_PATIENCE_MS
        : Math.min(MOST_PATIENCE_MS, Math.max(LEAST_PATIENCE_MS, 2 * slowestMs + MARGIN_MS)),
    quietMs: (): number => journal.quietMs(now()),
    stats: () => ({ unfinalMs: Math.round(journal.unfinalMs()), behindMs: Math.round(behindMs()) }),
    /** Forgets all sound: the stream has ended, or its user has changed. */
    clear(): void {
      isEnding = true
      journal.clear()
      isEnding = false
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
