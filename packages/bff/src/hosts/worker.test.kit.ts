import { type Bff, createBff, isBffError } from '@stagepass/bff/fetch'
import { type Clock, systemClock } from '@stagepass/budget'
import type { BffEvent, CommonOptions, MeetingsOptions, RedisEval } from './types.js'

/* The worker of startWorkerd.test.kit.ts. It runs in workerd, without Node. */

export interface WorkerSettings {
  readonly apiKey: string
  readonly baseUrl: string
  readonly streamingUrl: string
  readonly meetingsUrl: string
  readonly credential: string
  /** The key is fetched from this address, and a minute passes in 60 ms. */
  readonly keyUrl?: string | undefined
  /** All requests go to one Durable Object. */
  readonly inObject: boolean
  /** Redis over HTTP, as the binding `REDIS`. */
  readonly withRedis: boolean
  readonly meetings: MeetingsOptions
  readonly options: Pick<CommonOptions<Request>, 'allowedOrigins' | 'deadlineMs' | 'limits'>
}

interface Fetcher {
  fetch(input: Request | string, init?: RequestInit): Promise<Response>
}

interface Environment {
  /** JSON of `WorkerSettings`. */
  readonly SETTINGS: string
  readonly VOICE: { getByName(name: string): Fetcher }
  readonly REDIS: Fetcher
}

/** Runs a script in Redis over HTTP, as a service for Redis at the edge does. */
const redisOver =
  (service: Fetcher): RedisEval =>
  async (script, keys, args) => {
    const body = JSON.stringify({ script, keys, args })
    const response = await service.fetch('https://redis/', { method: 'POST', body })
    if (!response.ok) throw new Error(await response.text())
    return response.json()
  }

const settingsIn = (json: string) => JSON.parse(json) as WorkerSettings

/** A minute passes in 60 ms. */
const FAST: Clock = { ...systemClock, now: () => 1_000 * performance.now() }

/** A long limit, so that a busy machine does not look like a Redis that hangs. */
const PATIENT: Clock = {
  ...systemClock,
  after: (delayMs, ...rest) => systemClock.after(20 * delayMs, ...rest),
}

/** What server code gets: the result of a call, or the code of its error. */
async function asJson(call: Promise<unknown>): Promise<Response> {
  try {
    return Response.json(await call)
  } catch (error) {
    return Response.json(isBffError(error) ? { code: error.code, requestId: error.requestId } : String(error))
  }
}

/** The BFF of an isolate or of an object, and its state for the tests. */
class VoiceHost {
  readonly #bff: Bff
  readonly #events: BffEvent[] = []
  readonly #credential: string

  constructor({ SETTINGS, REDIS }: Environment) {
    const settings = settingsIn(SETTINGS)
    const { apiKey, baseUrl, streamingUrl, credential } = settings
    const { keyUrl } = settings
    this.#credential = credential
    this.#bff = createBff({
      apiKey: keyUrl === undefined ? apiKey : async () => (await fetch(keyUrl)).text().then(() => apiKey),
      ...(keyUrl !== undefined && { platform: { clock: FAST } }),
      baseUrl,
      streamingUrl,
      meetings: { baseUrl: settings.meetingsUrl, ...settings.meetings },
      ...(settings.withRedis && { redis: redisOver(REDIS), platform: { clock: PATIENT } }),
      basePath: '/api/voice',
      authorize(request) {
        const user = request.headers.get('x-user') ?? 'ada'
        return user === 'nobody' ? null : { user, meetings: { credential } }
      },
      onEvent: (event) => this.#events.push(event),
      ...settings.options,
    })
  }

  async fetch(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    const user = this.#bff.as({ user: 'ada', meetings: { credential: this.#credential } })
    switch (pathname) {
      case '/control/as/meetings': {
        const search = searchParams.get('q') ?? undefined
        const signal = AbortSignal.timeout(Number(searchParams.get('patience') ?? 60_000))
        return asJson(user.meetings({ search, pageSize: 1, fields: ['title'] }, { signal }))
      }
      case '/control/as/token':
        return asJson(user.sessionToken('stt', { ttlMinutes: 5 }))
      case '/control/as/fetch':
        return user.fetch('/api/voice/tags')
      case '/control/events':
        return Response.json(this.#events)
      case '/control/gauge':
        return Response.json(this.#bff.gauge())
      case '/control/close':
        await this.#bff.close()
        return Response.json(null)
      default: {
        const response = await this.#bff.fetch(request)
        response.headers.set('x-body-used', String(request.bodyUsed))
        return response
      }
    }
  }
}

// A worker that reads its settings from the environment at the top level creates its BFF before the first
// request, when the runtime allows no connections and no random numbers.
for (const redis of [undefined, async () => null])
  createBff({
    apiKey: 'sk_0',
    baseUrl: 'https://api.example.com',
    streamingUrl: 'wss://stream.example.com',
    authorize: () => null,
    redis,
    sessions: {},
    userSecret: 'a secret that all of the isolates have',
  })

let host: VoiceHost | undefined

export class Voice {
  readonly #host: VoiceHost

  constructor(_state: unknown, environment: Environment) {
    this.#host = new VoiceHost(environment)
  }

  fetch(request: Request): Promise<Response> {
    return this.#host.fetch(request)
  }
}

// oxlint-disable-next-line import/no-default-export -- Workers start with the default export of a module
export default {
  fetch(request: Request, environment: Environment): Promise<Response> {
    const { inObject } = settingsIn(environment.SETTINGS)
    if (inObject) return environment.VOICE.getByName('main').fetch(request)
    host ??= new VoiceHost(environment)
    return host.fetch(request)
  },
}
