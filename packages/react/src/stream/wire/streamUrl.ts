import type { LiveToken } from '../../token/TokenSource.js'

/**
 * The URL of a socket with its token; `undefined` if it is not an absolute ws or wss URL. A browser would
 * resolve a relative one against the page and send the token there. (Contract: "WebSocket handshake", 2: the
 * space is `%20`.)
 */
export function streamUrl({ streamUrl, token }: LiveToken): string | undefined {
  // A fragment is refused by the socket's constructor; a query would swallow the parameter's question mark.
  if (!/^wss?:\/\/[^/?#\s]+[^?#\s]*$/i.test(streamUrl)) return undefined
  return `${streamUrl}?authorization=${encodeURIComponent(`api-key ${token.value}`)}`
}
