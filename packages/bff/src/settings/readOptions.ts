import { MEETING_FIELDS, PRODUCTS } from '@stagepass/contract'
import { isIoredis, isNodeRedis, type RedisClient } from '../budget/redis/redisClient.js'
import { systemPlatform } from '../context/platform.js'
import type { BffOptions, LimitsOptions, MeetingsOptions, Settings } from './BffOptions.js'
import { readDocsUrl, readOrigins, readUrl } from './readUrl.js'
import { readWire } from './readWire.js'
import { knownKeys, refuse } from './refuse.js'
import { secretProblem } from './Secret.js'

const OPTION_NAMES: Record<keyof BffOptions, true> = {
  apiKey: true,
  baseUrl: true,
  streamingUrl: true,
  authorize: true,
  meetings: true,
  limits: true,
  redis: true,
  deadlineMs: true,
  allowedOrigins: true,
  maskAccountErrors: true,
  errorDocsUrl: true,
  onEvent: true,
  platform: true,
}
const MEETINGS_NAMES: Record<keyof MeetingsOptions, true> = {
  baseUrl: true,
  wire: true,
  account: true,
  reserve: true,
  strict: true,
  cacheMs: true,
}
const LIMIT_NAMES: Record<keyof LimitsOptions, true> = { tokensPerMinute: true, meetingsPerMinute: true }

/** Checks and defaults the options. No message holds a value that could be a secret. */
export function readOptions(options: BffOptions): Settings {
  knownKeys('the options', options, OPTION_NAMES)
  const { apiKey, authorize, onEvent } = options
  if (typeof authorize !== 'function')
    refuse(
      '"authorize" is missing or not a function',
      'Pass one that returns a grant for a signed-in user and null for everybody else',
    )
  if (apiKey === undefined)
    refuse(
      '"apiKey" is missing',
      'Pass the API key, or a function that gives it; is its environment variable set?',
    )
  if (typeof apiKey !== 'function') {
    const fault = secretProblem(apiKey)
    if (fault) refuse(`"apiKey" cannot be used: ${fault}`, 'Pass the key as the developer portal shows it')
  }
  if (onEvent !== undefined && typeof onEvent !== 'function')
    refuse('"onEvent" is not a function', 'Pass one that takes an event, or leave it out')

  const baseUrl = readUrl('baseUrl', options.baseUrl, 'https')
  const streamingUrl = readUrl('streamingUrl', options.streamingUrl, 'wss')
  const streamBase = streamingUrl.origin + streamingUrl.pathname.replace(/\/+$/, '')
  return {
    apiKey,
    baseUrl,
    streamUrls: {
      stt: streamBase + PRODUCTS.stt.path,
      tts: streamBase + PRODUCTS.tts.path,
      viva: streamBase + PRODUCTS.viva.path,
      vt: streamBase + PRODUCTS.vt.path,
    },
    authorize,
    meetings: readMeetings(options.meetings ?? {}, baseUrl),
    limits: readLimits(options.limits ?? {}),
    redis: readRedis(options.redis),
    deadlineMs: readNumber('deadlineMs', options.deadlineMs, { min: 1, max: 600_000, byDefault: 10_000 }),
    allowedOrigins: readOrigins(options.allowedOrigins),
    maskAccountErrors: readBoolean('maskAccountErrors', options.maskAccountErrors),
    errorDocsUrl: options.errorDocsUrl === undefined ? undefined : readDocsUrl(options.errorDocsUrl),
    onEvent,
    platform: { ...systemPlatform, ...options.platform },
  }
}

function readMeetings(options: MeetingsOptions, baseUrl: URL): Settings['meetings'] {
  knownKeys('"meetings"', options, MEETINGS_NAMES)
  const { account = 'main' } = options
  if (typeof account !== 'string' || !/^[\w.:-]{1,64}$/.test(account))
    refuse('"meetings.account" is not a short name', 'Use letters, digits and . : _ -')
  const wire = readWire(options.wire ?? {})
  return {
    baseUrl: options.baseUrl === undefined ? baseUrl : readUrl('meetings.baseUrl', options.baseUrl, 'https'),
    wire,
    fieldNames: new Set(['id', ...MEETING_FIELDS, ...wire.extraFields]),
    account,
    reserve: readNumber('meetings.reserve', options.reserve, { min: 0, max: 24, byDefault: 0 }),
    strict: readBoolean('meetings.strict', options.strict),
    cacheMs: readNumber('meetings.cacheMs', options.cacheMs, { min: 0, max: 60_000, byDefault: 3_000 }),
  }
}

function readRedis(client: RedisClient | undefined): RedisClient | undefined {
  if (client !== undefined && !isNodeRedis(client) && !isIoredis(client))
    refuse(
      '"redis" is neither a node-redis nor an ioredis client',
      'Pass a connected client of one of the two, or leave it out where there is one instance',
    )
  return client
}

function readLimits(options: LimitsOptions): Settings['limits'] {
  knownKeys('"limits"', options, LIMIT_NAMES)
  const limit = (name: keyof LimitsOptions, byDefault: number) =>
    options[name] === Infinity
      ? Infinity
      : readNumber(`limits.${name}`, options[name], { min: 1, max: 1_000_000_000, byDefault })
  return {
    tokensPerMinute: limit('tokensPerMinute', 30),
    meetingsPerMinute: limit('meetingsPerMinute', 120),
  }
}

function readNumber(
  name: string,
  value: number | undefined,
  { min, max, byDefault }: { min: number; max: number; byDefault: number },
): number {
  if (value === undefined) return byDefault
  if (!Number.isInteger(value) || value < min || value > max)
    refuse(`"${name}" is not a whole number from ${min} to ${max}`, `Leave it out for ${byDefault}`)
  return value
}

function readBoolean(name: string, value: boolean | undefined): boolean {
  if (value !== undefined && typeof value !== 'boolean')
    refuse(`"${name}" is not true or false`, 'Leave it out for false')
  return value ?? false
}
