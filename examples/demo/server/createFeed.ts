import type { RequestHandler } from 'express'
import { userOf } from './signIn.js'

/** Messages to the pages that listen, as server-sent events. */
export interface Feed {
  /** `user`: to this user's pages alone. */
  send(event: string, data: unknown, user?: string): void
  readonly route: RequestHandler
}

export function createFeed(): Feed {
  const listeners = new Set<(chunk: string, user: string | undefined) => void>()
  return {
    send(event, data, user) {
      const chunk = `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
      for (const listener of listeners) listener(chunk, user)
    },
    route(request, response) {
      const listensAs = userOf(request)
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
      // Something must be written at once, or the page waits for its connection to open.
      response.write(': hello\n\n')
      const listener = (chunk: string, user: string | undefined): void => {
        if (user === undefined || user === listensAs) response.write(chunk)
      }
      listeners.add(listener)
      response.on('close', () => listeners.delete(listener))
    },
  }
}
