import { text } from 'node:stream/consumers'
import { WebSocket } from 'ws'

/**
 * A refused handshake. How a refusal reaches the client is not shown: it can be an HTTP response, or a message
 * or a close after the opening. (Assumptions: "Refused handshakes".)
 */
export interface Refused {
  /** Only if the service refused by an HTTP response. */
  readonly status: number | undefined
  /** Body, messages and reason of the close, one after the other. */
  readonly text: string
}

export interface Opened {
  /** Resolves when the service closes the socket. */
  readonly refused: Promise<Refused>
  isOpen(): boolean
  close(): void
}

/**
 * Opens a WebSocket. Resolves when the service has answered a ping, so that a refusal that was sent at the
 * opening has arrived.
 */
export function openSocket(url: string, authorization?: string): Promise<Opened> {
  const socket = new WebSocket(url, authorization === undefined ? {} : { headers: { authorization } })
  const texts: string[] = []
  socket.on('message', (data: Buffer, isBinary) => {
    if (!isBinary) texts.push(data.toString())
  })

  return new Promise((resolve, reject) => {
    let isAnswered = false
    socket.on('error', (error) => {
      if (!isAnswered) reject(error)
    })
    const refused = new Promise<Refused>((resolveRefused) => {
      socket.on('close', (_code, reason) => {
        resolveRefused({ status: undefined, text: [...texts, reason.toString()].join('\n') })
      })
      socket.on('unexpected-response', (request, response) => {
        isAnswered = true
        void text(response).then((body) => {
          resolveRefused({ status: response.statusCode, text: body })
          request.destroy()
        })
      })
    })
    const opened: Opened = {
      refused,
      isOpen: () => socket.readyState === WebSocket.OPEN,
      close: () => socket.terminate(),
    }
    socket.on('open', () => socket.ping())
    socket.on('pong', () => resolve(opened))
    void refused.then(() => resolve(opened))
  })
}
