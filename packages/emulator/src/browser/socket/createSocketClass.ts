import type { Dial } from './ends.js'
import { PageSocket } from './PageSocket.js'

/** A `WebSocket` class whose connections `dial` opens. */
export function createSocketClass(dial: Dial): typeof WebSocket {
  return class WebSocket extends PageSocket {
    constructor(url: string | URL, protocols?: string | readonly string[]) {
      super(dial, url, protocols)
    }
  }
}
