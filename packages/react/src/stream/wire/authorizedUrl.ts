import { encodeText } from '@stagepass/contract'
import { mistake } from '../../errors/mistake.js'
import type { SessionToken } from '../../token/SessionToken.js'

/**
 * An absolute address. A browser would resolve a relative address against the page's, and send the token
 * there. It may have a query (the BFF's `streamQuery`), which has no `authorization` of its own.
 */
const SOCKET_URL = /^wss?:\/\/[^/?#\s]+[^?#\s]*(\?(?!(?:[^#]*&)?authorization=)[^?#\s]+)?$/i

/** True if a token may be sent to this address. */
export function isSocketUrl(streamUrl: string): boolean {
  // The socket's constructor refuses a fragment.
  return SOCKET_URL.test(streamUrl)
}

/**
 * Returns the address, with the token, for a WebSocket of your own. `streamUrl` and `token` are from
 * `useSessionToken` or a token source. Call it when you open the socket, and do not keep or log the address.
 * Throws if the address is not an absolute ws or wss URL. (Contract: "WebSocket handshake", 2: the space is
 * `%20`.)
 *
 * @example const socket = new WebSocket(authorizedUrl(streamUrl, token))
 */
export function authorizedUrl(streamUrl: string, token: SessionToken): string {
  if (!isSocketUrl(streamUrl)) throw mistake('streamUrl')
  return `${streamUrl}${streamUrl.includes('?') ? '&' : '?'}authorization=${encodeText(`api-key ${token.value}`)}`
}
