import type { MeetingsWire } from '@stagepass/contract'
import { ASSUMED_MEETINGS_WIRE, FRESH_TOKEN_STATUS } from '@stagepass/contract'
import type { Latency } from './platform/latency.js'
import type { LimiterKind } from './meetings/limiter.js'
import { LIMITERS } from './meetings/limiter.js'
import type { RefusalForm, RefuseBy } from './sockets/refusal.js'
import { REFUSAL_FORMS, REFUSALS } from './sockets/refusal.js'
import type { RecordedRequest } from './request/requestLog.js'
import type { AccountRow, MeetingInput } from './store/rows.js'
import type { ApiKeyInput, CredentialInput } from './store/store.js'
import type { IdSource } from './platform/ids.js'

/** The options that do not depend on the transport. */
export interface CoreOptions {
  /** Decides keys, ids, meetings and jitter. Default 1. */
  seed?: number | undefined
  /** The time in milliseconds since the epoch. Default `Date.now`. */
  now?: (() => number) | undefined

  /** API keys in addition to the built-in ones of `upstream.keys`. */
  keys?: readonly ApiKeyInput[] | undefined
  /** Meetings credentials in addition to the built-in ones of `upstream.credentials`. */
  credentials?: readonly CredentialInput[] | undefined
  /** Accounts with usage checks off. Every account that a key or a credential names exists without this option. */
  accounts?: readonly AccountRow[] | undefined
  /** `status` of a fresh token. Default `LICENSE_VALID`. */
  tokenStatus?: string | undefined

  /** Simultaneous sessions of one account. Default 1,000. (Assumptions: "Sockets of one token".) */
  maxSessions?: number | undefined
  /** How a refused handshake reaches the client. Default `status`. */
  refuseBy?: RefuseBy | undefined
  /** The form of a refusal. Default: the public form `nested`; for a close, the error code as its reason. */
  refusalForm?: RefusalForm | undefined
  /** Close live sockets with 1008 `unauthorized` when their token expires? Default false: expiry is checked at the handshake only. */
  cutAtExpiry?: boolean | undefined
  /** Send every message back as it came, on all products? Default false: each product has its own behaviour. */
  echo?: boolean | undefined
  /** How many received messages are kept in `upstream.frames`; `Infinity` for all. Default 1,000. */
  recordFrames?: number | undefined

  /** Makes the ids of requests and tokens. Default: numbered and random ones that the seed decides. */
  ids?: IdSource | undefined

  /** Rows of the meetings interface, in place of the built-in data set. Each needs an `id` only; see `MeetingInput` for the defaults. */
  meetings?: readonly MeetingInput[] | undefined
  /** Paths and names of the meetings interface. Default: `ASSUMED_MEETINGS_WIRE`. (Assumptions: "Meetings wire".) */
  wire?: Partial<MeetingsWire> | undefined
  /** How the rate limit is counted. Default `sliding`. */
  limiter?: LimiterKind | undefined
  /** Do refused requests count against the rate limit too? Default false. */
  limiterCountsRefused?: boolean | undefined
  /** Does a 429 carry Retry-After? Default false. */
  retryAfter?: boolean | undefined
  /** Does a list response hold `total`? Default true. */
  total?: boolean | undefined
  /** How the last page is marked: `next_cursor` is null (default), or missing. */
  endOfList?: 'null' | 'missing' | undefined
  /** `{ "tags": [...] }` (default) or the bare array. */
  tagsShape?: 'object' | 'array' | undefined

  /** Simulated round trip. Default none. */
  latency?: Latency | undefined
  /** Called when a response begins, handshakes included. Default: nothing. Errors that it throws are not caught. */
  onRequest?: ((request: RecordedRequest) => void) | undefined
  /**
   * Called with the error if the emulator cannot answer: a request gets 500, a socket is closed with 1011. Default: nothing. Errors that it
   * throws are not caught.
   */
  onError?: ((error: unknown) => void) | undefined
  /** Keep requests in `upstream.requests`? Default true. `upstream.counts` counts in both cases. */
  recordRequests?: boolean | undefined
}

type Resolved = Required<Omit<CoreOptions, 'wire' | 'meetings' | 'refusalForm'>>

export interface CoreSettings extends Readonly<{ [TKey in keyof Resolved]: NonNullable<Resolved[TKey]> }> {
  readonly wire: MeetingsWire
  readonly meetings: readonly MeetingInput[] | undefined
  readonly refusalForm: RefusalForm | undefined
}

export function resolveCoreOptions(options: CoreOptions, now: () => number): CoreSettings {
  const settings: CoreSettings = {
    seed: options.seed ?? 1,
    now: options.now ?? now,
    keys: options.keys ?? [],
    credentials: options.credentials ?? [],
    accounts: options.accounts ?? [],
    tokenStatus: options.tokenStatus ?? FRESH_TOKEN_STATUS,
    maxSessions: options.maxSessions ?? 1_000,
    refuseBy: options.refuseBy ?? 'status',
    refusalForm: options.refusalForm,
    cutAtExpiry: options.cutAtExpiry ?? false,
    echo: options.echo ?? false,
    recordFrames: options.recordFrames ?? 1_000,
    ids: options.ids ?? {},
    meetings: options.meetings,
    wire: { ...ASSUMED_MEETINGS_WIRE, ...options.wire },
    limiter: options.limiter ?? 'sliding',
    limiterCountsRefused: options.limiterCountsRefused ?? false,
    retryAfter: options.retryAfter ?? false,
    total: options.total ?? true,
    endOfList: options.endOfList ?? 'null',
    tagsShape: options.tagsShape ?? 'object',
    latency: options.latency ?? { ms: 0 },
    onRequest: options.onRequest ?? (() => undefined),
    onError: options.onError ?? (() => undefined),
    recordRequests: options.recordRequests ?? true,
  }
  checkWord('limiter', settings.limiter, LIMITERS)
  checkWord('refuseBy', settings.refuseBy, REFUSALS)
  checkWord('refusalForm', settings.refusalForm ?? 'nested', REFUSAL_FORMS)
  checkWord('endOfList', settings.endOfList, ['null', 'missing'])
  checkWord('tagsShape', settings.tagsShape, ['object', 'array'])
  checkNumber('maxSessions', settings.maxSessions)
  checkNumber('recordFrames', settings.recordFrames)
  checkNumber('latency.ms', settings.latency.ms)
  checkNumber('latency.jitterMs', settings.latency.jitterMs ?? 0)
  return settings
}

function checkWord(name: string, value: string, words: readonly string[]): void {
  if (words.includes(value)) return
  throw new Error(`Failed to start the emulator: ${name} is "${value}". Choose one of ${words.join(', ')}.`)
}

export function checkNumber(name: string, value: number): void {
  if (value >= 0) return
  throw new Error(`Failed to start the emulator: ${name} is ${value}. Give a number from 0.`)
}
