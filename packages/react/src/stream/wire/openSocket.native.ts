import { readRefusedUpgrade, type Refusal } from '@stagepass/contract'
import type { OpenSocket, ReceivedData } from '../../platform/socket.js'

/** The constructor of React Native, which takes headers. */
type PhoneWebSocket = new (
  url: string,
  protocols: null,
  options: { readonly headers: Readonly<Record<string, string>> },
) => WebSocket

/** Opens a WebSocket with the token in a header. (Contract: "WebSocket handshake", 1; security.md, S61.) */
export const openSocket: OpenSocket = (_, listener, { streamUrl, token }) => {
  // The cast is safe: this file is only used in React Native.
  const PhoneWebSocket = WebSocket as unknown as PhoneWebSocket
  const headers = { Authorization: `api-key ${token.value}` }
  let socket: WebSocket
  try {
    socket = new PhoneWebSocket(streamUrl, null, { headers })
  } catch {
    // eslint-disable-next-line no-restricted-globals -- at once, but not before this function has returned
    const timer = setTimeout(() => listener.blocked('browser'))
    return { send() {}, close: () => clearTimeout(timer), bufferedAmount: () => 0 }
  }
  socket.binaryType = 'arraybuffer'
  let isOpen = false
  let isLeft = false

  socket.addEventListener('open', () => {
    isOpen = true
    // Android ignores a close during the handshake.
    if (isLeft) socket.close(1000)
    else listener.opened()
  })
  socket.addEventListener('message', ({ data }: MessageEvent<ReceivedData>) => {
    if (!isLeft) listener.received(data)
  })
  socket.addEventListener('close', ({ code, reason }) => {
    if (isLeft) return
    isLeft = true
    listener.closed(code, reason, isOpen ? undefined : readStatus(reason))
  })
  return {
    send(data) {
      if (isOpen && !isLeft) socket.send(data)
    },
    close() {
      isLeft = true
      socket.close(1000)
    },
    // A phone does not say it.
    bufferedAmount: () => 0,
    isClosed: () => socket.readyState === WebSocket.CLOSED,
  }
}

/** What iOS and Android say about a handshake that was answered by another status than 101. */
const REFUSED = /bad response code from server:? (\d{3})|HTTP 101 response but was '(\d{3})/i

/** The refusal, if the phone shows the status of the response. It never shows the body. */
function readStatus(reason: string): Refusal | undefined {
  const [, ios, android] = REFUSED.exec(reason) ?? []
  return readRefusedUpgrade({ status: Number(ios ?? android), body: '' })
}
