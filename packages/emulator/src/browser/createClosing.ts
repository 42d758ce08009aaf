import type { Connection } from '../core/Transport.js'

/** The end of a connection, which happens once. */
export interface Closing extends Pick<Connection, 'onClose'> {
  readonly isClosed: () => boolean
  close(complete: boolean): void
}

export function createClosing(): Closing {
  const listeners: ((complete: boolean) => void)[] = []
  let isClosed = false
  return {
    isClosed: () => isClosed,
    onClose(listener) {
      if (!isClosed) listeners.push(listener)
    },
    close(complete) {
      if (isClosed) return
      isClosed = true
      for (const listener of listeners) listener(complete)
    },
  }
}
