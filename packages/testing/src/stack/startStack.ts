import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Bff, type BffEvent, type BffOptions, createBff, type Grant } from '@stagepass/bff'
import { createEmulator, type Emulator, type EmulatorOptions } from '@stagepass/emulator'
import express, { type Express, type NextFunction, type Request, type Response } from 'express'
import { watchAnswers } from '../wire/watchAnswers.js'

export interface StackOptions {
  readonly emulator?: EmulatorOptions | undefined
  /**
   * Overrides the options of the stack. Default: keys and addresses of the emulator, no limits, no jitter,
   * `stack.grant` for every request.
   */
  readonly bff?: Partial<BffOptions<Request>> | undefined
  /** Mounts middleware before the BFF, such as the parsers and sessions of a host. */
  readonly app?: ((app: Express) => void) | undefined
}

/** Responds instead of the BFF, or calls `next`. */
export type Interceptor = (req: Request, res: Response, next: NextFunction) => void

/**
 * An emulator, a BFF that uses it, and an Express app with the BFF, which listens on a free port of loopback.
 */
export interface Stack extends AsyncDisposable {
  readonly upstream: Emulator
  /** The current BFF; `remount` replaces it. */
  readonly bff: Bff<Request>
  readonly app: Express
  readonly server: Server
  /** `http://127.0.0.1:<port>` */
  readonly origin: string
  /** Address of the BFF, for `createVoiceClient({ url })`. */
  readonly url: string
  /** All events of the BFFs so far, oldest first. */
  readonly events: BffEvent[]
  /**
   * The grant that `authorize` returns, from the next request on. Initially user `ada` with all products and
   * the emulator's meetings.
   */
  grant: Grant | null
  /** `fetch` relative to `url`, with the gate's header. If `json` is given, sends it as a POST. */
  fetch(path: string, init?: StackRequestInit): Promise<globalThis.Response>
  /**
   * Adds a function that gets requests before the BFF, to simulate an outage or a delay, or to record.
   * Returns a function that removes it.
   */
  intercept(interceptor: Interceptor): () => void
  /** Closes the BFF and mounts a new one, with these options in addition to those of the stack. */
  remount(bff?: Partial<BffOptions<Request>>): Promise<Bff<Request>>
  close(): Promise<void>
}

export interface StackRequestInit extends RequestInit {
  readonly json?: unknown
}

const MOUNT = '/api/voice'

/** Starts a whole stack: `await using stack = await startStack()`. */
export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const upstream = await createEmulator(options.emulator)
  const events: BffEvent[] = []
  const interceptors = new Set<Interceptor>()
  const violations: string[] = []
  let grant: Grant | null = {
    user: 'ada',
    meetings: { credential: upstream.meetingsCredential },
  }

  const build = (own: Partial<BffOptions<Request>> = {}): Bff<Request> =>
    createBff({
      apiKey: upstream.apiKey,
      baseUrl: upstream.baseUrl,
      streamingUrl: upstream.streamingUrl,
      authorize: () => grant,
      limits: { tokensPerMinute: Infinity, meetingsPerMinute: Infinity, sessionsPerMinute: Infinity },
      platform: { random: () => 0 },
      logger: false,
      ...own,
      meetings: { baseUrl: upstream.meetingsUrl, ...own.meetings },
      onEvent: (event) => {
        events.push(event)
        return own.onEvent?.(event)
      },
    })

  let bff = build(options.bff)
  const app = express()
  app.disable('x-powered-by')
  options.app?.(app)
  app.use(MOUNT, (req, res, next) => {
    const chain = [...interceptors]
    const step = (): void => {
      const interceptor = chain.pop()
      if (interceptor) return interceptor(req, res, step)
      watchAnswers(req, res, violations)
      bff(req, res, next)
    }
    step()
  })

  // Longer than Node's default of five seconds, which may pass just before a busy machine sends the next
  // request.
  const server = createServer({ keepAliveTimeout: 60_000 }, app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const url = origin + MOUNT

  let closing: Promise<void> | undefined
  const close = (): Promise<void> => {
    closing ??= (async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      // Requests that hang intentionally must not delay the end of a test.
      await upstream.close()
      server.closeAllConnections()
      await bff.close()
      await closed
      if (violations.length > 0)
        throw new Error(`Responses that docs/generate/openapi does not describe:\n${violations.join('\n')}`)
    })()
    return closing
  }

  return {
    upstream,
    get bff() {
      return bff
    },
    app,
    server,
    origin,
    url,
    events,
    get grant() {
      return grant
    },
    set grant(next) {
      grant = next
    },
    fetch(relative, { json, ...init } = {}) {
      const headers = new Headers(init.headers)
      if (!headers.has('x-stagepass')) headers.set('x-stagepass', '1')
      if (json === undefined) return fetch(url + relative, { ...init, headers })
      if (!headers.has('content-type')) headers.set('content-type', 'application/json')
      return fetch(url + relative, { method: 'POST', ...init, headers, body: JSON.stringify(json) })
    },
    intercept(interceptor) {
      interceptors.add(interceptor)
      return () => interceptors.delete(interceptor)
    },
    async remount(own) {
      await bff.close()
      bff = build({ ...options.bff, ...own })
      return bff
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}
