import type { MeetingsWireOptions, Transport } from '@stagepass/contract'
import type { RedisClient, RedisEval } from '@stagepass/budget'
import type { BffLogger } from '../telemetry/createLog.js'
import type { BffEvent } from '../telemetry/events.js'
import type { Platform } from '../base/platform.js'
import type { Telemetry } from '../telemetry/Telemetry.js'
import type { Grant } from '../grant/Grant.js'
import type { Secret } from '../base/Secret.js'
import type { StreamQuery } from '../base/streamQuery.js'

/**
 * Returns the grant of the signed-in user. For a falsy value the response is 401; if it throws, 503. It must
 * finish within `deadlineMs`. The parameter is the host's own request: annotate it with the host's type, such
 * as the `Request` of Express.
 */
export type Authorize<TRequest> = (req: TRequest) => MaybeGrant | Promise<MaybeGrant>
type MaybeGrant = Grant | null | undefined | false | 0 | ''

/**
 * The part of undici's `Dispatcher` that is used. Any dispatcher of undici 7 or 8 fits, whichever types are
 * installed.
 */
export interface UpstreamDispatcher {
  dispatch(options: object, handler: object): boolean
}

/**
 * Options of `createBff` in every runtime. All are checked at creation. A wrong value throws an error with a
 * remedy.
 */
export interface CommonOptions<TRequest> {
  /**
   * The long-lived API key of the token endpoint. Leave it out only if each grant has an `apiKey`. If it is
   * given, it must have a value, so that a missing environment variable is noticed.
   */
  readonly apiKey?: Secret | undefined
  /** `{base_url}` of the token endpoint: https, or http on loopback. Required. */
  readonly baseUrl: string | undefined
  /** `{streaming_url}` of the sockets: wss, or ws on loopback. Required. */
  readonly streamingUrl: string | undefined
  /**
   * Parameters of the sockets' addresses by product, such as `{ stt: { language: 'en' } }`. The page sees
   * them, so names and values of secrets are refused. A grant can add others. Default: none.
   */
  readonly streamQuery?: StreamQuery | undefined
  /** Decides which user may do what. Required, because without it anyone could use your account. */
  readonly authorize: Authorize<TRequest>
  readonly meetings?: MeetingsOptions | undefined
  readonly limits?: LimitsOptions | undefined
  /**
   * Shares the simultaneous sessions of an account among its users: fair by user, in one queue of all instances.
   * `{}`: the number is learned. With `redis` it needs `userSecret`. Default: they are not shared, and a page
   * that is refused tries again by itself.
   */
  readonly sessions?: SessionsOptions | undefined
  /**
   * Shares the meetings budget and the limits among all instances, in Redis 7 or Valkey: a connected client
   * of `redis` (node-redis) or `ioredis`, or a function that runs a Lua script. Close it yourself, after the
   * BFF. Default: each process counts for itself.
   */
  readonly redis?: RedisClient | RedisEval | undefined
  /**
   * A random text of 32 characters or more. It hides the user ids in Redis, which are otherwise plain hashes:
   * anyone who can read Redis can find short ids by trying them. It also signs the receipts of `usage`, so it
   * is required with `redis` and `usage` in a grant.
   */
  readonly userSecret?: string | undefined
  /**
   * Path of the BFF from the root of the server, such as `/api/voice`. Needed if the host does not remove it
   * from the path of a request. Default: the host removes it, as `app.use('/api/voice', bff)` in Express
   * does. If it is set, both kinds of hosts work.
   */
  readonly basePath?: string | undefined
  /**
   * The origin of this server in browsers, such as `https://app.example.com`. Needed if a proxy hides it.
   * Default: the host's own value, from `Host` and TLS, or from `trust proxy` in Express. `X-Forwarded-*` is
   * not trusted.
   */
  readonly origin?: string | undefined
  /**
   * A dispatcher of undici, such as `new ProxyAgent(…)`, for a company proxy, your own CA, or mTLS. It sends
   * every upstream request, and the handshake of a check. The BFF does not close it. Not supported in
   * Cloudflare Workers and in pages. Default: the BFF's own connections.
   */
  readonly dispatcher?: UpstreamDispatcher | undefined
  /**
   * Replaces the transport of the runtime for every upstream request. The emulator in a page provides one.
   */
  readonly transport?: Transport | undefined
  /**
   * One deadline for queue, retries and upstream request together, in milliseconds. Default 10,000. The page
   * waits as long: the first response tells it.
   */
  readonly deadlineMs?: number | undefined
  /**
   * Other origins whose pages may send requests, such as `https://app.example.com`, or `capacitor://localhost`
   * of an application; or a function of the origin, for preview deployments (docs/security.md, "Origins by a
   * function"). Default: same origin only.
   *
   * The function is called with the `Origin` of each request, exactly as the browser sends it, and never with
   * `null`. Only `true` means yes. If it throws, or returns a promise or any other value, that means no, with
   * an event. Compare the whole origin: pages of others have origins that contain yours.
   */
  readonly allowedOrigins?: readonly string[] | ((origin: string) => boolean) | undefined
  /**
   * Replaces errors about the account (key, payment, usage) by 503 SERVICE_UNAVAILABLE. Events keep the exact
   * code. Default false.
   */
  readonly maskAccountErrors?: boolean | undefined
  /**
   * Takes the figures that pages measure with `vitals` of `createVoiceClient`, by `POST /vitals`: as events
   * `page.vitals`, and with `instrument` as metrics (docs/vitals.md). Default false: the route is 404.
   */
  readonly vitals?: boolean | undefined
  /** Called with each event. Events contain no secrets. An error in the function is ignored. */
  readonly onEvent?: ((event: BffEvent) => unknown) | undefined
  /**
   * Gets a line for each problem that an operator must act on, with the cause and a remedy, at most once a
   * minute. Lines contain no secrets. Unless `NODE_ENV` is `production`, it also gets the reasons of refused
   * requests, and the messages of errors that `authorize` threw. Default: `console`. `false`: no lines.
   */
  readonly logger?: BffLogger | false | undefined
  /** Observes requests, for tracing. Set by `instrument` of `@stagepass/bff/otel`. */
  readonly telemetry?: Telemetry | undefined
  /** Clock and random numbers, for tests. */
  readonly platform?: Partial<Platform> | undefined
}

