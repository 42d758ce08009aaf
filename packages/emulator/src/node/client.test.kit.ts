import { on } from 'node:events'
import { text } from 'node:stream/consumers'
import { type Product, PRODUCTS, type UpstreamErrorEnvelope as ErrorEnvelope } from '@stagepass/contract'
import {
  MeetingsResponse,
  Participant,
  UpstreamErrorEnvelope,
  UpstreamSessionToken,
  UpstreamTokenEnvelope,
} from '@stagepass/contract/schemas'
import { expect } from 'vitest'
import { WebSocket } from 'ws'
import type { Emulator } from './createEmulator.js'

/** The client of the tests. It parses every response with the schemas of `@stagepass/contract`. */

export const TOKEN_PATH = '/v2/sdk/tokens/session'

export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
}

export async function send(url: string, init: RequestInit = {}): Promise<Reply> {
  const response = await fetch(url, { redirect: 'manual', ...init })
  return { status: response.status, headers: response.headers, body: parseText(await response.text()) }
}

/** `POST` to the token endpoint with the built-in key. `init` overrides it. */
export function postToken(upstream: Emulator, body: unknown, init: RequestInit = {}): Promise<Reply> {
  return send(upstream.baseUrl + TOKEN_PATH, {
    method: 'POST',
    headers: { authorization: `api-key ${upstream.apiKey}`, 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...init,
  })
}

export async function issueToken(
  upstream: Emulator,
  body: unknown,
  init?: RequestInit,
): Promise<UpstreamSessionToken> {
  const reply = await postToken(upstream, body, init)
  expect(reply.status).toBe(200)
  return UpstreamTokenEnvelope.strict().extend({ data: UpstreamSessionToken.strict() }).parse(reply.body).data
}

export async function refuseToken(
  upstream: Emulator,
  body: unknown,
  init?: RequestInit,
): Promise<ErrorEnvelope & { status: number }> {
  const { status, body: envelope } = await postToken(upstream, body, init)
  return { status, ...UpstreamErrorEnvelope.strict().parse(envelope) }
}

/** Headers with another key. */
export function withKey(key: string): RequestInit {
  return { headers: { authorization: `api-key ${key}`, 'content-type': 'application/json' } }
}

/** `GET` below the meetings base with the built-in credential. */
export function getMeetings(upstream: Emulator, path: string, credential?: string): Promise<Reply> {
  return send(upstream.meetingsUrl + path, {
    headers: { authorization: `Bearer ${credential ?? upstream.meetingsCredential}` },
  })
}

/** The list in strict form: only `meetings`, `next_cursor` and `total`. */
export async function listMeetings(
  upstream: Emulator,
  query: Record<string, string> = {},
  credential?: string,
): Promise<MeetingsResponse> {
  const reply = await getMeetings(upstream, `/meetings?${new URLSearchParams(query)}`, credential)
  expect(reply.status).toBe(200)
  const answer = MeetingsResponse.strict().parse(reply.body)
  for (const { participants } of answer.meetings) {
    if (participants !== undefined) Participant.array().parse(participants)
  }
  return answer
}

export async function listIds(upstream: Emulator, query: Record<string, string> = {}): Promise<string[]> {
  const { meetings } = await listMeetings(upstream, { limit: '100', ...query })
  return meetings.map(({ id }) => id)
}

/** The text of `{ error }`. Fails for any other form. */
export function errorOf({ body }: Reply): string {
  expect(body).toEqual({ error: expect.any(String) })
  return (body as { error: string }).error
}

/**
 * Waits until the condition is true. A test that waits in vain reaches its time limit. It uses no timers, so
 * fake timers may be active.
 */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve))
}

/** A client's socket, with the messages that it received. */
export interface Client extends AsyncDisposable {
  readonly socket: WebSocket
  /** The next unread frame: text as a string, otherwise bytes. Fails if the socket closes first. */
  next(): Promise<string | Buffer>
  /** The next text frame, as JSON. */
  nextJson(): Promise<Record<string, unknown>>
  readonly closed: Promise<{ code: number; reason: string }>
}

export type Handshake =
  | { readonly type: 'open'; readonly client: Client }
  | { readonly type: 'refused'; readonly status: number; readonly body: unknown }
  /** Without an HTTP answer. */
  | { readonly type: 'broken' }

export interface HandshakeInit {
  readonly path?: string | undefined
  /** Raw, with its question mark. */
  readonly query?: string | undefined
  readonly headers?: Record<string, string> | undefined
}

export function handshake(upstream: Emulator, init: HandshakeInit): Promise<Handshake> {
  const { path = '/stt', query = '', headers = {} } = init
  const socket = new WebSocket(upstream.streamingUrl + path + query, { headers })
  const client = createClient(socket)
  return new Promise((resolve) => {
    socket.once('open', () => resolve({ type: 'open', client }))
    socket.once('error', () => resolve({ type: 'broken' }))
    socket.once('unexpected-response', (request, response) => {
      void text(response).then((body) => {
        request.destroy()
        resolve({ type: 'refused', status: response.statusCode ?? 0, body: parseText(body) })
      })
    })
  })
}

function parseText(body: string): unknown {
  return body === '' ? undefined : JSON.parse(body)
}

/** A socket on a fresh token of the product, opened with a header. */
export async function openStream(upstream: Emulator, product: Product): Promise<Client> {
  const { session_key } = await issueToken(upstream, { usage_type: product })
  return openWith(upstream, product, session_key)
}

export async function openWith(upstream: Emulator, product: Product, sessionKey: string): Promise<Client> {
  const result = await handshake(upstream, {
    path: PRODUCTS[product].path,
    headers: { authorization: `api-key ${sessionKey}` },
  })
  if (result.type !== 'open') throw new Error(`the handshake was ${JSON.stringify(result)}`)
  return result.client
}

function createClient(socket: WebSocket): Client {
  const messages = on(socket, 'message', { close: ['close'] })
  socket.on('error', () => undefined)
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.once('close', (code, reason) => resolve({ code, reason: reason.toString() }))
  })

  const client: Client = {
    socket,
    closed,
    async next() {
      const { value, done } = await messages.next()
      if (done) throw new Error('The socket is closed.')
      const [data, isBinary] = value as [Buffer, boolean]
      return isBinary ? data : data.toString()
    },
    async nextJson() {
      const frame = await client.next()
      if (typeof frame !== 'string') throw new Error(`got ${frame.length} bytes where a text frame was due`)
      return JSON.parse(frame) as Record<string, unknown>
    },
    async [Symbol.asyncDispose]() {
      socket.terminate()
      await closed
    },
  }
  return client
}
