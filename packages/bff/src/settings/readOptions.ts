import {
  DEFAULT_DEADLINE_MS,
  MEETING_FIELDS,
  PRODUCT_NAMES,
  PRODUCTS,
  resolveMeetingsWire,
  TOKEN_PATH,
  type Transport,
} from '@stagepass/contract'
import { isIoredis, isNodeRedis, type RedisClient, type RedisEval } from '@stagepass/budget'
import { z } from 'zod'
import type { BffEvent } from '../telemetry/events.js'
import type { Telemetry } from '../telemetry/Telemetry.js'
import type { BffLogger } from '../telemetry/createLog.js'
import { type Platform, systemPlatform } from '../base/platform.js'
import { byProduct } from '../base/byProduct.js'
import { address, endProblem, isBasePath, withoutLastSlash } from '../base/addresses.js'
import type {
  CommonOptions,
  LimitsOptions,
  MeetingsOptions,
  SessionsOptions,
  UpstreamDispatcher,
} from './BffOptions.js'
import { isWebOrigin, listedOriginProblem } from './origins.js'
import { accountName, objectOf, parseOptions, refuse, type ShapeOf, whole } from '../base/schema.js'
import { copyProblem, secret } from '../base/Secret.js'
import { hasSecret, SECRET_IN_QUERY, streamQuery } from '../base/streamQuery.js'

const number = (byDefault: number, min: number, max: number, alsoInfinity = false) =>
  z
    .custom<number>(
      (value) =>
        (Number.isInteger(value) && Number(value) >= min && Number(value) <= max) ||
        (alsoInfinity && value === Infinity),
      `is not a whole number from ${min} to ${max}{seen}. Leave it out for ${byDefault}.`,
    )
    .default(byDefault)

const MOST_SESSIONS = 100_000

const sessionCount = (allows: string) =>
  whole(
    `is not a whole number from 1 to ${MOST_SESSIONS}{seen}. Pass the number of sessions that ${allows} at once, or leave it out.`,
    1,
    MOST_SESSIONS,
  )

const flag = z.boolean('is not true or false{seen}. Leave it out for false.').default(false)

/** An object with functions of these names. It may have other members. */
const withFunctions = <TValue>(names: readonly string[], error: string) =>
  z.custom<TValue>(
    (value) => names.every((name) => typeof Reflect.get(Object(value), name) === 'function'),
    error,
  )

const NO_USER_SECRET =
  'is not a text of 32 characters or more{seen}. Use a random one, such as the output of: openssl rand -base64 32; is its environment variable set?'

const MeetingsSchema = objectOf({
  baseUrl: address('https').optional(),
  wire: z
    .custom<MeetingsOptions['wire']>()
    .transform((wire) =>
      resolveMeetingsWire(wire, (part, problem) => refuse(`"meetings.wire${part && `.${part}`}" ${problem}`)),
    )
    .prefault({}),
  account: accountName.default('main'),
  reserve: number(0, 0, 24),
  strict: flag,
  cacheMs: number(3_000, 0, 60_000),
} satisfies ShapeOf<MeetingsOptions>).superRefine(({ baseUrl, wire }, context) => {
  const message = baseUrl && endProblem(baseUrl, [wire.listPath, wire.tagsPath])
  if (message) context.addIssue({ code: 'custom', path: ['baseUrl'], message })
})

const apiKey = secret(
  'Pass the key as the developer portal shows it, or a function that returns it; is its environment variable set?',
)

