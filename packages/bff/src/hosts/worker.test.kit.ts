import { type Bff, createBff } from '@stagepass/bff/fetch'
import type { BffEvent, CommonOptions } from '../types.js'

/* The worker of startWorkerd.test.kit.ts. It runs in workerd, and knows nothing of Node. */

export interface WorkerSettings {
  readonly apiKey: string
  readonly baseUrl: string
  readonly streamingUrl: string
  readonly meetingsUrl: string
  readonly credential: string
  /** All requests go to one Durable Object. */
  readonly inObject: boolean
  readonly options: Pick<CommonOptions<Request>, 'allowedOrigins' | 'deadlineMs'>
}

interface Environment {
  /** JSON of `WorkerSettings`. */
  readonly SETTINGS: string
  readonly VOICE: { getByName(name: string): { fetch(request: Request): Promise<Response> } }
}

const settingsIn = (json: string) => JSON.parse(json) as WorkerSettings

/** The BFF of an isolate, or of an object, and what the tests ask about it. */
class VoiceHost {
  readonly #bff: Bff
  readonly #events: BffEvent[] = []

  constructor(settings: WorkerSettings) {
    const { apiKey, baseUrl, streamingUrl, meetingsUrl, credential, options } = settings
    this.#bff = createBff({
      apiKey,
      baseUrl,
      streamingUrl,
      meetings: { baseUrl: meetingsUrl },
      basePath: '/api/voice',
      authorize(request) {
        const user = request.headers.get('x-user') ?? 'ada'
        return user === 'nobody' ? null : { user, meetings: { credential } }
      },
      onEvent: (event) => this.#events.push(event),
      ...options,
    })
  }

  async fetch(request: Request): Promise<Response> {
    switch (new URL(request.url).pathname) {
      case '/control/events':
        return Response.json(this.#events)
      case '/control/gauge':
        return Response.json(this.#bff.gauge())
      case '/control/close':
        await this.#bff.close()
        return Response.json(null)
      default:
        return this.#bff.fetch(request)
    }
  }
}

let host: VoiceHost | undefined

export class Voice {
  readonly #host: VoiceHost

  constructor(_state: unknown, { SETTINGS }: Environment) {
    this.#host = new VoiceHost(settingsIn(SETTINGS))
  }

  fetch(request: Request): Promise<Response> {
    return this.#host.fetch(request)
  }
}

// oxlint-disable-next-line import/no-default-export
export default {
  fetch(request: Request, { SETTINGS, VOICE }: Environment): Promise<Response> {
    const settings = settingsIn(SETTINGS)
    if (settings.inObject) return VOICE.getByName('main').fetch(request)
    host ??= new VoiceHost(settings)
    return host.fetch(request)
  },
}
