import type { LiveToken } from '../../token/TokenSource.js'

/**
 * The address of a connection, token included; `undefined` for anything but an absolute ws or wss address. A browser would resolve a
 * relative one against the page and send the token there. (Contract: "WebSocket handshake", 2: the space is `%20`.)
 */
export function streamUrl({ streamUrl, token }: LiveToken): string | undefined {
  // A fragment is refused by the socket's constructor; a query would swallow the parameter's question mark.
  if (!/^wss?:\/\/[^/?#\s]+[^?#\s]*$/i.test(streamUrl)) return undefined
  return `${streamUrl}?authorization=${encodeURIComponent(`api-key ${token.value}`)}`
}
