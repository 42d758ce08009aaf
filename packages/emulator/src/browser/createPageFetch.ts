import type { Service } from './Service.js'

/** The server for the requests of the page: a BFF of `@stagepass/bff/fetch`. */
export interface PageServer {
  fetch(request: Request): Promise<Response>
}

/** A `fetch` for a page whose server is in the page too. It sends nothing to the network. */
export function createPageFetch(
  server: PageServer,
  { runLater, wire }: Pick<Service, 'runLater' | 'wire'>,
): typeof globalThis.fetch {
  return async function fetch(input, init = {}) {
    const { signal, ...rest } = init
    const request = new Request(input, rest)
    // Not in the constructor: under jsdom, `Request` is Node's class and does not accept a signal of the
    // page.
    if (signal) Object.defineProperty(request, 'signal', { value: signal })
    signal?.throwIfAborted()
    const { method, url } = request
    const body = await request.clone().text()
    await new Promise<void>((resolve) => runLater(resolve))
    signal?.throwIfAborted()

    const id = wire.nextId()
    const headers = Object.fromEntries(request.headers)
    wire.emit({ type: 'request', id, from: 'page', method, url, headers, body })
    try {
      const response = await untilAborted(server.fetch(request), signal)
      const text = await response.clone().text()
      const sent = Object.fromEntries(response.headers)
      wire.emit({ type: 'response', id, status: response.status, headers: sent, body: text })
      return response
    } catch (thrown) {
      wire.emit({ type: 'failed', id, reason: signal?.aborted ? 'aborted' : 'dropped' })
      throw thrown
    }
  }
}

/** Like a browser, rejects the request at once after an abort, whatever the server does. */
function untilAborted<TValue>(
  promise: Promise<TValue>,
  signal: AbortSignal | null | undefined,
): Promise<TValue> {
  if (!signal) return promise
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error)
    signal.addEventListener('abort', onAbort)
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}
