/** The shortest time in which a service must answer. */
const LEAST_MS = 5_000
const MOST_MS = 80_000
const SLOWEST_MS = 10_000
const MARGIN_MS = 2_000
/** Each answer lowers the longest time by this factor, because the service may have become faster. */
const FORGET = 0.98
/** A service that sends no growing texts answers after the end of an utterance, or after this time. */
const LONGEST_UTTERANCE_MS = 20_000
/** Quiet of this length ends an utterance. */
const END_MS = 500
/** Less speech than this may get no text. */
const SPEECH_MS = 1_000

/**
 * How long a service may leave speech without an answer. The limit follows the answers of this service. It
 * doubles with each doubt, and a second of speech that is answered in time halves it. A service that has never
 * answered is not doubted.
 */
export function createAnswerWatch() {
  let hasAnswered = false
  let sendsGrowing = false
  let slowestMs = 0
  let factor = 1
  /**
   * Speech that was answered in time since the limit changed. Growing texts come often, each for a part of
   * it.
   */
  let inTimeMs = 0
  /** Speech since the last answer, and when it was sent. */
  let speechMs = 0
  let firstAt: number | undefined
  let quietMs = 0
  let endedAt: number | undefined

  const baseMs = (): number => Math.max(LEAST_MS, 2 * slowestMs + MARGIN_MS)

  function scaleLimit(by: number): void {
    factor = Math.min(MOST_MS / LEAST_MS, Math.max(1, factor * by))
    inTimeMs = 0
  }

  function forget(): void {
    speechMs = quietMs = 0
    firstAt = endedAt = undefined
  }

  return {
    limitMs: (): number => Math.min(MOST_MS, baseMs() * factor),
    /** Sound of this length was sent. */
    sent(ms: number, isSpeech: boolean, now: number): void {
      if (isSpeech) {
        speechMs += ms
        quietMs = 0
        firstAt ??= now
      } else if (firstAt !== undefined) {
        quietMs += ms
        if (quietMs >= END_MS) endedAt ??= now
      }
    },
    /** The service has sent something. `isGrowing`: a text that may still grow. */
    answered(isGrowing: boolean, now: number): void {
      hasAnswered = true
      sendsGrowing ||= isGrowing
      const tookMs = now - (firstAt ?? now)
      if (tookMs < baseMs()) inTimeMs += speechMs
      if (inTimeMs >= SPEECH_MS) scaleLimit(0.5)
      if (speechMs >= SPEECH_MS) slowestMs = Math.min(SLOWEST_MS, Math.max(tookMs, slowestMs * FORGET))
      forget()
    },
    /** When the service is to be doubted; `Infinity`: not yet. `isOver`: no more speech follows for now. */
    dueAt(isOver: boolean): number {
      if (!hasAnswered || firstAt === undefined || (!isOver && speechMs < SPEECH_MS)) return Infinity
      const latest = firstAt + LONGEST_UTTERANCE_MS
      const since = sendsGrowing ? firstAt : Math.min(latest, isOver ? firstAt : (endedAt ?? latest))
      return since + Math.min(MOST_MS, baseMs() * factor)
    },
    /** The service is doubted. */
    doubt: (): void => scaleLimit(2),
    /**
     * The time until now does not count: frames were late, the machine slept, or another connection was
     * tried.
     */
    restart(now: number): void {
      if (firstAt === undefined) return
      firstAt = now
      if (endedAt !== undefined) endedAt = now
    },
    /** Another connection: what was sent before does not count. */
    forget,
  }
}
