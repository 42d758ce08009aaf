import { ASSUMED_MEETINGS_WIRE, FRESH_TOKEN_STATUS, type MeetingsWire } from '@stagepass/contract'
import type { Latency } from './platform/latency.js'
import { type LimiterKind, LIMITERS } from './meetings/limiter.js'
import { REFUSAL_FORMS, type RefusalForm, REFUSALS, type RefuseBy } from './sockets/refusal.js'
import type { RecordedRequest } from './request/requestLog.js'
import type { MeetingInput } from './store/rows.js'
import type { ApiKeyInput, CredentialInput } from './store/store.js'
import type { IdSource } from './platform/ids.js'

/** The options that do not depend on the transport. */
export interface CoreOptions {
  /** Seed of the random keys, ids, meetings and jitter. Default 1. */
  seed?: number | undefined
  /** The time in milliseconds since the epoch. Default `Date.now`. */
  now?: (() => number) | undefined

  /** API keys in addition to the built-in ones of `upstream.keys`. */
  keys?: readonly ApiKeyInput[] | undefined
  /** Meetings credentials in addition to the built-in ones of `upstream.credentials`. */
  credentials?: readonly CredentialInput[] | undefined
  /** `status` of a fresh token. Default `LICENSE_VALID`. */
  tokenStatus?: string | undefined

  /**
   * Maximum number of simultaneous sessions of one account. Default 1,000. (Assumptions: "Sockets of one
   * token".)
   */
  maxSessions?: number | undefined
  /** How a refused handshake reaches the client. Default `status`. */
  refuseBy?: RefuseBy | undefined
  /** The form of a refusal. Default: the public form `nested`; for a close, the error code as its reason. */
  refusalForm?: RefusalForm | undefined
  /**
   * If true, open sockets are closed with 1008 `unauthorized` when their token expires. Default false: the
   * expiry is checked only at the handshake.
   */
  cutAtExpiry?: boolean | undefined
  /**
   * If true, every message is sent back unchanged, for all products. Default false: each product has its own
   * behaviour.
   */
  echo?: boolean | undefined
  /** Number of received messages that are kept in `upstream.frames`; `Infinity` for all. Default 1,000. */
  recordFrames?: number | undefined

  /** Creates the ids of requests and tokens. Default: running numbers, and random texts from the seed. */
  ids?: IdSource | undefined

  /**
   * Rows of the meetings interface, instead of the built-in data set. Each needs only an `id`; see
   * `MeetingInput` for the defaults.
   */
  meetings?: readonly MeetingInput[] | undefined
  /**
   * Paths and names of the meetings interface. Default: `ASSUMED_MEETINGS_WIRE`. (Assumptions: "Meetings
   * wire".)
   */
  wire?: Partial<MeetingsWire> | undefined
  /** How the rate limit is counted. Default `sliding`. */
  limiter?: LimiterKind | undefined
  /** If true, refused requests count against the rate limit too. Default false. */
  limiterCountsRefused?: boolean | undefined
  /** If true, a 429 has a Retry-After. Default false. */
  retryAfter?: boolean | undefined
  /** If true, a list response has `total`. Default true. */
  total?: boolean | undefined
  /** How the last page is marked: `next_cursor` is null (default), or missing. */
  endOfList?: 'null' | 'missing' | undefined
  /** `{ "tags": [...] }` (default) or the bare array. */
  tagsShape?: 'object' | 'array' | undefined

  /** Simulated round trip. Default none. */
  latency?: Latency | undefined
  /** Called when a response begins, also for handshakes. Errors that it throws are not caught. */
  onRequest?: ((request: RecordedRequest) => void) | undefined
  /**
   * Called with the error if the emulator cannot answer: the request gets 500, or the socket is closed with
   * 1011. Errors that it throws are not caught.
   */
  onError?: ((error: unknown) => void) | undefined
  /**
   * If true, requests are kept in `upstream.requests`. Default true. `upstream.counts` counts in both cases.
   */
  recordRequests?: boolean | undefined
}

const DEFAULTS = {
  seed: 1,
  keys: [],
  credentials: [],
  tokenStatus: FRESH_TOKEN_STATUS,
  maxSessions: 1_000,
  refuseBy: 'status',
  cutAtExpiry: false,
  echo: false,
  recordFrames: 1_000,
  ids: {},
  limiter: 'sliding',
  limiterCountsRefused: false,
  retryAfter: false,
  total: true,
  endOfList: 'null',
  tagsShape: 'object',
  latency: { ms: 0 },
  onRequest: () => undefined,
  onError: () => undefined,
  recordRequests: true,
} as const satisfies CoreOptions

type Defaulted = Pick<Required<CoreOptions>, keyof typeof DEFAULTS | 'now'>

export interface CoreSettings extends Readonly<{ [TKey in keyof Defaulted]: NonNullable<Defaulted[TKey]> }> {
  readonly wire: MeetingsWire
  readonly meetings: readonly MeetingInput[] | undefined
  readonly refusalForm: RefusalForm | undefined
}

const WORDS = {
  limiter: LIMITERS,
  refuseBy: REFUSALS,
  refusalForm: REFUSAL_FORMS,
  endOfList: ['null', 'missing'],
  tagsShape: ['object', 'array'],
} as const satisfies Partial<Record<keyof CoreSettings, readonly string[]>>

export function resolveCoreOptions(options: CoreOptions, now: () => number): CoreSettings {
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
  // The cast: `fromEntries` does not keep the types of the values.
  const settings = {
    ...DEFAULTS,
    now,
    ...given,
    meetings: options.meetings,
    refusalForm: options.refusalForm,
    wire: { ...ASSUMED_MEETINGS_WIRE, ...options.wire },
  } as CoreSettings
  for (const name of Object.keys(WORDS) as (keyof typeof WORDS)[])
    checkWord(name, settings[name], WORDS[name])
  checkNumber('seed', settings.seed)
  checkNumber('maxSessions', settings.maxSessions)
  checkNumber('recordFrames', settings.recordFrames)
  checkNumber('latency.ms', settings.latency.ms)
  checkNumber('latency.jitterMs', settings.latency.jitterMs ?? 0)
  return settings
}

function checkWord(name: string, value: string | undefined, words: readonly string[]): void {
  if (value === undefined || words.includes(value)) return
  throw new Error(`Failed to start the emulator: ${name} is "${value}". Choose one of ${words.join(', ')}.`)
}

function checkNumber(name: string, value: number): void {
  if (value >= 0) return
  throw new Error(`Failed to start the emulator: ${name} is ${value}. Give a number from 0.`)
}
