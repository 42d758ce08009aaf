import type { NewWireEvent, WireEvent } from './WireEvent.js'

/** Numbers what goes over the wire, and reports it. */
export interface Wire {
  emit(event: NewWireEvent): void
  /** Calls back with each event. Returns its undo. */
  onWire(listener: (event: WireEvent) => void): () => void
  /** A number for a request or a WebSocket. */
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
