import type { WireLog } from './createWireLog.js'
import { maskSecrets } from './maskSecrets.js'

/**
 * `fetch` that writes each request to the BFF and its response to the log. Bodies are masked before they are
 * kept.
 */
export function tapFetch(log: WireLog): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    const { pathname, search } = new URL(request.url)
    const path = pathname.replace('/api/voice', '') + decodeURIComponent(search)
    const startedAt = performance.now()
    const add = log.adder()
    try {
      const response = await fetch(request)
      const tookMs = Math.round(performance.now() - startedAt)
      const body: unknown = await response
        .clone()
        .json()
        .catch(() => undefined)
      add({
        lane: 'http',
        title: `${request.method} ${path} → ${response.status}`,
        tone: response.ok ? 'plain' : 'bad',
        detail: {
          tookMs,
          retryAfter: response.headers.get('retry-after') ?? undefined,
          answer: maskSecrets(body),
        },
      })
      return response
    } catch (error) {
      if (!request.signal.aborted) {
        add({
          lane: 'http',
          title: `${request.method} ${path} failed`,
          tone: 'bad',
          detail: String(error),
        })
      }
      throw error
    }
  }
}
