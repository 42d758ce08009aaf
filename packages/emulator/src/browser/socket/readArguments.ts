/**
 * What the interface WebSocket of a page refuses, and how. (WHATWG WebSockets, "The WebSocket interface".)
 */

/** A close frame holds so many bytes of reason. */
const MAX_REASON_BYTES = 123

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

/** The address of a new WebSocket. Throws a SyntaxError if it is not one. */
export function readUrl(given: string | URL): URL {
  const refuse = (why: string): never => {
    throw new DOMException(`Failed to construct 'WebSocket': ${why}`, 'SyntaxError')
  }
  let url: URL
  try {
    url = new URL(given, globalThis.location?.href)
  } catch {
    return refuse(`The URL '${given}' is invalid.`)
  }
  if (url.protocol === 'http:') url.protocol = 'ws:'
  if (url.protocol === 'https:') url.protocol = 'wss:'
  if (!/^wss?:$/.test(url.protocol)) refuse(`The URL's scheme must be 'ws' or 'wss'.`)
  if (url.href.includes('#')) refuse('The URL contains a fragment identifier.')
  return url
}

/** The subprotocols that a page offers. Throws a SyntaxError if one is not a token or comes twice. */
export function readProtocols(given: string | readonly string[]): readonly string[] {
  const protocols = typeof given === 'string' ? [given] : [...given].map(String)
  const wrong = protocols.find((name, index) => !TOKEN.test(name) || protocols.indexOf(name) !== index)
  if (wrong === undefined) return protocols
  throw new DOMException(
    `Failed to construct 'WebSocket': The subprotocol '${wrong}' is invalid or comes twice.`,
    'SyntaxError',
  )
}

/**
 * A code as the interface takes it: a whole number of 16 bits. Throws an InvalidAccessError for one that is
 * not for pages.
 */
export function readCloseCode(given: number | undefined): number | undefined {
  if (given === undefined) return undefined
  const code = Math.round(Math.min(Math.max(given, 0), 0xffff)) || 0
  if (code === 1_000 || (code >= 3_000 && code <= 4_999)) return code
  throw new DOMException(
    `Failed to execute 'close' on 'WebSocket': The close code must be 1000, or between 3000 and 4999. ${code} is neither.`,
    'InvalidAccessError',
  )
}

/** Throws a SyntaxError if the reason is too long. */
export function readCloseReason(given: string | undefined): string {
  const reason = given === undefined ? '' : given
  if (new TextEncoder().encode(reason).length <= MAX_REASON_BYTES) return reason
  throw new DOMException(
    `Failed to execute 'close' on 'WebSocket': The close reason must not be greater than ${MAX_REASON_BYTES} UTF-8 bytes.`,
    'SyntaxError',
  )
}