const OptionsSchema = objectOf({
  apiKey: apiKey.optional(),
  baseUrl: address('https', [TOKEN_PATH]),
  streamingUrl: address(
    'wss',
    PRODUCT_NAMES.map((name) => PRODUCTS[name].path),
  ),
  authorize: z.custom<CommonOptions<never>['authorize']>(
    (value) => typeof value === 'function',
    'is missing or not a function{seen}. Pass one that returns a grant for a signed-in user and null for anyone else.',
  ),
  streamQuery: streamQuery.optional(),
  meetings: MeetingsSchema.prefault({}),
  limits: objectOf({
    tokensPerMinute: number(30, 1, 1_000_000_000, true),
    meetingsPerMinute: number(120, 1, 1_000_000_000, true),
    vitalsPerMinute: number(10, 1, 1_000_000_000, true),
    sessionsPerMinute: number(600, 1, 1_000_000_000, true),
  } satisfies ShapeOf<LimitsOptions>).prefault({}),
  sessions: objectOf(
    {
      max: sessionCount('the service allows').optional(),
      perUser: sessionCount('one user may have').optional(),
      reserve: number(0, 0, MOST_SESSIONS - 1),
    } satisfies ShapeOf<SessionsOptions>,
    'is not an object{seen}. Pass { max } with the number that the service allows, or {} to learn it.',
  )
    .superRefine(({ max, reserve }, context) => {
      if (reserve === 0 || (max !== undefined && reserve < max)) return
      const message =
        max === undefined
          ? 'is a part of "max". Pass "max" too, or leave it out.'
          : `leaves no session of ${max}. Pass a smaller number, or a larger "max".`
      context.addIssue({ code: 'custom', path: ['reserve'], message })
    })
    .optional(),
  redis: z
    .custom<RedisClient | RedisEval>(
      (value) => typeof value === 'function' || isNodeRedis(value) || isIoredis(value),
      'is neither a node-redis nor an ioredis client, nor a function that runs a script. Pass a connected client of one of the two, or leave it out if there is only one instance.',
    )
    .optional(),
  userSecret: z
    .string(NO_USER_SECRET)
    .min(32, NO_USER_SECRET)
    .superRefine((value, context) => {
      const problem = copyProblem(value)
      if (problem !== undefined)
        context.addIssue(`cannot be used: ${problem}. All instances need the same text.`)
    })
    .optional(),
  basePath: z
    .custom<string>(
      isBasePath,
      'is not a path. Use the path of the routes from the root of the server, without a wildcard: /api/voice.',
    )
    .transform(withoutLastSlash)
    .optional(),
  origin: z
    .custom<string>(
      isWebOrigin,
      'is not an origin. Use what the browser\'s address bar shows, without a path: https://app.example.com. The origin of a page of an application belongs in "allowedOrigins".',
    )
    .optional(),
  dispatcher: withFunctions<UpstreamDispatcher>(
    ['dispatch'],
    'is not a dispatcher of undici. Pass one such as new ProxyAgent("http://proxy:3128"); an Agent of node:http is not one.',
  ).optional(),
  transport: withFunctions<Transport>(
    ['send'],
    'has no function "send". Pass the transport of the emulator in a page, or leave it out.',
  ).optional(),
  deadlineMs: number(DEFAULT_DEADLINE_MS, 1, 600_000),
  allowedOrigins: z
    .custom<readonly string[] | ((origin: string) => boolean)>(
      (value) => Array.isArray(value) || typeof value === 'function',
      'is not a list of origins{seen}. List exact origins, such as https://app.example.com or capacitor://localhost, or pass a function of an origin that returns true or false.',
    )
    .superRefine((list, context) => {
      const problem = Array.isArray(list) && list.map(listedOriginProblem).find(Boolean)
      if (problem) context.addIssue(`is not a list of origins. ${problem}`)
    })
    .default([]),
  maskAccountErrors: flag,
  vitals: flag,
  onEvent: z
    .custom<(event: BffEvent) => unknown>(
      (value) => typeof value === 'function',
      'is not a function{seen}. Pass one that takes an event, or leave it out.',
    )
    .optional(),
  logger: z
    .union(
      [z.literal(false), withFunctions<BffLogger>(['warn', 'error'], '')],
      'has no functions "warn" and "error". Pass one such as console, or false for no lines.',
    )
    .optional(),
  telemetry: withFunctions<Telemetry>(
    ['observe'],
    'has no function "observe". Use instrument of @stagepass/bff/otel, or leave it out.',
  ).optional(),
  platform: z.custom<Partial<Platform>>().optional(),
} satisfies ShapeOf<CommonOptions<never>>)

/** Checked options with their defaults. */
export type Settings = ReturnType<typeof readOptions>

/** Checks the options and adds the defaults. Throws a `TypeError` with a remedy. */
export function readOptions(options: CommonOptions<never>) {
  const {
    streamingUrl,
    meetings,
    logger = globalThis.console,
    ...rest
  } = parseOptions(OptionsSchema, options)
  // Left out is a decision: each grant has a key. `apiKey: undefined` is a variable that is not set.
  if (Object.hasOwn(options, 'apiKey')) parseOptions(objectOf({ apiKey }), { apiKey: options.apiKey })
  if (rest.dispatcher && rest.transport)
    refuse('"dispatcher" and "transport" are both given. Pass only one: each sends every upstream request.')
  if (rest.sessions && rest.redis && rest.userSecret === undefined)
    refuse(
      '"sessions" with "redis" needs a secret that all instances share, because each must be able to read the leases of the others. Set "userSecret" to a random text, such as the output of: openssl rand -base64 32.',
    )
  if (hasSecret(rest.streamQuery, [rest.apiKey])) refuse(`"streamQuery" ${SECRET_IN_QUERY}`)
  const base = streamingUrl.origin + withoutLastSlash(streamingUrl.pathname)
  return {
    ...rest,
    /** Addresses of the products' sockets, without a credential. */
    streamUrls: byProduct((product) => base + PRODUCTS[product].path),
    meetings: {
      ...meetings,
      baseUrl: meetings.baseUrl ?? rest.baseUrl,
      /** Every name that `fields` may contain. */
      fieldNames: new Set<string>(['id', ...MEETING_FIELDS, ...meetings.wire.extraFields]),
    },
    allowedOrigins:
      typeof rest.allowedOrigins === 'function' ? rest.allowedOrigins : new Set(rest.allowedOrigins),
    logger: logger || undefined,
    platform: { ...systemPlatform, ...rest.platform },
  }
}
