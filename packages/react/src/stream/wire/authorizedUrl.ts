import type { SessionToken } from '../../token/SessionToken.js'

/**
 * An absolute address without a query: a browser would resolve a relative one against the page, and send the
 * token there.
 */
const SOCKET_URL = /^wss?:\/\/[^/?#\s]+[^?#\s]*$/i

/** True if a token may be sent to this address. */
export function isSocketUrl(streamUrl: string): boolean {
  // A fragment is refused by the socket's constructor; a query would swallow the parameter's question mark.
  return SOCKET_URL.test(streamUrl)
}

/**
 * The address of a WebSocket of your own, with its token: `streamUrl` and `token` of `useSessionToken` or of
 * a token source. Make it when the socket is opened, and do not keep or log it. Throws if the address is not
 * an absolute ws or wss URL. (Contract: "WebSocket handshake", 2: the space is `%20`.)
 *
 * @example const socket = new WebSocket(authorizedUrl(streamUrl, token))
 */
export function authorizedUrl(streamUrl: string, token: SessionToken): string {
  if (!isSocketUrl(streamUrl)) {
    throw new Error(
      'Failed to make the address: streamUrl is no absolute ws: or wss: URL. Give the one that came with the token.',
    )
  }
  return `${streamUrl}?authorization=${encodeURIComponent(`api-key ${token.value}`)}`
}
