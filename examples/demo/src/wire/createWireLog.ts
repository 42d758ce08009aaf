/**
 * Where something happened: on the way to the BFF, on a stream, with a token, inside the BFF, or to the
 * emulator.
 */
export type Lane = 'http' | 'stream' | 'token' | 'bff' | 'fault'

export interface WireEntry {
  readonly id: number
  readonly at: number
  readonly lane: Lane
  readonly title: string
  readonly tone: 'plain' | 'good' | 'bad'
  /** What else is known, masked. */
  readonly detail?: unknown
}

/** The last things that went over the wire, newest first. Knows no React. */
export interface WireLog {
  readonly add: (entry: Omit<WireEntry, 'id' | 'at'>) => void
  /**
   * `add` until the log is cleared, and nothing after that: for what begins before a change of user and ends
   * after it.
   */
  readonly adder: () => WireLog['add']
  readonly clear: () => void
  readonly entries: () => readonly WireEntry[]
  readonly subscribe: (listener: () => void) => () => void
}

const KEPT = 200

export function createWireLog(): WireLog {
  const listeners = new Set<() => void>()
  let entries: readonly WireEntry[] = []
  let lastId = 0
  let announced = true
  let clearings = 0

  function change(next: readonly WireEntry[]): void {
    entries = next
    if (!announced) return
    // A burst of entries costs one render.
    announced = false
    requestAnimationFrame(() => {
      announced = true
      for (const listener of listeners) listener()
    })
  }

  function add(entry: Omit<WireEntry, 'id' | 'at'>): void {
    lastId += 1
    change([{ ...entry, id: lastId, at: Date.now() }, ...entries].slice(0, KEPT))
  }

  return {
    add,
    adder() {
      const made = clearings
      return (entry) => {
        if (made === clearings) add(entry)
      }
    },
    clear() {
      clearings += 1
      entries = []
      // Not in the next frame: this one must not show them.
      for (const listener of listeners) listener()
    },
    entries: () => entries,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
