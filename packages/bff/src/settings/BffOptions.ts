import type { MeetingsWire, Transport } from '@stagepass/contract'
import type { RedisClient, RedisEval } from '@stagepass/budget'
import type { BffLogger } from '../log/createLog.js'
import type { BffEvent } from '../events/events.js'
import type { Platform } from '../platform/platform.js'
import type { Telemetry } from '../events/Telemetry.js'
import type { Grant } from './Grant.js'
import type { Secret } from './Secret.js'

/**
 * Returns the grant of the signed-in user, or a falsy value: then the response is 401. It must finish within
 * `deadlineMs`. If it throws, 503. It gets the host's own request. Annotate the parameter with the host's
 * type, such as the `Request` of Express.
 */
export type Authorize<TRequest> = (req: TRequest) => MaybeGrant | Promise<MaybeGrant>
type MaybeGrant = Grant | null | undefined | false | 0 | ''

/**
 * The part of undici's `Dispatcher` that is used. A dispatcher of undici 7 or 8 fits, whichever types are
 * installed.
 */
export interface UpstreamDispatcher {
  dispatch(options: object, handler: object): boolean
}

/**
 * Options of `createBff` in every runtime. All are checked at creation; a bad value throws an error that says
 * what to do.
 */
export interface CommonOptions<TRequest> {
  /** The long-lived API key of the token endpoint. Required. */
  readonly apiKey: Secret | undefined
  /** `{base_url}` of the token endpoint: https, or http on loopback. Required. */
  readonly baseUrl: string | undefined
  /** `{streaming_url}` of the sockets: wss, or ws on loopback. Required. */
  readonly streamingUrl: string | undefined
  /** Required. Without it anyone could use your account. */
  readonly authorize: Authorize<TRequest>
  readonly meetings?: MeetingsOptions | undefined
  readonly limits?: LimitsOptions | undefined
  /**
   * A connected client of `redis` (node-redis) or `ioredis`, to Redis 7 or Valkey. It makes the meetings
   * budget and the limits one for all instances. Or a function that runs a Lua script, for another client,
   * such as one over HTTP. The BFF does not close it: close it after the BFF. Default: each process counts
   * for itself.
   */
  readonly redis?: RedisClient | RedisEval | undefined
  /**
   * Users are in Redis under names that are made with this secret, a random text of 32 characters or more.
   * Without it the names are plain hashes: anyone who can read Redis can find short ids by trying. It also
   * signs the receipts of `usage`, so with `redis` and `usage` in a grant it is required.
   */
  readonly userSecret?: string | undefined
  /**
   * Path of the BFF from the root of the server, such as `/api/voice`, for hosts that leave it in the path of
   * a request. Default: the host takes it away, as `app.use('/api/voice', bff)` of Express does. With the
   * option both are right.
   */
  readonly basePath?: string | undefined
  /**
   * The origin under which browsers see this server, such as `https://app.example.com`, if a proxy in front
   * hides it. Default: what the host says, from `Host` and TLS, or from `trust proxy` in Express.
   * `X-Forwarded-*` is not trusted.
   */
  readonly origin?: string | undefined
  /**
   * Sends every upstream request, also the WebSocket handshake of a check: for a company proxy, a CA of your
   * own, mTLS. A dispatcher of undici, such as `new ProxyAgent(…)`. The BFF does not close it. Not in
   * Cloudflare Workers and pages. Default: connections of its own.
   */
  readonly dispatcher?: UpstreamDispatcher | undefined
  /** Sends every upstream request in another way than the runtime's own. The emulator in a page gives one. */
  readonly transport?: Transport | undefined
  /** One deadline over queue, retries and upstream request. Default 10,000. */
  readonly deadlineMs?: number | undefined
  /** Other origins whose pages may call, such as `https://app.example.com`. Default: same origin only. */
  readonly allowedOrigins?: readonly string[] | undefined
  /**
   * Hides errors about the account (key, payment, usage) behind 503 SERVICE_UNAVAILABLE; events keep the
   * exact code. Default false.
   */
  readonly maskAccountErrors?: boolean | undefined
  /**
   * Page of error codes for a problem's `type`; the code in lower case is its fragment. Default: a URN,
   * `urn:stagepass:error:<CODE>`.
   */
  readonly errorDocsUrl?: string | undefined
  /** Called with each event. Events hold no secrets. An error in it is ignored. */
  readonly onEvent?: ((event: BffEvent) => unknown) | undefined
  /**
   * Gets a line for what an operator must act on: what was seen, and what to do. Each problem at most once a
   * minute. Unless `NODE_ENV` is `production`, also why requests were refused, and what `authorize` threw,
   * with its message. Else lines hold no secrets. Default: `console`; `false`: no lines.
   */
  readonly logger?: BffLogger | false | undefined
  /** Follows requests from inside. `instrument` of `@stagepass/bff/otel` sets it. */
  readonly telemetry?: Telemetry | undefined
  /** Clock and randomness, for tests. */
  readonly platform?: Partial<Platform> | undefined
}

/** Option `meetings`: the interface, its account and the cache. Each part has a default. */
export interface MeetingsOptions {
  /** Base of the meetings interface. Default: `baseUrl`. */
  readonly baseUrl?: string | undefined
  /**
   * Paths and names of the interface. Default: `ASSUMED_MEETINGS_WIRE`; any part can be given. (Assumptions:
   * "Meetings wire".)
   */
  readonly wire?: MeetingsWireOptions | undefined
  /**
   * Name of the account whose request budget is shared. A grant can name another one. Default `main`.
   */
  readonly account?: string | undefined
  /** Slots of the 25 per 5 s that are left to other programs on the account, 0 to 24. Default 0. */
  readonly reserve?: number | undefined
  /**
   * Never more than 5 requests in any one second. Default false: a burst may have more, and 429s with the
   * reason `foreign-use` show whether it is needed.
   */
  readonly strict?: boolean | undefined
  /**
   * How long a page may be served again, in milliseconds, at most 60,000; 0 turns the cache off. Default
   * 3,000.
   */
  readonly cacheMs?: number | undefined
}

type Optional<TPart> = { readonly [Key in keyof TPart]?: TPart[Key] | undefined }

/** Any part of the wire. The rest is as in `ASSUMED_MEETINGS_WIRE`. */
export interface MeetingsWireOptions extends Optional<
  Omit<MeetingsWire, 'params' | 'order' | 'ownershipWords'>
> {
  readonly params?: Optional<MeetingsWire['params']> | undefined
  readonly order?: Optional<MeetingsWire['order']> | undefined
  readonly ownershipWords?: Optional<MeetingsWire['ownershipWords']> | undefined
}

/** Requests of one grant user in one minute; `Infinity` is no limit. */
export interface LimitsOptions {
  /** Default 30. Handshake checks count too. */
  readonly tokensPerMinute?: number | undefined
  /** Default 120. Requests of `/usage` count too. */
  readonly meetingsPerMinute?: number | undefined
}
