import { MEETING_FIELDS, type Product, PRODUCTS, TOKEN_PATH, type Transport } from '@stagepass/contract'
import { isIoredis, isNodeRedis, type RedisClient, type RedisEval } from '@stagepass/budget'
import type { BffLogger } from '../log/createLog.js'
import { systemPlatform } from '../platform/platform.js'
import type { CommonOptions, LimitsOptions, MeetingsOptions, UpstreamDispatcher } from './BffOptions.js'
import { readBasePath, readDocsUrl, readOrigin, readOrigins, readUrl, withoutLastSlash } from './readUrl.js'
import { readWire } from './readWire.js'
import { ACCOUNT_NAME, knownKeys, refuse } from './refuse.js'
import { secretProblem } from './Secret.js'

const OPTION_NAMES =
  'apiKey baseUrl streamingUrl authorize meetings limits redis userSecret basePath origin dispatcher transport deadlineMs allowedOrigins maskAccountErrors errorDocsUrl onEvent logger telemetry platform'
const MEETINGS_NAMES = 'baseUrl wire account reserve strict cacheMs'
const LIMIT_NAMES = 'tokensPerMinute meetingsPerMinute'

const MIN_SECRET_LENGTH = 32

type Redis = RedisClient | RedisEval

/**
 * The options, checked and with their defaults. The type is inferred: a field is in `BffOptions` and here,
 * and in no third place.
 */
export type Settings = ReturnType<typeof readOptions<never>>

/** Checks and defaults the options. No message holds a value that could be a secret. */
export function readOptions<TRequest>(options: CommonOptions<TRequest>) {
  knownKeys(undefined, options, OPTION_NAMES.split(' '))
  const { apiKey, authorize, onEvent, telemetry } = options
  if (typeof authorize !== 'function')
    refuse(
      '"authorize" is missing or not a function',
      'Pass one that returns a grant for a signed-in user and null for anyone else',
    )
  if (apiKey === undefined)
    refuse(
      '"apiKey" is missing',
      'Pass the API key, or a function that gives it; is its environment variable set?',
    )
  const problem = typeof apiKey === 'function' ? undefined : secretProblem(apiKey)
  if (problem) refuse(`"apiKey" cannot be used: ${problem}`, 'Pass the key as the developer portal shows it')
  if (onEvent !== undefined && typeof onEvent !== 'function')
    refuse('"onEvent" is not a function', 'Pass one that takes an event, or leave it out')
  if (telemetry !== undefined && typeof telemetry.observe !== 'function')
    refuse('"telemetry" cannot follow requests', 'Use instrument of @stagepass/bff/otel, or leave it out')
  if (options.dispatcher !== undefined && options.transport !== undefined)
    refuse('"dispatcher" and "transport" are both given', 'Pass one: each sends every upstream request')
  const baseUrl = readUrl('baseUrl', options.baseUrl, 'https', [TOKEN_PATH])
  const meetings = readMeetings(options.meetings ?? {}, baseUrl)
  if (options.userSecret !== undefined) checkSecret('userSecret', options.userSecret)
  return {
    apiKey,
    baseUrl,
    streamUrls: readStreamUrls(options.streamingUrl),
    authorize,
    meetings,
    limits: readLimits(options.limits ?? {}),
    redis: readRedis(options.redis),
    userSecret: options.userSecret,
    basePath: options.basePath === undefined ? undefined : readBasePath(options.basePath),
    origin: options.origin === undefined ? undefined : readOrigin(options.origin),
    dispatcher: readDispatcher(options.dispatcher),
    transport: readTransport(options.transport),
    deadlineMs: readNumber('deadlineMs', options.deadlineMs, 10_000, 1, 600_000),
    allowedOrigins: readOrigins(options.allowedOrigins),
    maskAccountErrors: readBoolean('maskAccountErrors', options.maskAccountErrors),
    errorDocsUrl: options.errorDocsUrl === undefined ? undefined : readDocsUrl(options.errorDocsUrl),
    onEvent,
    logger: readLogger(options.logger),
    telemetry,
    platform: { ...systemPlatform, ...options.platform },
  }
}

