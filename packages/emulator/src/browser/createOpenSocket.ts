/**
 * The events of a connection: `opened` at most once, then `received` for each message, then `closed` once.
 */
interface Listener {
  opened(): void
  received(data: string | ArrayBuffer): void
  closed(code: number, reason: string): void
}

/** The option `openSocket` of `createVoiceClient`. */
export type OpenSocket = (
  url: string,
  listener: Listener,
) => {
  send(data: string | BufferSource | Blob): void
  close(): void
  bufferedAmount(): number
}

export function createOpenSocket(socketClass: typeof WebSocket): OpenSocket {
  return (url, listener) => {
    const socket = new socketClass(url)
    let isMuted = false
    socket.binaryType = 'arraybuffer'
    socket.addEventListener('open', () => {
      if (!isMuted) listener.opened()
    })
    socket.addEventListener('message', ({ data }: MessageEvent<string | ArrayBuffer>) => {
      if (!isMuted) listener.received(data)
    })
    socket.addEventListener('close', ({ code, reason }) => {
      if (!isMuted) listener.closed(code, reason)
    })
    return {
      send(data) {
        if (socket.readyState === socketClass.OPEN) socket.send(data)
      },
      close() {
        isMuted = true
        socket.close(1_000)
      },
      bufferedAmount: () => socket.bufferedAmount,
    }
  }
}
