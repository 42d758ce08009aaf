import type { RequestHandler } from 'express'

/** Messages to every page that listens, as server-sent events. */
export interface Feed {
  send(event: string, data: unknown): void
  readonly route: RequestHandler
}

export function createFeed(): Feed {
  const listeners = new Set<(chunk: string) => void>()
  return {
    send(event, data) {
      const chunk = `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
      for (const listener of listeners) listener(chunk)
    },
    route(_request, response) {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
      // Something must be written at once, or the page waits for its connection to open.
      response.write(': hello\n\n')
      const listener = (chunk: string): void => void response.write(chunk)
      listeners.add(listener)
      response.on('close', () => listeners.delete(listener))
    },
  }
}
