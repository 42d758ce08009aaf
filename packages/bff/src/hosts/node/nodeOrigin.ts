import type { IncomingMessage } from 'node:http'
import { toOrigin } from '../toOrigin.js'

/**
 * Properties that Express adds to a request. It reads `X-Forwarded-*` as far as the host's setting `trust
 * proxy` allows.
 */
interface ExpressProperties {
  readonly protocol?: unknown
  /** In Express 5, with the port. Express 4 reports the use of this property as deprecated. */
  readonly host?: unknown
  /** The host name without the port. */
  readonly hostname?: unknown
}

/** The origin under which the request reached this server. `X-Forwarded-*` is never read here. */
export function nodeOrigin(req: IncomingMessage & ExpressProperties): string | undefined {
  const isEncrypted = 'encrypted' in req.socket && req.socket.encrypted === true
  const scheme = typeof req.protocol === 'string' ? req.protocol : isEncrypted ? 'https' : 'http'
  return toOrigin(scheme, hostOf(req))
}

function hostOf(req: IncomingMessage & ExpressProperties): string | undefined {
  const authority = req.headers[':authority']
  // HTTP/2 uses this header instead of Host. In HTTP/1 no client can send a header with this name.
  if (typeof authority === 'string') return authority
  const header = req.headers.host
  // `req.param` exists only in Express 4.
  if (!('param' in req)) return typeof req.host === 'string' ? req.host : header
  // `hostname` comes from the Host header, which also has the port, or from a trusted proxy.
  const name = typeof req.hostname === 'string' ? req.hostname : undefined
  return header?.replace(/:\d*$/, '') === name ? header : name
}