/** Where each product's socket is, without any credential. */
function readStreamUrls(streamingUrl: string | undefined): Readonly<Record<Product, string>> {
  const { stt, tts, viva, vt } = PRODUCTS
  const paths = [stt, tts, viva, vt].map(({ path }) => path)
  const { origin, pathname } = readUrl('streamingUrl', streamingUrl, 'wss', paths)
  const base = origin + withoutLastSlash(pathname)
  return { stt: base + stt.path, tts: base + tts.path, viva: base + viva.path, vt: base + vt.path }
}

function readMeetings(options: MeetingsOptions, baseUrl: URL) {
  knownKeys('"meetings"', options, MEETINGS_NAMES.split(' '))
  const { account = 'main' } = options
  if (typeof account !== 'string' || !ACCOUNT_NAME.test(account))
    refuse('"meetings.account" is not a short name', 'Use letters, digits and . : _ -')
  const wire = readWire(options.wire ?? {})
  return {
    baseUrl:
      options.baseUrl === undefined
        ? baseUrl
        : readUrl('meetings.baseUrl', options.baseUrl, 'https', [wire.listPath, wire.tagsPath]),
    wire,
    /** Every name that `fields` may hold. */
    fieldNames: new Set<string>(['id', ...MEETING_FIELDS, ...wire.extraFields]),
    account,
    reserve: readNumber('meetings.reserve', options.reserve, 0, 0, 24),
    strict: readBoolean('meetings.strict', options.strict),
    cacheMs: readNumber('meetings.cacheMs', options.cacheMs, 3_000, 0, 60_000),
  }
}

function checkSecret(name: string, value: string | undefined): void {
  if (typeof value !== 'string' || value.length < MIN_SECRET_LENGTH)
    refuse(
      `"${name}" is not a text of ${MIN_SECRET_LENGTH} characters or more`,
      'Use a random one, such as the output of: openssl rand -base64 32; is its environment variable set?',
    )
}

function readRedis(client: Redis | undefined): Redis | undefined {
  if (client !== undefined && typeof client !== 'function' && !isNodeRedis(client) && !isIoredis(client))
    refuse(
      '"redis" is neither a node-redis nor an ioredis client, nor a function that runs a script',
      'Pass a connected client of one of the two, or leave it out where there is one instance',
    )
  return client
}

function readDispatcher(dispatcher: UpstreamDispatcher | undefined): UpstreamDispatcher | undefined {
  if (dispatcher !== undefined && typeof dispatcher?.dispatch !== 'function')
    refuse(
      '"dispatcher" is not a dispatcher of undici',
      'Pass one such as new ProxyAgent("http://proxy:3128"); an Agent of node:http is not one',
    )
  return dispatcher
}

function readTransport(transport: Transport | undefined): Transport | undefined {
  if (transport !== undefined && typeof transport?.send !== 'function')
    refuse('"transport" cannot send requests', 'Pass the one of the emulator in a page, or leave it out')
  return transport
}

function readLogger(logger: BffLogger | false | undefined): BffLogger | undefined {
  if (logger === false) return undefined
  const given = logger ?? globalThis.console
  if (typeof given.warn !== 'function' || typeof given.error !== 'function')
    refuse('"logger" has no functions "warn" and "error"', 'Pass one such as console, or false for no lines')
  return given
}

function readLimits(options: LimitsOptions) {
  knownKeys('"limits"', options, LIMIT_NAMES.split(' '))
  const limit = (name: keyof LimitsOptions, byDefault: number): number =>
    options[name] === Infinity
      ? Infinity
      : readNumber(`limits.${name}`, options[name], byDefault, 1, 1_000_000_000)
  return {
    tokensPerMinute: limit('tokensPerMinute', 30),
    meetingsPerMinute: limit('meetingsPerMinute', 120),
  }
}

function readNumber(
  name: string,
  value: number | undefined,
  byDefault: number,
  min: number,
  max: number,
): number {
  if (value === undefined) return byDefault
  if (!Number.isInteger(value) || value < min || value > max)
    refuse(`"${name}" is not a whole number from ${min} to ${max}`, `Leave it out for ${byDefault}`)
  return value
}

function readBoolean(name: string, value = false): boolean {
  if (typeof value !== 'boolean') refuse(`"${name}" is not true or false`, 'Leave it out for false')
  return value
}
