/** The events of `onWire`, in order. Times are milliseconds since the epoch, by the clock of the page. */
export type WireEvent =
  /** A request of the page to the BFF, or of the BFF to the voice service. */
  | {
      readonly type: 'request'
      /** A running number. The response has the same number. */
      readonly id: number
      readonly from: 'page' | 'bff'
      readonly method: string
      readonly url: string
      /** Names are in lower case. Secrets are included, as they were sent. */
      readonly headers: Readonly<Record<string, string>>
      /** The body as text; empty if there is none. */
      readonly body: string
      readonly at: number
    }
  | {
      readonly type: 'response'
      readonly id: number
      readonly status: number
      readonly headers: Readonly<Record<string, string>>
      readonly body: string
      readonly at: number
    }
  /** There is no response: the page aborted the request, or a fault dropped it. */
  | { readonly type: 'failed'; readonly id: number; readonly reason: string; readonly at: number }
  | {
      readonly type: 'handshake'
      /** A running number. All events of this WebSocket have the same number. */
      readonly socket: number
      readonly url: string
      readonly at: number
    }
  | { readonly type: 'opened'; readonly socket: number; readonly at: number }
  /** The handshake was refused. A page itself does not see the status. */
  | { readonly type: 'refused'; readonly socket: number; readonly status: number; readonly at: number }
  | {
      readonly type: 'message'
      readonly socket: number
      readonly from: 'page' | 'service'
      readonly data: string | Uint8Array
      readonly at: number
    }
  | {
      readonly type: 'closed'
      readonly socket: number
      readonly code: number
      readonly reason: string
      readonly at: number
    }

type WithoutTime<TEvent> = TEvent extends unknown ? Omit<TEvent, 'at'> : never

/** Numbers and reports everything that is sent over the wire. */
export interface Wire {
  emit(event: WithoutTime<WireEvent>): void
  /** Calls back with each event. Returns a function that unsubscribes. */
  onWire(listener: (event: WireEvent) => void): () => void
  /** Returns a number for a request or a WebSocket. */
  nextId(): number
}

export function createWire(now: () => number): Wire {
  const listeners = new Set<(event: WireEvent) => void>()
  let lastId = 0
  return {
    emit(event) {
      const at = now()
      for (const listener of listeners) listener({ ...event, at })
    },
    onWire(listener) {
      const own = (event: WireEvent): void => listener(event)
      listeners.add(own)
      return () => {
        listeners.delete(own)
      }
    },
    nextId: () => (lastId += 1),
  }
}
