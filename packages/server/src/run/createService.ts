import { createBff, type UpstreamDispatcher } from '@stagepass/bff'
import { fromJwt, fromUrl, type HostRequest } from '@stagepass/bff/authorize'
import { createClient } from 'redis'
import { codeOf, type ReadSettings } from '../settings/readSettings.js'
import { readRedisAddress } from '../settings/redisAddress.js'
import type { SecretName, SettingName } from '../settings/schema.js'
import { readSecretFile } from '../settings/texts.js'
import type { WriteLine } from './createLines.js'
import type { Metrics } from './startMetrics.js'

/** A BFF with its resources. */
export interface Service {
  readonly bff: ReturnType<typeof createBff<HostRequest>>
  /** Drains the BFF, then disconnects from Redis. */
  close(): Promise<void>
}

/** Path of the routes on the site, the same as in the examples of the hooks. */
export const BASE_PATH = '/api/voice'

/**
 * Longest wait for Redis at the start. After it the BFF starts without Redis, and uses it as soon as it is
 * connected.
 */
const REDIS_START_MS = 2_000

/** Creates a BFF from the settings: only `createBff` with `fromUrl` or `fromJwt`. */
export async function createService(
  { settings, files }: ReadSettings,
  dispatcher: UpstreamDispatcher | undefined,
  metrics: Metrics | undefined,
  line: WriteLine,
): Promise<Service> {
  /** A secret in a file is read again: every minute in the background, and when the service refuses it. */
  const secret = <TName extends SecretName>(name: TName) => {
    const path = files[name]
    if (path === undefined) return settings[name]
    // One read at a time: on a file system that hangs, each takes a thread.
    let reading: Promise<string> | undefined
    return () => (reading ??= readSecretFile(path).finally(() => (reading = undefined)))
  }
  const redis = await connectRedis(settings.STAGEPASS_REDIS_URL, line)
  const meetingsCredential = secret('VOICE_MEETINGS_TOKEN')
  const apiKey = secret('VOICE_API_KEY')
  if (apiKey === undefined) {
    const text =
      'VOICE_API_KEY is not set. So each grant of STAGEPASS_AUTHORIZE_URL needs "apiKey" and "account".'
    line('warn', 'log', { text })
  }
  const options = {
    ...(apiKey !== undefined && { apiKey }),
    baseUrl: settings.VOICE_BASE_URL,
    streamingUrl: settings.VOICE_STREAMING_URL,
    authorize:
      settings.STAGEPASS_JWKS_URL === undefined
        ? fromUrl({ url: settings.STAGEPASS_AUTHORIZE_URL, meetingsCredential })
        : fromJwt({
            jwksUrl: settings.STAGEPASS_JWKS_URL,
            issuer: settings.STAGEPASS_JWT_ISSUER,
            audience: settings.STAGEPASS_JWT_AUDIENCE,
            audienceClaim: settings.STAGEPASS_JWT_AUDIENCE_CLAIM,
            meetingsCredential,
          }),
    basePath: BASE_PATH,
    origin: settings.STAGEPASS_ORIGIN,
    meetings: { baseUrl: settings.VOICE_MEETINGS_URL, wire: settings.STAGEPASS_MEETINGS_WIRE },
    sessions: settings.STAGEPASS_SESSIONS,
    vitals: settings.STAGEPASS_VITALS !== undefined,
    redis,
    dispatcher,
    userSecret: settings.STAGEPASS_USER_SECRET,
    logger: {
      warn: (text: string) => line('warn', 'log', { text }),
      error: (text: string) => line('error', 'log', { text }),
    },
    onEvent: (event: { readonly type: string }) => line('info', event.type, event),
  }
  try {
    const bff = createBff<HostRequest>(
      metrics?.instrument<HostRequest>(options, settings.STAGEPASS_VITALS) ?? options,
    )
    return {
      bff,
      async close() {
        await bff.close()
        redis?.destroy()
      },
    }
  } catch (error) {
    // Otherwise its connection keeps the process alive.
    redis?.destroy()
    throw error instanceof TypeError ? new TypeError(withSettings(error.message)) : error
  }
}

const SETTINGS: Readonly<Record<string, SettingName>> = {
  apiKey: 'VOICE_API_KEY',
  baseUrl: 'VOICE_BASE_URL',
  streamingUrl: 'VOICE_STREAMING_URL',
  origin: 'STAGEPASS_ORIGIN',
  userSecret: 'STAGEPASS_USER_SECRET',
  'meetings.baseUrl': 'VOICE_MEETINGS_URL',
  'meetings.wire': 'STAGEPASS_MEETINGS_WIRE',
  sessions: 'STAGEPASS_SESSIONS',
  vitals: 'STAGEPASS_VITALS',
}

/** Names the settings in a message of `createBff`, which names its options. */
const withSettings = (message: string): string =>
  message.replaceAll(/"(meetings\.\w+|\w+)((?:\.\w+)*)"/g, (whole, option: string, rest: string) =>
    SETTINGS[option] === undefined
      ? whole
      : `"${rest.slice(1)}" of ${SETTINGS[option]}`.replace('"" of ', ''),
  )

async function connectRedis(url: string | undefined, line: WriteLine) {
  if (url === undefined) return undefined
  const address = readRedisAddress(url)
  // The settings were checked.
  if (typeof address === 'string') return undefined
  const client = createClient({ ...address, disableOfflineQueue: true })
  let isLost = false
  client.on('error', (error: unknown) => {
    if (!isLost) line('warn', 'redis.lost', { code: codeOf(error) })
    isLost = true
  })
  client.on('ready', () => {
    isLost = false
    line('info', 'redis.connected')
  })
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, REDIS_START_MS)))
  // The client continues to try, and the listener above reports it.
  await Promise.race([client.connect().catch(() => undefined), late])
  clearTimeout(timer)
  return client
}
