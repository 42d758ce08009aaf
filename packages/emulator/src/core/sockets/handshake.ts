import { type HandshakeErrorCode, type Product, PRODUCT_NAMES, PRODUCTS } from '@stagepass/contract'
import { parseAuthorization } from '../request/parseRequest.js'
import type { SessionTokenRow } from '../store/rows.js'

/** Returns the product whose socket has this path. */
export function productOfPath(path: string): Product | undefined {
  return PRODUCT_NAMES.find((product) => PRODUCTS[product].path === path)
}

/**
 * Returns the client's authorization: the header, or the query parameter `authorization`, percent-decoded. A
 * plus stays a plus, because the contract encodes a space as `%20` (Contract: "WebSocket handshake"). If both
 * were sent, the header counts.
 */
export function readAuthorization(header: string | undefined, search: string): string | undefined {
  if (header !== undefined) return header
  for (const pair of search.split('&')) {
    const [name, value = ''] = pair.split(/=(.*)/s)
    if (name !== 'authorization') continue
    try {
      return decodeURIComponent(value)
    } catch {
      return value
    }
  }
  return undefined
}

export type Verdict =
  | { readonly ok: true; readonly token: SessionTokenRow }
  | { readonly ok: false; readonly code: HandshakeErrorCode }

interface Handshake {
  readonly authorization: string | undefined
  readonly product: Product
  readonly nowMs: number
  readonly findToken: (sessionKey: string) => SessionTokenRow | undefined
  /** True if all sessions of this account are in use. */
  readonly isFull: (account: string) => boolean
}

/** (Contract: "WebSocket handshake".) */
export function judgeHandshake({ authorization, product, nowMs, findToken, isFull }: Handshake): Verdict {
  if (authorization === undefined) return { ok: false, code: 'missing_authorization_header' }
  const sessionKey = parseAuthorization(authorization, 'api-key')
  if (sessionKey === undefined) return { ok: false, code: 'invalid_api_key' }
  const token = findToken(sessionKey)
  // A long-lived API key is not a session token. A token of another product does not open this socket.
  if (!token || token.product !== product || token.expiresAtMs <= nowMs) {
    return { ok: false, code: 'unauthorized' }
  }
  if (isFull(token.account)) return { ok: false, code: 'concurrency_limit_exceeded' }
  return { ok: true, token }
}
