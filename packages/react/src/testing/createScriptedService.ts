import type { BffErrorCode, HandshakeErrorCode, Product } from '@stagepass/contract'
import {
  BFF_ERRORS,
  HANDSHAKE_ERRORS,
  PRODUCT_NAMES,
  PRODUCTS,
  readRefusedUpgrade,
} from '@stagepass/contract'
import type { Platform } from '../platform/platform.js'
import type { OpenSocket, SendData, SocketListener } from '../platform/socket.js'
import type { OwnedConnection, ScriptedConnection } from './createScriptedConnection.js'
import { createScriptedConnection } from './createScriptedConnection.js'

/** How often a script applies. Default: once. */
export interface Times {
  times?: number | undefined
}

export interface RefuseOptions extends Times {
  /** How a refusal reaches the client: as a status (seen as close 1006), as an error frame, or as a close reason. Default `status`. */
  by?: 'status' | 'frame' | 'close' | undefined
}

export interface ScriptedServiceOptions {
  readonly platform: Platform
  /** True milliseconds, the machine's sleep included. */
  readonly now: () => number
  /** Life of a token. Default 180 minutes. */
  readonly ttlMs?: number | undefined
  /** Default 5. */
  readonly handshakeMs?: number | undefined
  /** Time that the BFF takes to answer. Default 10. */
  readonly answerMs?: number | undefined
}

/** A handshake, as it began. `token` counts the tokens that were granted, from 1; times are true milliseconds. */
export interface ScriptedHandshake {
  readonly product: Product
  readonly token: number
  readonly at: number
  readonly expiresAt: number
}

/** The BFF and the streams of a page, in memory. */
export interface ScriptedService {
  readonly fetch: typeof globalThis.fetch
  readonly openSocket: OpenSocket
  /** Every handshake that was tried, refused ones included, in order. */
  readonly handshakes: readonly ScriptedHandshake[]
  /** Every connection that came about, in order. */
  readonly connections: readonly ScriptedConnection[]
  /** The same, with those that were refused, given up or are still waiting. */
  readonly attempts: readonly ScriptedConnection[]
  /** Tokens that were granted. */
  readonly tokensGranted: number
  /** Handshakes that the BFF was asked to try. */
  readonly checks: number
  /** What a server does with a message. Default: nothing. */
  onMessage: (connection: ScriptedConnection, data: SendData) => void
  /** More than so many connections at once are refused with `concurrency_limit_exceeded`. Default: no limit. */
  maxSessions: number
  /** Connections are closed when their token expires. Default false. */
  cutAtExpiry: boolean
  /** The next token requests are answered with this error. */
  failToken(code: BffErrorCode, options?: Times): void
  /** The next handshakes are refused, with one of the four codes or with a bare number such as 402. */
  refuse(cause: HandshakeErrorCode | number, options?: RefuseOptions): void
  /** The next handshakes are never answered. */
  hang(options?: Times): void
  /** The next connections are accepted and closed at once. */
  acceptThenClose(options?: Times & { code?: number | undefined; reason?: string | undefined }): void
  /** Cuts the connection in use after so many more messages from the client. */
  dropAfter(messages: number): void
  /** No request and no handshake reaches anything. */
  unreachable: boolean
  /** The service forgets all tokens granted so far: they are refused from now on, and cut under `cutAtExpiry`. */
  revokeTokens(): void
}

const ORIGIN = 'http://scripted.invalid'

type Script =
  | {
      readonly act: 'refuse'
      readonly cause: HandshakeErrorCode | number
      readonly by: 'status' | 'frame' | 'close'
    }
  | { readonly act: 'hang' }
  | { readonly act: 'close'; readonly code: number; readonly reason: string }

interface Granted {
  readonly number: number
  readonly product: Product
  readonly expiresAt: number
  revoked: boolean
}

