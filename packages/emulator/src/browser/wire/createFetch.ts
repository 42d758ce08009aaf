import { decodeUtf8 } from '../../core/platform/bytes.js'
import type { RunLater } from './createTasks.js'
import type { Wire } from './createWire.js'
import { type PageResponse, readRequest, type Serve } from './PageRequest.js'
import { toResponse } from './toResponse.js'

export interface FetchOptions {
  readonly from: 'page' | 'bff'
  /** The server of an address; `undefined` if it is none of this emulator. */
  readonly serverOf: (url: URL) => Serve | undefined
  readonly runLater: RunLater
  readonly wire: Wire
}

/** A `fetch` whose servers are in the page. It sends nothing to the network: for any other address it rejects. */
export function createFetch({ from, serverOf, runLater, wire }: FetchOptions): typeof globalThis.fetch {
  return async function fetch(input, init) {
    const request = await readRequest(input, init)
    const { method, url, headers, body, signal } = request
    signal?.throwIfAborted()
    const serve = serverOf(url)
    if (!serve)
      throw new TypeError(`Failed to fetch: the emulator in the page has no server at ${url.origin}.`)
    await new Promise<void>((resolve) => runLater(resolve))
    signal?.throwIfAborted()

    const id = wire.nextId()
    wire.emit({ type: 'request', id, from, method, url: url.href, headers, body: decodeUtf8(body) })
    try {
      const served = await untilAborted(serve(request), signal)
      const response = toResponse(served, signal)
      wire.emit({
        type: 'response',
        id,
        status: served.status,
        headers: served.headers,
        body: served.body.type === 'text' ? served.body.text : undefined,
      })
      return response
    } catch (thrown) {
      wire.emit({ type: 'failed', id, reason: signal?.aborted ? 'aborted' : 'dropped' })
      throw thrown
    }
  }
}

function untilAborted(
  response: Promise<PageResponse>,
  signal: AbortSignal | undefined,
): Promise<PageResponse> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal?.reason as Error)
    signal?.addEventListener('abort', onAbort)
    response.then(resolve, reject).finally(() => signal?.removeEventListener('abort', onAbort))
  })
}
