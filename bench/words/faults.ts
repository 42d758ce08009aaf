import type { EmulatorHandle } from '@stagepass/emulator/browser'
import type { Line } from './createLine.js'
import type { Recording } from './recording.js'

type Act = (line: Line, service: Pick<EmulatorHandle, 'tokens'>, random: () => number) => void

/** A kind of fault. */
export interface Kind {
  readonly act: Act
  /** It comes so often, every `everyMs`. Default once. */
  readonly times?: number
  readonly everyMs?: number
  /** Of each direction of the line. */
  readonly delayMs?: number
  /** So much speech follows the last fault: it is long, or the page catches up. */
  readonly afterMs: number
  /** It is too short to be told from a service that thinks, so its words may be lost. */
  readonly isUnnoticed?: boolean
  /** Options of the session. */
  readonly options?: object
}

const reset: Act = (line) => line.reset()
const close: Act = (line) => line.close(1011, '')
const expire: Act = (line, { tokens }) => {
  for (const { sessionKey } of tokens.all()) tokens.update(sessionKey, { expiresAtMs: 0 })
  line.close(1008, 'unauthorized')
}
const mute =
  (seconds: number): Act =>
  (line) =>
    line.mute(seconds * 1_000)
const darken =
  (seconds: number): Act =>
  (line) =>
    line.darken(seconds * 1_000)
/** One of them, of a length of its own. */
const any: Act = (line, service, random) => {
  // Not an expiry: two of them in a row are a service that refuses.
  const acts = [reset, close, mute(9 + random() * 21), darken(random() * 20)]
  acts[Math.floor(random() * acts.length)]?.(line, service, random)
}

export const KINDS = {
  'no fault': { act: () => {}, afterMs: 10_000 },
  reset: { act: reset, afterMs: 20_000 },
  'mute for 2 s': { act: mute(2), afterMs: 20_000, isUnnoticed: true },
  'mute for 9 s': { act: mute(9), afterMs: 40_000 },
  'mute for 30 s': { act: mute(30), afterMs: 60_000 },
  'no network for 5 s': { act: darken(5), afterMs: 30_000 },
  'no network for 60 s': { act: darken(60), afterMs: 100_000 },
  'no network for 10 minutes': {
    act: darken(600),
    afterMs: 900_000,
    options: { resend: { keepMs: 700_000 } },
  },
  'a close in mid-word': { act: close, afterMs: 20_000 },
  expiry: { act: expire, afterMs: 20_000 },
  '20 flaps in a minute': { act: reset, times: 20, everyMs: 3_000, afterMs: 20_000 },
  'a reset, and a round trip of 500 ms': { act: reset, delayMs: 250, afterMs: 20_000 },
  'six faults of any kind': { act: any, times: 6, everyMs: 9_000, afterMs: 60_000 },
} as const satisfies Readonly<Record<string, Kind>>

export type KindName = keyof typeof KINDS

/** The first fault comes in the middle of the first sentence after this time. */
const FIRST_MS = 8_000
const LONGEST_SENTENCE_MS = 8_000

/** How long a user speaks. */
export const lengthOf = ({ times = 1, everyMs = 0, afterMs }: Kind): number =>
  FIRST_MS + LONGEST_SENTENCE_MS + (times - 1) * everyMs + afterMs

/** When the faults come. */
export function timesOf({ times = 1, everyMs = 0 }: Kind, { sentences }: Recording): number[] {
  const { fromMs = FIRST_MS, toMs = FIRST_MS } = sentences.find((one) => one.fromMs >= FIRST_MS) ?? {}
  return Array.from({ length: times }, (_, index) => (fromMs + toMs) / 2 + index * everyMs)
}
