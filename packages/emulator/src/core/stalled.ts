/** What is under way and not yet answered: waits, hanging requests, bodies without end. `reset` gives all of it up. */
export interface Stalled {
  /** Runs it after so many milliseconds; at once, and within this call, where there is nothing to wait for. */
  after(ms: number, connection: Connection, run: () => void): void
  /** Remembers a connection that is not going to be answered. */
  hold(connection: Connection): void
  reset(): void
}

interface Connection {
  destroy(): unknown
  once(event: 'close', listener: () => void): unknown
}

export function createStalled(): Stalled {
  const held = new Set<Connection>()

  const hold = (connection: Connection): void => {
    if (held.has(connection)) return
    held.add(connection)
    connection.once('close', () => held.delete(connection))
  }

  return {
    hold,
    after(ms, connection, run) {
      if (ms <= 0) {
        run()
        return
      }
      held.add(connection)
      const timer = setTimeout(() => {
        held.delete(connection)
        run()
      }, ms)
      connection.once('close', () => {
        clearTimeout(timer)
        held.delete(connection)
      })
    },
    reset() {
      for (const connection of held) connection.destroy()
      held.clear()
    },
  }
}
