import type { Platform } from './platform/Platform.js'
import type { Connection } from './Transport.js'

/** Connections that wait: delayed requests, requests that hang, endless bodies. `reset` closes them. */
export interface Waits {
  /**
   * Runs the task after so many milliseconds, unless the connection closes before. Without a delay it runs
   * within this call.
   */
  after(ms: number, connection: Connection, task: () => void): void
  /** Keeps a connection that will not get a whole response. */
  hold(connection: Connection): void
  reset(): void
}

export function createWaits(platform: Platform): Waits {
  const held = new Set<Connection>()

  const hold = (connection: Connection): void => {
    held.add(connection)
    connection.onClose(() => held.delete(connection))
  }

  return {
    hold,
    after(ms, connection, task) {
      if (ms <= 0) {
        task()
        return
      }
      hold(connection)
      const cancel = platform.after(ms, () => {
        held.delete(connection)
        task()
      })
      connection.onClose(cancel)
    },
    reset() {
      for (const connection of held) connection.destroy()
      held.clear()
    },
  }
}
