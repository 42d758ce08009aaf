import { type SeenOf, stripBom, TransportError } from '@stagepass/contract'
import type { z } from 'zod'
import { codingsOf } from '../base/contentEncoding.js'
import { valueKind } from '../base/valueKind.js'
import { hasTooMuch } from './readJson.js'
import type { UpstreamResponse } from './UpstreamResponse.js'

/*
 * What a line for the operator says of a failed call. Of the service it has only numbers and names.
 * (security.md, S60 and S63.)
 */

type Malformed = SeenOf<'UPSTREAM_MALFORMED'>
type Unreachable = SeenOf<'UPSTREAM_UNREACHABLE'>

/** What is wrong with a response that could not be read. */
export function seenInResponse(response: UpstreamResponse): Malformed {
  const { status, text, contentType = '', contentEncoding, location } = response
  const [mediaType = ''] = contentType.toLowerCase().split(';')
  const type = isName(mediaType.trim()) ? mediaType.trim() : 'no known media type'
  const elsewhere = (what: string): Malformed => ({ cause: 'elsewhere', status, what })
  if (status >= 300 && status < 400) return elsewhere(`, a redirect${hostOf(location)}`)
  if (hasTooMuch(text))
    return { cause: 'large', more: 'values, or different names, than a page of the service has' }
  if (contentEncoding !== undefined) {
    const codings = codingsOf(contentEncoding)
    const named = codings.every(isName) ? ` ${codings.join(', ')}` : ''
    return { cause: 'changed', status, type, what: `its coding${named} could not be decoded` }
  }
  const begin = stripBom(text).trimStart()
  if (/html/.test(type) || /^<(?:!doctype|html)/i.test(begin)) return elsewhere(' with a page of HTML')
  if (status >= 400) return elsewhere(' without an error code')
  if (begin === '') return elsewhere(' with an empty body')
  if (contentType !== '' && !/[/+]json$/.test(type)) return elsewhere(` with ${type}`)
  const what = /^[{[](?![\0\uFFFD])/.test(begin)
    ? 'it is not valid JSON to its end: it may be cut off'
    : 'it is not JSON in UTF-8: it may be compressed, or in another encoding'
  return { cause: 'changed', status, type, what }
}

/** A body over the limit in bytes. */
export function seenAsTooLarge(maxBytes: number): Malformed {
  const limit = maxBytes >= 1_048_576 ? `${maxBytes / 1_048_576} MiB` : `${maxBytes / 1_024} KiB`
  return { cause: 'large', more: `than ${limit}` }
}

/** The host alone, if it is a name: the rest of a redirect may hold anything. */
function hostOf(location = ''): string {
  if (!URL.canParse(location)) return ''
  const { hostname } = new URL(location)
  return isName(hostname) ? ` to ${hostname}` : ''
}

/** The fields with a value that may be a name. Each other one may hold a secret or the words of a user. */
const NAMED = ['data.type', 'data.usage_type', 'data.expires_at']

/** A place in a JSON body that did not fit, with what is there. */
export function seenInField(body: unknown, path: string, expected: string): Malformed {
  return { cause: 'field', path, value: shownValue(body, path), expected }
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

/** The kind of the value at a path, or the value itself if it is a name. */
export function shownValue(body: unknown, path: string): string {
  let value = body
  for (const key of path === '' ? [] : path.split('.')) {
    value = Object.hasOwn(Object(value), key) ? (Reflect.get(Object(value), key) as unknown) : undefined
  }
  if (value === undefined) return 'missing'
  if (typeof value === 'string' && NAMED.includes(path) && isName(value)) return `"${value}"`
  return valueKind(value)
}

const NOT_HTTP = ['http', 'is not HTTP, or breaks its rules'] as const
const NO_TLS = ['http', 'is not TLS'] as const

/** What the system's name of a failed connection means: the cause, and words for it. */
const FAILURES: Readonly<Record<string, readonly [cause: Unreachable['cause'], what: string]>> = {
  ECONNREFUSED: ['address', 'nothing listens there'],
  ENOTFOUND: ['address', 'there is no such host name'],
  EAI_AGAIN: ['address', 'the host name could not be resolved'],
  ENETUNREACH: ['address', 'there is no route to it'],
  EHOSTUNREACH: ['address', 'there is no route to it'],
  EADDRNOTAVAIL: ['address', 'there is no route to it'],
  ETIMEDOUT: ['address', 'it took too long'],
  UND_ERR_CONNECT_TIMEOUT: ['address', 'it took too long'],
  EPROTO: NO_TLS,
  ECONNRESET: ['closed', ''],
  EPIPE: ['closed', ''],
  UND_ERR_SOCKET: ['closed', ''],
  HTTPParserError: NOT_HTTP,
  UND_ERR_HEADERS_OVERFLOW: NOT_HTTP,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: NOT_HTTP,
  'bad response': ['http', 'is a 100 (Continue) that was not asked for'],
  CERT_HAS_EXPIRED: ['certificate', 'it has expired'],
  CERT_NOT_YET_VALID: ['certificate', 'it is not valid yet'],
  CERT_REVOKED: ['certificate', 'it was revoked'],
  DEPTH_ZERO_SELF_SIGNED_CERT: ['certificate', 'it is signed by itself'],
  SELF_SIGNED_CERT_IN_CHAIN: ['certificate', 'its authority is not known here'],
  UNABLE_TO_GET_ISSUER_CERT: ['certificate', 'its authority is not known here'],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: ['certificate', 'its authority is not known here'],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: ['certificate', 'its authority, or one between, is not known here'],
  ERR_TLS_CERT_ALTNAME_INVALID: ['certificate', 'it is for another host'],
}

/** What is known of a connection that failed. `variable`: the variable that names a proxy, if one is set. */
export function seenInFailure(thrown: unknown, failure: string, variable: string | undefined): Unreachable {
  const isCut = thrown instanceof TransportError && thrown.answered
  const known = FAILURES[failure] ?? (/^ERR_(?:SSL|TLS)_/.test(failure) ? NO_TLS : undefined)
  const [cause, what] = known ?? [isCut ? 'closed' : 'address', 'it failed']
  if (cause === 'closed')
    return { cause, failure, what: isCut ? 'in the middle of the response' : 'before the response, twice' }
  if (cause === 'address' && known && variable !== undefined)
    return { cause: 'proxy', failure, what, variable }
  return { cause, failure, what }
}

/** The variable that names a proxy, which the BFF does not read. Without a process there is none. */
export function proxyVariable(): string | undefined {
  const { process } = globalThis as { process?: { env?: Readonly<Record<string, string | undefined>> } }
  return ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'].find(
    (name) => process?.env?.[name],
  )
}

/** Words of letters in one case. */
const NAME = /^(?:[a-z]{1,16}(?:[/_.+-][a-z]{1,16}){0,5}|[A-Z]{1,16}(?:_[A-Z]{1,16}){0,5})$/

/**
 * True for a word of the service that may be printed: the name of a media type, a coding, a host or a state,
 * such as `application/json`. It has no digit, no long word and one case, so no secret has this form.
 * (security.md, S60.)
 */
const isName = (text: string): boolean => NAME.test(text)
