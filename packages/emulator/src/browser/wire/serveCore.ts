import type { EmulatorCore } from '../../core/EmulatorCore.js'
import { createClosing } from './closing.js'
import type { PageResponse, Serve } from './PageRequest.js'

/** Puts the core behind the `fetch` of the page. */
export function serveCore(core: EmulatorCore): Serve {
  return ({ method, url, headers, body, signal }) =>
    new Promise<PageResponse>((resolve, reject) => {
      const closing = createClosing()
      const leave = (): void => {
        closing.close(false)
        reject(signal?.reason as Error)
      }
      signal?.addEventListener('abort', leave)
      closing.onClose(() => signal?.removeEventListener('abort', leave))

      core.handleRequest({
        method,
        target: url.pathname + url.search,
        headers: { host: url.host, ...headers },
        connection: {
          onClose: closing.onClose,
          respond(response) {
            const sent = Object.fromEntries(
              Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
            )
            // Throws for a head that HTTP cannot send, before anything is sent.
            void new Response(null, { status: response.status, headers: sent })
            resolve({
              status: response.status,
              headers: sent,
              body: response.body,
              onRead: (isWhole) => closing.close(isWhole),
              onDrop: (listener) => closing.onClose((isComplete) => isComplete || listener()),
            })
          },
          destroy() {
            closing.close(false)
            // A body that had begun has its own end.
            reject(new TypeError('Failed to fetch'))
          },
        },
        readBody: (limitBytes, done) => done(body.length > limitBytes ? undefined : body),
      })
    })
}
