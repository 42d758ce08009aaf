import type { ReceivedData } from '../../platform/socket.js'
import type { StreamSettings } from '../machine/settings.js'

interface FinalsOptions {
  readonly settings: () => StreamSettings
  readonly now: () => number
  /** Sound is final: up to a time of the connection, or words of a length; without both, one utterance. */
  readonly onFinal: (untilMs?: number, durationMs?: number) => void
}

/** A final text counts without the last text of its words, such as a translation, after this time. */
const LAST_TEXT_MS = 5_000

/** Reads from the messages of a connection which sound is final, as exactly as its service says it. */
export function createFinals({ settings, now, onFinal }: FinalsOptions) {
  /** True if the service counts time on this connection. */
  let hasTimes = false
  /** True if it says how long its words are. */
  let hasDurations = false
  /** Final texts whose last text has not come. */
  let durations: { readonly ms: number; readonly at: number }[] = []

  /** A final transcript whose translation does not come is final too. */
  function endLateTexts(): void {
    for (let [first] = durations; first && now() - first.at > LAST_TEXT_MS; [first] = durations) {
      durations.shift()
      onFinal(undefined, first.ms)
    }
  }

  return {
    received(data: ReceivedData, isFinal: boolean | undefined): void {
      const { setup } = settings()
      const untilMs = numberOf(setup?.finalUntilMs?.(data))
      const ms = numberOf(setup?.finalDurationMs?.(data))
      hasTimes ||= untilMs !== undefined
      hasDurations ||= ms !== undefined
      if (ms !== undefined) durations.push({ ms, at: now() })
      if (untilMs !== undefined) return onFinal(untilMs)
      if (hasTimes || !isFinal) return endLateTexts()
      const duration = durations.shift()
      if (duration || !hasDurations) onFinal(undefined, duration?.ms)
    },
    endLateTexts,
    /** True if the service says which sound is final. */
    isExact: (): boolean => hasTimes || hasDurations,
    /** Another connection: nothing is known of it. */
    forget(): void {
      hasTimes = hasDurations = false
      durations = []
    },
  }
}

const numberOf = (value: number | undefined): number | undefined =>
  Number.isFinite(value) ? value : undefined