/** Option `meetings`: the meetings interface, its account and the cache. Each part has a default. */
export interface MeetingsOptions {
  /** Base of the meetings interface. Default: `baseUrl`. */
  readonly baseUrl?: string | undefined
  /**
   * Paths and names of the interface. Parts that are not given are those of `ASSUMED_MEETINGS_WIRE`.
   * (Assumptions: "Meetings wire".)
   */
  readonly wire?: MeetingsWireOptions | undefined
  /** Name of the account whose request budget is shared. A grant can name another account. Default `main`. */
  readonly account?: string | undefined
  /** Number of the 25 slots per 5 s to keep free for other programs on the account, 0 to 24. Default 0. */
  readonly reserve?: number | undefined
  /**
   * Never sends more than 5 requests in any second. Default false: a burst may have more. Set it if there are
   * events `budget.limit` with the reason `foreign-use`.
   */
  readonly strict?: boolean | undefined
  /**
   * Time for which a stored page counts as fresh, in milliseconds, at most 60,000. 0 turns the cache off.
   * Default 3,000.
   */
  readonly cacheMs?: number | undefined
}

/** Requests of one user of the grant in one minute, refused ones too. */
export interface LimitsOptions {
  /** Token requests and handshake checks of one user. Default 30. `Infinity`: no limit. */
  readonly tokensPerMinute?: number | undefined
  /** The same for the meetings routes, `/usage`, and paths without a route. Default 120. `Infinity`: no limit. */
  readonly meetingsPerMinute?: number | undefined
  /**
   * Reports of pages of one user, with `vitals`. A page sends one in a minute, and one when it is hidden or
   * goes. Default 10. `Infinity`: no limit.
   */
  readonly vitalsPerMinute?: number | undefined
  /**
   * Requests of one user for a session, renewals and ends, with `sessions`. A page that waits sends up to 60, and
   * one with a session about 7. Default 600. `Infinity`: no limit.
   */
  readonly sessionsPerMinute?: number | undefined
}

/** Option `sessions`: the simultaneous sessions of an account. Each account has as many. */
export interface SessionsOptions {
  /**
   * Sessions that the service allows an account to have open at once. A grant may have another number for its
   * account. Default: learned from refusals.
   */
  readonly max?: number | undefined
  /** Sessions that one user may have open at once. Default: as many as there are. */
  readonly perUser?: number | undefined
  /** Sessions of `max` that stay free, for other programs on the same account. Default 0. */
  readonly reserve?: number | undefined
}
