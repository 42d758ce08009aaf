/** A connection between two of the three sides. The picture draws each, and the log can show one alone. */
export type LineName = 'request' | 'upstream' | 'stream'

/** An event of a request, a token, a stream, the BFF or the emulator. */
export interface WireEntry {
  readonly id: number
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly lane: 'http' | 'token' | 'stream' | 'bff' | 'fault'
  /** `undefined`: it went over none. */
  readonly line: LineName | undefined
  /**
   * What the picture shows on the line: something went out, came back, or both. `undefined`: nothing, because
   * another entry shows the same.
   */
  readonly trip?: 'out' | 'back' | 'round' | undefined
  /** The request has no response yet. */
  readonly isPending?: boolean | undefined
  readonly tookMs?: number | undefined
  readonly title: string
  /** The status and the code of a refusal, such as `403 BALANCE_EXHAUSTED`. */
  readonly refusal?: string | undefined
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

  function change(next: readonly WireEntry[]): void {
    entries = next
    // A burst of entries costs one render.
    if (isAnnounced) requestAnimationFrame(announce)
    isAnnounced = false
  }

  function add(line: WireLine): number {
    lastId += 1
    change([{ ...line, id: lastId, at: Date.now() }, ...entries].slice(0, KEPT))
    return lastId
  }

  return {
    add,
    /** Adds an entry, and returns a function that replaces it. After the next `clear` it does nothing. */
    begin(line: WireLine): (line: WireLine) => void {
      const made = clearings
      const mine = add(line)
      return (next) => {
        if (made !== clearings) return
        change(entries.map((entry) => (entry.id === mine ? { ...next, id: mine, at: entry.at } : entry)))
      }
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
