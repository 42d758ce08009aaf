import { type SeenOf, stripBom, TransportError } from '@stagepass/contract'
import type { z } from 'zod'
import { excessOf, MAX_VALUES } from './readJson.js'
import type { UpstreamResponse } from './UpstreamResponse.js'

/*
 * What a line for the operator says of a failed call. It holds few words of the service: a media type, an
 * origin, the name of an encoding, and the value of a field that is never a secret. (security.md, S63.)
 */

type Malformed = SeenOf<'UPSTREAM_MALFORMED'>
type Unreachable = SeenOf<'UPSTREAM_UNREACHABLE'>

const MEDIA_TYPE = /^[\w.+-]{1,40}\/[\w.+-]{1,60}$/

/** The media type of a response, or words for the lack of one. */
function typeOf({ contentType = '' }: UpstreamResponse): string {
  const [type = ''] = contentType.split(';')
  return MEDIA_TYPE.test(type.trim()) ? type.trim().toLowerCase() : 'no content type'
}

/** What is wrong with a response whose body could not be read as JSON, or `undefined` for a 2xx of JSON. */
export function seenInResponse(response: UpstreamResponse): Malformed {
  const { status, text, contentEncoding } = response
  const type = typeOf(response)
  if (status >= 300 && status < 400) return { cause: 'redirect', status, to: originOf(response.location) }
  const excess = excessOf(text)
  if (excess === 'names') return { cause: 'names' }
  if (excess === 'values') return { cause: 'values', limit: MAX_VALUES.toLocaleString('en') }
  if (contentEncoding !== undefined) return { cause: 'encoding', encoding: contentEncoding.slice(0, 40) }
  if (/html/.test(type) || /^\s*<(?:!doctype|html)/i.test(text)) return { cause: 'page', status }
  if (status >= 400) return { cause: 'status', status }
  if (text.trim() === '') return { cause: 'empty', status }
  const isSaidToBeJson = /[/+]json$/.test(type) || type === 'no content type'
  return { cause: isSaidToBeJson ? unreadableAs(text) : 'type', status, type }
}

/** How a text that is no JSON begins. What is not UTF-8 was decoded to U+FFFD; UTF-16 has a NUL in each letter. */
function unreadableAs(text: string): 'cut' | 'bytes' | 'text' {
  if (/[\0\uFFFD]/.test(text.slice(0, 64))) return 'bytes'
  return /^\s*[{[]/.test(stripBom(text)) ? 'cut' : 'text'
}

/** A body over the limit in bytes. */
export function seenAsTooLarge(maxBytes: number): Malformed {
  return {
    cause: 'large',
    limit: maxBytes >= 1_048_576 ? `${maxBytes / 1_048_576} MiB` : `${maxBytes / 1_024} KiB`,
  }
}

/** The origin alone: path and query of a redirect may hold anything. */
function originOf(location: string | undefined): string {
  if (location === undefined) return 'no address'
  try {
    const { origin, hostname } = new URL(location, 'https://same.invalid')
    return hostname === 'same.invalid' ? 'another path of the same host' : origin.slice(0, 120)
  } catch {
    return 'no address'
  }
}

/**
 * The fields whose values may be printed, with the form that a printed value has: a number, a word, or most
 * of what is written for a time. Every other field may hold a secret or the words of a user.
 */
const PRINTED: Readonly<Record<string, RegExp>> = {
  code: /^-?\d{1,9}$/,
  'data.type': /^[a-z][a-z_-]{0,15}$/i,
  'data.usage_type': /^[a-z][a-z_-]{0,15}$/i,
  'data.expires_at': /^[\w :.+-]{1,28}$/,
}

/** The first place in a JSON body that did not fit, with what is there. `expected`: what should be there. */
export function seenInField(body: unknown, path: string, expected: string): Malformed {
  return { cause: 'field', path, value: shownValue(body, path), expected: `, but must be ${expected}` }
}

/** The first issue of a schema. */
export function seenInIssues(body: unknown, { issues: [issue] }: z.ZodError): Malformed {
  const path = issue?.path.join('.') ?? ''
  const expected =
    issue?.code === 'invalid_type'
      ? `${/^[aeiou]/.test(issue.expected) ? 'an' : 'a'} ${issue.expected}`
      : issue?.code === 'invalid_value'
        ? issue.values.map((value) => JSON.stringify(value)).join(' or ')
        : 'another value'
  return seenInField(body, path, expected)
}

/** The kind of the value at a path, and the value itself if it may be printed. */
export function shownValue(body: unknown, path: string): string {
  let value = body
  for (const key of path === '' ? [] : path.split('.')) {
    value = Object.hasOwn(Object(value), key) ? (Reflect.get(Object(value), key) as unknown) : undefined
  }
  if (value === undefined) return 'missing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'an object'
  if (typeof value === 'string' && value === '') return 'empty'
  const kind = typeof value === 'string' ? 'text' : typeof value
  const shown = JSON.stringify(value).replaceAll('"', '')
  if (!PRINTED[path]?.test(shown)) return `a ${kind}`
  return kind === 'text' ? `"${shown}"` : shown
}

/** Reasons of certificates that were not accepted, by the system's names. */
const CERTIFICATES: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'it has expired',
  CERT_NOT_YET_VALID: 'it is not valid yet',
  CERT_REVOKED: 'it was revoked',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'it is signed by itself',
  SELF_SIGNED_CERT_IN_CHAIN: 'its authority is not known here',
  UNABLE_TO_GET_ISSUER_CERT: 'its authority is not known here',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its authority is not known here',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its authority is not known here, or a certificate between is missing',
  ERR_TLS_CERT_ALTNAME_INVALID: 'it is for another host',
}

const CAUSES: Readonly<Record<string, Unreachable['cause']>> = {
  ECONNREFUSED: 'refused',
  ENOTFOUND: 'name',
  EAI_AGAIN: 'name',
  EAI_NONAME: 'name',
  ECONNRESET: 'closed',
  EPIPE: 'closed',
  UND_ERR_SOCKET: 'closed',
  ETIMEDOUT: 'slow',
  UND_ERR_CONNECT_TIMEOUT: 'slow',
  ENETUNREACH: 'network',
  EHOSTUNREACH: 'network',
  EADDRNOTAVAIL: 'network',
  EPROTO: 'tls',
  HTTPParserError: 'http',
  UND_ERR_HEADERS_OVERFLOW: 'http',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'http',
}

/** Names of connections that a proxy would have made. */
const PROXIED = new Set<Unreachable['cause']>(['refused', 'name', 'slow', 'network'])

/** What is known of a connection that failed. `variable`: the variable that names a proxy, if one is set. */
export function seenInFailure(cause: unknown, failure: string, variable: string | undefined): Unreachable {
  const isCut = cause instanceof TransportError && cause.answered
  const reason = CERTIFICATES[failure]
  if (reason !== undefined) return { cause: 'certificate', failure, reason }
  if (/^ERR_(?:SSL|TLS)_/.test(failure)) return { cause: 'tls', failure }
  const known = CAUSES[failure]
  if (known === undefined) return { cause: 'unknown', failure }
  if (variable !== undefined && PROXIED.has(known)) return { cause: 'proxy', failure, variable }
  return { cause: known === 'closed' && isCut ? 'cut' : known, failure }
}

/** The variable that names a proxy, which the BFF does not read. Without a process there is none. */
export function proxyVariable(): string | undefined {
  const { process } = globalThis as { process?: { env?: Readonly<Record<string, string | undefined>> } }
  return ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'].find(
    (name) => process?.env?.[name],
  )
}
