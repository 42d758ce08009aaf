import type { Bff, BffOptions } from '@stagepass/bff'
import type { Emulator, LiveSocket } from '@stagepass/emulator'
import type { Request, Response } from 'express'

/** Messages of the server to the pages, by name. */
export interface FeedMessages {
  /** The present state. */
  readonly gauge: {
    readonly upstream: 'emulator' | 'service'
    readonly budget: ReturnType<Bff['gauge']>
    /** Milliseconds that each connection to the emulator was open, by its id. */
    readonly billedMs: ReturnType<Emulator['billedMs']> | undefined
    /** Sockets of the emulator. */
    readonly sockets: readonly Pick<LiveSocket, 'id' | 'product' | 'received' | 'sent'>[] | undefined
  }
  readonly bff: Parameters<NonNullable<BffOptions<Request>['onEvent']>>[0]
  /** The body of a page's request. */
  readonly fault: Readonly<Record<string, unknown>>
}

/** Sends messages to the pages as server-sent events. `gauge` returns the present state. */
export function createFeed(gauge: () => FeedMessages['gauge']) {
  const listeners = new Set<(chunk: string, user: string | undefined) => void>()
  const chunkOf = (name: string, data: unknown): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
  return {
    /** `user`: only to this user's pages. Default: to all. */
    send<TName extends keyof FeedMessages>(name: TName, data: FeedMessages[TName], user?: string): void {
      const chunk = chunkOf(name, data)
      for (const listener of listeners) listener(chunk, user)
    },
    /** Keeps the response open for messages. The first one is a gauge. */
    listen(response: Response, listensAs: string | undefined): void {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
      response.write(chunkOf('gauge', gauge()))
      const listener = (chunk: string, user: string | undefined): void => {
        if (user === undefined || user === listensAs) response.write(chunk)
      }
      listeners.add(listener)
      response.on('close', () => listeners.delete(listener))
    },
  }
}
