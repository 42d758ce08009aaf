/** One kind of request to the voice service. A fault names the endpoints that it applies to. */
export type Endpoint = 'token' | 'handshake' | 'list' | 'meeting' | 'tags'

/** Names are in lower case. */
export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>> & {
  readonly authorization?: string | undefined
  readonly 'content-type'?: string | undefined
}

/** Fields of meetings with other values than the emulator's own. */
export interface OddFields {
  /** The value of each field, of any type. A value of `undefined` removes the field. */
  readonly fields: Readonly<Record<string, unknown>>
  /** The meeting that gets them. Default: each meeting. */
  readonly id: string | undefined
}

/** A request in the form that routes get. */
export interface HttpRequest {
  readonly method: string
  /** The path without the query, as it arrived: not decoded. */
  readonly path: string
  /** The decoded query. A repeated name has a list. */
  readonly query: Query
  readonly headers: RequestHeaders
  readonly body: Body
  /** The faults of single meetings, the newest first. */
  readonly odd?: readonly OddFields[] | undefined
  readonly nowMs: number
}

/** A parsed query. A repeated parameter is an array. */
export type Query = Readonly<Record<string, string | string[]>>

/** A request's body: nothing, a JSON value, or a text that is not JSON. */
export type Body =
  | { readonly type: 'none' }
  | { readonly type: 'json'; readonly value: unknown }
  | { readonly type: 'text'; readonly text: string }

/**
 * The response of a route or a fault. A string body is sent unchanged, and any other body as JSON. Header
 * names are in lower case.
 */
export interface HttpResponse {
  readonly status: number
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** A content encoding of a response. */
export type Coding = 'gzip' | 'br' | 'deflate'

/** A response in the form that the transport sends. */
export interface EncodedResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | number>>
  readonly body: EncodedBody
  /** The transport encodes the body, and sets its length. */
  readonly coding?: Coding | undefined
}

export type EncodedBody =
  | { readonly type: 'text'; readonly text: string }
  /** The text is written, then the connection is dropped. */
  | { readonly type: 'part'; readonly text: string }
  /** `count` spaces and then `{}`, as fast as the client reads. */
  | { readonly type: 'spaces'; readonly count: number }
  /** A space every `everyMs`, until the client leaves. */
  | { readonly type: 'endless'; readonly everyMs: number }
