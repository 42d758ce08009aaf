/** An event of a request, a token, a stream, the BFF or the emulator. */
export interface WireEntry {
  readonly id: number
  readonly at: number
  readonly lane: 'http' | 'token' | 'stream' | 'bff' | 'fault'
  readonly title: string
  readonly tone: 'plain' | 'good' | 'bad'
  /** All known data, without secrets. */
  readonly detail: unknown
}

export type WireLine = Omit<WireEntry, 'id' | 'at'>
export type WireLog = ReturnType<typeof createWireLog>

const KEPT = 200

/** The last events, newest first. Does not use React. */
export function createWireLog() {
  const listeners = new Set<() => void>()
  let entries: readonly WireEntry[] = []
  let lastId = 0
  let isAnnounced = true
  let clearings = 0

  function announce(): void {
    isAnnounced = true
    for (const listener of listeners) listener()
  }

  function add(line: WireLine): void {
    lastId += 1
    entries = [{ ...line, id: lastId, at: Date.now() }, ...entries].slice(0, KEPT)
    // A burst of entries costs one render.
    if (isAnnounced) requestAnimationFrame(announce)
    isAnnounced = false
  }

  return {
    add,
    /** Returns an `add` that does nothing after the next `clear`: for a request of the previous user. */
    adder: () => {
      const made = clearings
      return (line: WireLine): void => (made === clearings ? add(line) : undefined)
    },
    clear: (): void => {
      clearings += 1
      entries = []
      // At once, because the present frame must not show them.
      announce()
    },
    entries: () => entries,
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
