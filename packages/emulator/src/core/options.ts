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

/** Each call gives a new one. */
export interface IdSource {
  /** `req_id` of the token endpoint. */
  reqId?: (() => string) | undefined
  /** `session_key`; letters, digits and `-._~+/=` alone can stand in a header. */
  sessionKey?: (() => string) | undefined
}

export interface EmulatorOptions {
  /** TCP port. Default 0: any free one. */
  port?: number | undefined
  /** Address to listen on. Default `127.0.0.1`: nobody but this machine. */
  host?: string | undefined
  /** Decides keys, ids, meetings and jitter. Default 1. */
  seed?: number | undefined
  /** Time in milliseconds since the epoch. Default `Date.now`. */
  now?: (() => number) | undefined

  /** API keys beside the ready-made ones of `upstream.keys`. */
  keys?: readonly ApiKeyInput[] | undefined
  /** Meetings credentials beside the ready-made ones of `upstream.credentials`. */
  credentials?: readonly CredentialInput[] | undefined
  /** Accounts whose usage checks are not on; every account that a key or a credential names exists anyhow. */
  accounts?: readonly AccountRow[] | undefined
  /** `status` of a fresh token. Default `LICENSE_VALID`. */
  tokenStatus?: string | undefined

  /** Simultaneous sessions of one account. Default 1,000. (Assumptions: "Sockets of one token".) */
  maxSessions?: number | undefined
  /** How a refused handshake reaches the client. Default `status`. */
  refuseBy?: RefuseBy | undefined
  /** How a refusal is spelled. Default: the public form `nested`; for a close, the name of the code as its reason. */
  refusalForm?: RefusalForm | undefined
  /** Close live sockets with 1008 `unauthorized` when their token expires? Default false: expiry is checked at the handshake alone. */
  cutAtExpiry?: boolean | undefined
  /** Send every frame back as it came, on all products? Default false: each product answers in its own way. */
  echo?: boolean | undefined
  /** How many received frames are remembered in `upstream.frames`; `Infinity` for all. Default 1,000. */
  recordFrames?: number | undefined

  /** Makes the ids that the emulator gives out. Default: numbered and random ones that the seed decides. */
  ids?: IdSource | undefined

  /** Rows of the meetings interface, in place of the ready-made data set. Each needs an `id` only; see `MeetingInput` for the defaults. */
  meetings?: readonly MeetingInput[] | undefined
  /** Paths and names of the meetings interface. Default: `ASSUMED_MEETINGS_WIRE`. (Assumptions: "Meetings wire".) */
  wire?: Partial<MeetingsWire> | undefined
  /** How the list's rate limit is read. Default `sliding`. */
  limiter?: LimiterKind | undefined
  /** Do refused requests count against the rate limit too? Default false. */
  limiterCountsRefused?: boolean | undefined
  /** Does a 429 carry Retry-After? Default false. */
  retryAfter?: boolean | undefined
  /** Does a list answer hold `total`? Default true. */
  total?: boolean | undefined
  /** How the last page says that it is the last: `next_cursor` is null (default), or missing. */
  endOfList?: 'null' | 'missing' | undefined
  /** `{ "tags": [...] }` (default) or the bare array. */
  tagsShape?: 'object' | 'array' | undefined

  /** Simulated round trip. Default none. */
  latency?: Latency | undefined
  /** Called when an answer begins, handshakes included. Default: nothing. What it throws is not caught. */
  onRequest?: ((request: RecordedRequest) => void) | undefined
  /**
   * Called with what was thrown when the emulator cannot answer: a request is answered 500, a socket is closed with 1011. Default: nothing. What
   * it throws is not caught.
   */
  onError?: ((error: unknown) => void) | undefined
  /** Remember requests in `upstream.requests`? Default true; `upstream.counts` counts anyhow. */
  recordRequests?: boolean | undefined

  /** The first of two permissions to run under NODE_ENV=production; the other is STAGEPASS_EMULATOR_IN_PRODUCTION=1 in the environment. */
  allowProduction?: boolean | undefined
  /** Where NODE_ENV and STAGEPASS_EMULATOR_IN_PRODUCTION are looked up. Default `process.env`. */
  environment?: Readonly<Record<string, string | undefined>> | undefined
}

type Resolved = Required<Omit<EmulatorOptions, 'wire' | 'meetings' | 'refusalForm'>>

export interface ResolvedOptions extends Readonly<{ [TKey in keyof Resolved]: NonNullable<Resolved[TKey]> }> {
  readonly wire: MeetingsWire
  readonly meetings: readonly MeetingInput[] | undefined
  readonly refusalForm: RefusalForm | undefined
}

export function resolveOptions(options: EmulatorOptions): ResolvedOptions {
  const resolved: ResolvedOptions = {
    port: options.port ?? 0,
    host: options.host ?? '127.0.0.1',
    seed: options.seed ?? 1,
    now: options.now ?? Date.now,
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
    allowProduction: options.allowProduction ?? false,
    environment: options.environment ?? process.env,
  }
  checkWord('limiter', resolved.limiter, LIMITERS)
  checkWord('refuseBy', resolved.refuseBy, REFUSALS)
  checkWord('refusalForm', resolved.refusalForm ?? 'nested', REFUSAL_FORMS)
  checkWord('endOfList', resolved.endOfList, ['null', 'missing'])
  checkWord('tagsShape', resolved.tagsShape, ['object', 'array'])
  checkNumber('port', resolved.port)
  checkNumber('maxSessions', resolved.maxSessions)
  checkNumber('recordFrames', resolved.recordFrames)
  checkNumber('latency.ms', resolved.latency.ms)
  checkNumber('latency.jitterMs', resolved.latency.jitterMs ?? 0)
  refuseProduction(resolved)
  return resolved
}

function checkWord(name: string, value: string, words: readonly string[]): void {
  if (words.includes(value)) return
  throw new Error(`Failed to start the emulator: ${name} is "${value}". Choose one of ${words.join(', ')}.`)
}

function checkNumber(name: string, value: number): void {
  if (value >= 0) return
  throw new Error(`Failed to start the emulator: ${name} is ${value}. Give a number from 0.`)
}

/** The variable that permits, beside the option `allowProduction`, to run under NODE_ENV=production. */
const PRODUCTION_VARIABLE = 'STAGEPASS_EMULATOR_IN_PRODUCTION'

/** An emulator gives session tokens to anyone who reads its documentation, so it takes two people to put one into production. */
function refuseProduction({ environment, allowProduction }: ResolvedOptions): void {
  if (environment.NODE_ENV !== 'production') return
  if (allowProduction && environment[PRODUCTION_VARIABLE] === '1') return
  throw new Error(
    `Failed to start the emulator: NODE_ENV is "production", and an emulator is no place for real users. ` +
      `Use the real service; or, where this is meant, give both the option allowProduction and ${PRODUCTION_VARIABLE}=1.`,
  )
}
