import type { IncomingHttpHeaders } from 'node:http'

/** What a route sees of a request. */
export interface Call {
  readonly method: string
  /** Without the query, as it came: not decoded. */
  readonly path: string
  /** Decoded. A repeated name holds a list. */
  readonly query: Query
  readonly headers: IncomingHttpHeaders
  readonly body: Body
  readonly nowMs: number
}

export type Query = Readonly<Record<string, string | string[]>>

/** A request's body: nothing, a JSON value, or a text that is not JSON. */
export type Body =
  | { readonly type: 'none' }
  | { readonly type: 'json'; readonly value: unknown }
  | { readonly type: 'text'; readonly text: string }

/** What a route answers; `body` is sent as JSON, save a string, which is sent as it is. Header names are in lower case. */
export interface Answer {
  readonly status: number
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** The answer's text and headers; `nowMs` is the emulator's clock, not the machine's. */
export function encodeAnswer(
  { body, headers }: Answer,
  nowMs: number,
): { text: string; headers: Record<string, string | number> } {
  const isText = typeof body === 'string'
  const text = body === undefined ? '' : isText ? body : JSON.stringify(body)
  return {
    text,
    headers: {
      date: new Date(nowMs).toUTCString(),
      'content-type': isText ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(text),
      ...headers,
    },
  }
}

export function splitTarget(target: string): { path: string; search: string } {
  const mark = target.indexOf('?')
  return mark === -1
    ? { path: target, search: '' }
    : { path: target.slice(0, mark), search: target.slice(mark + 1) }
}

export function parseQuery(search: string): Query {
  if (search === '') return {}
  const values = new Map<string, string | string[]>()
  for (const [name, value] of new URLSearchParams(search)) {
    const before = values.get(name)
    values.set(name, before === undefined ? value : [before, value].flat())
  }
  // fromEntries defines own properties: `__proto__` is a name like any other.
  return Object.fromEntries(values)
}

export function parseBody(bytes: Buffer): Body {
  if (bytes.length === 0) return { type: 'none' }
  const text = bytes.toString('utf8')
  try {
    return { type: 'json', value: JSON.parse(text) as unknown }
  } catch {
    return { type: 'text', text }
  }
}

/** The credential of an `Authorization` value of this scheme, which is matched without regard to case; `undefined` where it has another form. */
export function parseAuthorization(value: string, scheme: 'api-key' | 'bearer'): string | undefined {
  const space = value.indexOf(' ')
  if (space === -1 || value.slice(0, space).toLowerCase() !== scheme) return undefined
  const credential = value.slice(space).trim()
  return credential === '' || /\s/.test(credential) ? undefined : credential
}