export function createScriptedService(options: ScriptedServiceOptions): ScriptedService {
  const { platform, now, ttlMs = 180 * 60_000, handshakeMs = 5, answerMs = 10 } = options
  const tokens = new Map<string, Granted>()
  const tokenErrors: BffErrorCode[] = []
  const scripts: Script[] = []
  const attempts: OwnedConnection[] = []
  const connections: OwnedConnection[] = []
  const handshakes: ScriptedHandshake[] = []
  let checks = 0
  let leftBeforeDrop = Infinity

  const after = (ms: number): Promise<void> =>
    new Promise((resolve) => void platform.setTimeout(() => resolve(), ms))

  function repeat<TItem>(list: TItem[], item: TItem, { times = 1 }: Times = {}): void {
    for (let index = 0; index < times; index += 1) list.push(item)
  }

  function grant(product: Product): Response {
    const error = tokenErrors.shift()
    if (error) return problem(error)
    const number = tokens.size + 1
    const key = `scripted-${product}-${number}`
    tokens.set(key, { number, product, expiresAt: now() + ttlMs, revoked: false })
    return Response.json({
      session_key: key,
      usage_type: product,
      type: 'session',
      status: 'LICENSE_VALID',
      expires_at: new Date(platform.wallNow() + ttlMs).toISOString(),
      expires_in_ms: ttlMs,
      stream_url: `wss://scripted.invalid${PRODUCTS[product].path}`,
    })
  }

  /** Why this token would not be let in just now. */
  function refusalOf(token: Granted | undefined): HandshakeErrorCode | undefined {
    if (!token || token.revoked || token.expiresAt <= now()) return 'unauthorized'
    const open = connections.filter(({ status }) => status === 'open').length
    return open >= service.maxSessions ? 'concurrency_limit_exceeded' : undefined
  }

  async function answer(path: string, body: Record<string, string>): Promise<Response> {
    // There and back: what is granted may be old when it arrives.
    await after(answerMs / 2)
    if (service.unreachable) throw new TypeError('Failed to fetch')
    const answered = answerHere(path, body)
    await after(answerMs / 2)
    return answered
  }

  function answerHere(path: string, body: Record<string, string>): Response {
    if (path === '/session-token') return grant(body.usage_type as Product)
    if (path !== '/handshake-check') return problem('NOT_FOUND')
    checks += 1
    const script = scripts[0]?.act === 'refuse' ? scripts.shift() : undefined
    const cause = script?.act === 'refuse' ? script.cause : refusalOf(tokens.get(body.session_key ?? ''))
    if (cause === undefined) return Response.json({ ok: true })
    const refusal = readRefusedUpgrade({ status: statusOf(cause), body: String(cause) })
    return Response.json({
      ok: false,
      error_code: refusal?.code,
      retryable: refusal?.retryable,
      status: refusal?.status,
    })
  }

  function accept(connection: OwnedConnection): void {
    connections.push(connection)
    connection.accept()
  }

  function refuse(connection: OwnedConnection, { cause, by }: Extract<Script, { act: 'refuse' }>): void {
    connection.refusedWith = cause
    if (by === 'status') {
      connection.drop()
      return
    }
    accept(connection)
    if (by === 'frame') {
      connection.send(JSON.stringify({ error: { code: statusOf(cause), reason: String(cause) } }))
      connection.close(1008)
    } else {
      connection.close(4_000 + statusOf(cause), String(cause))
    }
  }

  function shake(connection: OwnedConnection, token: Granted | undefined): void {
    if (connection.status === 'closed') return
    if (service.unreachable) {
      connection.drop()
      return
    }
    const script = scripts.shift()
    const code = refusalOf(token)
    if (script?.act === 'hang') return
    if (script?.act === 'refuse') return refuse(connection, script)
    if (code || !token)
      return refuse(connection, { act: 'refuse', cause: code ?? 'unauthorized', by: 'status' })
    accept(connection)
    if (script?.act === 'close') connection.close(script.code, script.reason)
    else if (service.cutAtExpiry) cutAt(connection, token)
  }

  function cutAt(connection: OwnedConnection, token: Granted): void {
    platform.setTimeout(
      () => (token.expiresAt > now() ? cutAt(connection, token) : connection.close(4_401, 'unauthorized')),
      Math.ceil(token.expiresAt - now()),
    )
  }

  function openSocket(url: string, listener: SocketListener): OwnedConnection['client'] {
    const { pathname, searchParams } = new URL(url)
    const product = PRODUCT_NAMES.find((name) => PRODUCTS[name].path === pathname) ?? 'stt'
    const token = tokens.get(searchParams.get('authorization')?.replace('api-key ', '') ?? '')
    const connection = createScriptedConnection({
      product,
      token: token?.number ?? 0,
      listener,
      onReceived(from, data) {
        leftBeforeDrop -= 1
        service.onMessage(from, data)
        if (leftBeforeDrop > 0) return
        leftBeforeDrop = Infinity
        from.drop()
      },
    })
    handshakes.push({ product, token: connection.token, at: now(), expiresAt: token?.expiresAt ?? -Infinity })
    attempts.push(connection)
    void after(handshakeMs).then(() => shake(connection, token?.product === product ? token : undefined))
    return connection.client
  }

  const service: ScriptedService = {
    async fetch(input, init) {
      const request = new Request(new URL(input instanceof Request ? input.url : input, ORIGIN), init)
      const body = request.method === 'POST' ? ((await request.json()) as Record<string, string>) : {}
      return answer(new URL(request.url).pathname.replace(/^.*(?=\/)/, ''), body)
    },
    openSocket,
    handshakes,
    attempts,
    connections,
    get tokensGranted() {
      return tokens.size
    },
    get checks() {
      return checks
    },
    onMessage() {},
    maxSessions: Infinity,
    cutAtExpiry: false,
    unreachable: false,
    failToken: (code, times) => repeat(tokenErrors, code, times),
    refuse: (cause, { by = 'status', times } = {}) =>
      repeat(scripts, { act: 'refuse', cause, by }, { times }),
    hang: (times) => repeat(scripts, { act: 'hang' }, times),
    acceptThenClose: ({ code = 1000, reason = '', times } = {}) =>
      repeat(scripts, { act: 'close', code, reason }, { times }),
    dropAfter(messages) {
      leftBeforeDrop = messages
    },
    revokeTokens() {
      for (const token of tokens.values()) token.revoked = true
      if (!service.cutAtExpiry) return
      for (const connection of connections) connection.close(4_401, 'unauthorized')
    },
  }
  return service
}

function statusOf(cause: HandshakeErrorCode | number): number {
  return typeof cause === 'number' ? cause : HANDSHAKE_ERRORS[cause].status
}

function problem(code: BffErrorCode): Response {
  const { status, retryable } = BFF_ERRORS[code]
  return Response.json(
    { title: code, status, error_code: code, retryable, request_id: 'scripted' },
    { status },
  )
}
