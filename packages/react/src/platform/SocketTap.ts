import type { Product } from '@stagepass/contract'
import type { OpenSocket } from './socket.js'

/** A place where a recording can put itself between the streams and their sockets. */
export interface SocketTap {
  /** Called for each socket that a stream opens. */
  wrap?: ((open: OpenSocket, product: Product) => OpenSocket) | undefined
}
