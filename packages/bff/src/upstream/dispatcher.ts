import type { Duplex } from 'node:stream'
// The path, because Bun has a module of its own under the name alone, without connections.
import { type Dispatcher, Pool } from 'undici/index.js'
import type { UpstreamDispatcher } from '../settings/BffOptions.js'

/** Headers of a response, by name in lower case. */
export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>

/** What follows one dispatched request. */
export interface DispatchListener {
  /** undici begins to write the request. */
  onStart(controller: { abort(reason: Error): void }): void
  onResponse(status: number, headers: ResponseHeaders): void
  onData(chunk: Buffer): void
  onEnd(): void
  onError(error: Error): void
  /** In place of a response, if the request asked for an upgrade. */
  onUpgrade?(headers: ResponseHeaders, socket: Duplex): void
}

export interface DispatchRequest {
  readonly method: 'GET' | 'POST'
  /** Path and query, every part of it already encoded. */
  readonly path: string
  /** All headers that are sent; nothing is added but Host, Connection, Content-Length and those of an upgrade. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
  readonly upgrade?: 'websocket'
}

/** Connections to one origin, or the host's dispatcher. */
export interface Connections {
  dispatch(request: DispatchRequest, listener: DispatchListener): void
  /** Ends all connections now. Safe to call twice. A dispatcher of the host is left alone. */
  close(): Promise<void>
}

/** Connections to one origin. Further requests wait for one, which is cheaper than another handshake. */
const MAX_CONNECTIONS = 128

/** Connections to `url`'s origin alone. */
export function openConnections(
  { origin, protocol, host }: URL,
  connectTimeoutMs: number,
  given: UpstreamDispatcher | undefined,
): Connections {
  // undici knows no ws: and wss:, and `origin` of a wss: address is fine for everything else.
  const httpOrigin = protocol.startsWith('ws') ? `${protocol.replace('ws', 'http')}//${host}` : origin
  const pool = given
    ? undefined
    : new Pool(httpOrigin, { connections: MAX_CONNECTIONS, connect: { timeout: connectTimeoutMs } })
  const dispatcher: UpstreamDispatcher = given ?? (pool as Pool)

  return {
    dispatch({ method, path, headers, body = null, upgrade }, listener) {
      const options = {
        origin: httpOrigin,
        method,
        path,
        headers,
        body,
        upgrade,
        // The caller's deadline is the only time limit.
        headersTimeout: 0,
        bodyTimeout: 0,
        // A host's dispatcher may follow redirects; ours are responses like any other.
        maxRedirections: 0,
      }
      try {
        dispatcher.dispatch(options, new Handler(listener))
      } catch (error) {
        listener.onError(
          error instanceof Error ? error : new Error('The dispatcher threw.', { cause: error }),
        )
      }
    },
    close: async () => pool?.destroy(),
  }
}

/**
 * A handler in both forms. undici 7 and later call the methods above the line; undici 6, which is also Node's own up to version 22, calls
 * those below it. A dispatcher of the host may be either.
 */
class Handler implements Dispatcher.DispatchHandler {
  readonly #listener: DispatchListener

  constructor(listener: DispatchListener) {
    this.#listener = listener
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#listener.onStart(controller)
  }
  onRequestUpgrade(_: unknown, _status: number, headers: ResponseHeaders, socket: Duplex): void {
    this.#listener.onUpgrade?.(headers, socket)
  }
  onResponseStart(_: unknown, status: number, headers: ResponseHeaders): void {
    this.#listener.onResponse(status, headers)
  }
  onResponseData(_: unknown, chunk: Buffer): void {
    this.#listener.onData(chunk)
  }
  onResponseEnd(): void {
    this.#listener.onEnd()
  }
  onResponseError(_: unknown, error: Error): void {
    this.#listener.onError(error)
  }

  // --- undici 6 ---

  onConnect(abort: (reason?: Error) => void): void {
    this.#listener.onStart({ abort })
  }
  onUpgrade(_status: number, headers: readonly (Buffer | string)[] | null, socket: Duplex): void {
    this.#listener.onUpgrade?.(readHeaders(headers ?? []), socket)
  }
  onHeaders(status: number, headers: readonly Buffer[]): boolean {
    this.#listener.onResponse(status, readHeaders(headers))
    return true
  }
  onData(chunk: Buffer): boolean {
    this.#listener.onData(chunk)
    return true
  }
  onComplete(): void {
    this.#listener.onEnd()
  }
  onError(error: Error): void {
    this.#listener.onError(error)
  }
}

/** undici 6 gives names and values in turn. */
function readHeaders(raw: readonly (Buffer | string)[]): ResponseHeaders {
  const headers: Record<string, string> = {}
  for (let at = 0; at + 1 < raw.length; at += 2)
    headers[String(raw[at]).toLowerCase()] ??= String(raw[at + 1])
  return headers
}
