import type { AddressInfo } from 'node:net'
import { createBff, type RedisClient, type SessionsOptions } from '@stagepass/bff'
import express from 'express'

/*
 * One instance as an operator runs it: its own process with Express, the BFF and a client of Redis. It prints
 * its port.
 */

interface InstanceSettings {
  readonly socketPath: string
  readonly client: 'node-redis' | 'ioredis'
  readonly apiKey: string
  readonly baseUrl: string
  readonly streamingUrl: string
  readonly meetingsUrl: string
  readonly credential: string
  /** Option `cacheMs`. */
  readonly cacheMs: number
  readonly sessions?: SessionsOptions
}

// Written by `startFleet`.
const settings = JSON.parse(process.argv[2] ?? '') as InstanceSettings

async function connect(): Promise<RedisClient> {
  // Loaded here, because each of the four processes of a test needs only one client, and loading takes a part
  // of a second.
  if (settings.client === 'ioredis') {
    const { Redis } = await import('ioredis')
    const redis = new Redis({ path: settings.socketPath, maxRetriesPerRequest: 1 })
    return redis.on('error', () => undefined)
  }
  const { createClient } = await import('redis')
  const client = createClient({ socket: { path: settings.socketPath, tls: false, reconnectStrategy: 50 } })
  return client.on('error', () => undefined).connect()
}

const minutesOf = (header: string | undefined) =>
  header === undefined ? undefined : { minutesPerDay: Number(header) }

/** If the user has an own account, it has its own credential. */
const meetingsOf = (account: string | undefined) =>
  account === undefined ? { credential: settings.credential } : { account, credential: `key of ${account}` }

const app = express()
app.use(
  createBff({
    apiKey: settings.apiKey,
    baseUrl: settings.baseUrl,
    streamingUrl: settings.streamingUrl,
    redis: await connect(),
    logger: false,
    authorize: (req) => ({
      user: req.get('x-user') ?? 'nobody',
      meetings: meetingsOf(req.get('x-account')),
      usage: minutesOf(req.get('x-minutes')),
    }),
    userSecret: 'the secret of all instances of a test',
    onEvent(event) {
      if (event.type === 'usage.settled') process.stdout.write(`settled ${event.usedMs}\n`)
    },
    meetings: {
      baseUrl: settings.meetingsUrl,
      cacheMs: settings.cacheMs,
    },
    // A thousand requests at once take longer than the default on a busy machine.
    deadlineMs: settings.cacheMs === 0 ? undefined : 30_000,
    limits: { meetingsPerMinute: Infinity, sessionsPerMinute: Infinity, tokensPerMinute: Infinity },
    sessions: settings.sessions,
  }),
)
const server = app.listen(0, '127.0.0.1', () => {
  process.stdout.write(`port ${(server.address() as AddressInfo).port}\n`)
})
