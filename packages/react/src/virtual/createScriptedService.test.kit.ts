import {
  BFF_ERRORS,
  type BffErrorCode,
  HANDSHAKE_ERRORS,
  type HandshakeErrorCode,
  PRODUCT_NAMES,
  PRODUCTS,
  type Product,
  type ProductUsage,
  readRefusedUpgrade,
  USER_HEADER,
} from '@stagepass/contract'
import type { Identity } from '../identity/Client.js'
import type { Platform } from '../platform/platform.js'
import type { OpenSocket } from '../platform/socket.js'
import { mergeHeaders } from '../request/mergeHeaders.js'
import { createScriptedSessions } from './createScriptedSessions.test.kit.js'
import { createScriptedConnection, type ScriptedConnection } from './createScriptedConnection.test.kit.js'

interface ScriptedServiceOptions {
  readonly platform: Platform
  /** The identity of the page. */
  readonly present: () => Identity
  /** Real milliseconds, including the machine's sleep. */
  readonly now: () => number
  /** Life of a token. Default 180 minutes. */
  readonly ttlMs?: number | undefined
  /** Time that a handshake takes. Default 5. */
  readonly handshakeMs?: number | undefined
  /** Time that the BFF takes to respond. Default 10. */
  readonly responseMs?: number | undefined
  /** The minutes of the user. A token of such a product has a receipt. Default: nothing is counted. */
  readonly usage?: { readonly [Name in Product]?: ProductUsage } | undefined
}

/** A token that was granted. `number` counts from 1. */
interface GrantedToken {
  readonly number: number
  /** For whom the page requested it. */
  readonly identity: Identity
  readonly product: Product
  readonly expiresAt: number
  revoked: boolean
}

/** A request to the BFF. */
interface ScriptedRequest {
  readonly path: string
  readonly identity: Identity
  /** The body; `undefined` for a GET. */
  readonly json: unknown
  readonly keepalive: boolean
  /** True after the response was sent. */
  isDone: boolean
}

/** A handshake at its beginning, also a refused one. Times are those of `now`. */
interface ScriptedHandshake {
  readonly product: Product
  readonly identity: Identity
  readonly token: number
  readonly at: number
  readonly expiresAt: number
}

interface Refusal {
  readonly act: 'refuse'
  readonly cause: HandshakeErrorCode | number
  readonly by: 'status' | 'frame' | 'close'
}

type Script =
  | Refusal
  | { readonly act: 'hang' }
  | { readonly act: 'close'; readonly code: number; readonly reason: string }

interface Times {
  /** Default 1. */
  readonly times?: number | undefined
}

const EXPIRED = [4_401, 'unauthorized'] as const
/** The path below the mount. */
const ROUTE = /\/(?:session-token|handshake-check|usage|meetings|vitals|sessions(?:\/[^/]+)?)$/

/**
 * The BFF and the streams of a page, in memory and on the clock of a virtual platform. Why not the emulator:
 * its requests need turns of the event loop, so a model of thousands of pages would not run in seconds; it
 * does not know for which user a page sent something; and its connections never hold data back.
 */
export function createScriptedService(options: ScriptedServiceOptions) {
  const { platform, present, now, ttlMs = 180 * 60_000, handshakeMs = 5, responseMs = 10 } = options
  const requests: ScriptedRequest[] = []
  const tokens = new Map<string, GrantedToken>()
  const tokenErrors: BffErrorCode[] = []
  const scripts: Script[] = []
  const attempts: ScriptedConnection[] = []
  const connections: ScriptedConnection[] = []
  const handshakes: ScriptedHandshake[] = []
  const sessions = createScriptedSessions(now)
  let checks = 0

  const after = (ms: number): Promise<void> =>
    new Promise((resolve) => void platform.setTimeout(() => resolve(), ms))

  const plan = (script: Script, { times = 1 }: Times = {}): void =>
    void scripts.push(...Array.from({ length: times }, () => script))

  /** Why a handshake with this token is refused now. */
  function refusalOf(token: GrantedToken | undefined): HandshakeErrorCode | undefined {
    if (!token || token.revoked || token.expiresAt <= now()) return 'unauthorized'
    const open = connections.filter(({ status }) => status === 'open').length
    return open >= service.maxSessions ? 'concurrency_limit_exceeded' : undefined
  }

  function grant(product: Product, identity: Identity, asksLease: boolean): Response {
    const error = tokenErrors.shift()
    if (error) return problem(error)
    const session = sessions.withToken(asksLease)
    if (session && session.status !== 200) return respond(session.body, session.status)
    const number = tokens.size + 1
    const key = `scripted-${product}-${number}`
    tokens.set(key, { number, identity, product, expiresAt: now() + ttlMs, revoked: false })
    return respond({
      ...session?.body,
      session_key: key,
      usage_type: product,
      type: 'session',
      status: 'LICENSE_VALID',
      expires_at: new Date(platform.wallNow() + ttlMs).toISOString(),
      expires_in_ms: ttlMs,
      stream_url: `wss://scripted.invalid${PRODUCTS[product].path}`,
      usage_receipt: product in service.usage ? `receipt of ${key}` : undefined,
    })
  }

  function checkHandshake(key: string, lease: unknown): Response {
    checks += 1
    if (service.checkProblem) return problem(service.checkProblem)
    const script = scripts[0]?.act === 'refuse' ? (scripts.shift() as Refusal) : undefined
    const cause = script?.cause ?? refusalOf(tokens.get(key))
    if (cause === undefined) return respond({ ok: true })
    const refusal = readRefusedUpgrade({ status: statusOf(cause), body: String(cause) })
    return respond({
      ok: false,
      error_code: refusal?.code,
      retryable: refusal?.retryable,
      status: refusal?.status,
      ...(lease !== undefined && refusal?.code === 'concurrency_limit_exceeded' && sessions.refused(lease)),
    })
  }

  function responseOf(
    { path, identity }: ScriptedRequest,
    body: Record<string, string>,
    { method = 'GET', headers }: RequestInit,
  ): Response {
    if (path === '/session-token')
      return grant(
        body.usage_type as Product,
        identity,
        mergeHeaders(headers, {}).accept?.includes('lease=1') === true,
      )
    if (path === '/handshake-check') return checkHandshake(body.session_key ?? '', body.lease)
    if (path.startsWith('/sessions')) {
      const answer = sessions.answer(method, decodeURIComponent(path.slice('/sessions/'.length)), body)
      return respond(answer.body, answer.status)
    }
    if (path === '/usage') return respond({ usage: service.usage })
    if (path === '/vitals' && service.takesVitals) return respond(undefined, 204)
    if (path === '/meetings') return respond({ meetings: service.meetings(identity), next_cursor: null })
    return problem('NOT_FOUND')
  }

  function refuse(connection: ScriptedConnection, { cause, by }: Refusal): void {
    connection.refusedWith = cause
    if (by === 'status') return connection.drop()
    connections.push(connection)
    connection.accept()
    if (by === 'close') return connection.close(4_000 + statusOf(cause), String(cause))
    connection.send(JSON.stringify({ error: { code: statusOf(cause), reason: String(cause) } }))
    connection.close(1008)
  }

  function shake(connection: ScriptedConnection, token: GrantedToken | undefined): void {
    if (connection.status === 'closed') return
    if (service.unreachable) return connection.drop()
    const script = scripts.shift()
    const code = refusalOf(token)
    if (script?.act === 'hang') return
    if (script?.act === 'refuse') return refuse(connection, script)
    if (code || !token)
      return refuse(connection, { act: 'refuse', cause: code ?? 'unauthorized', by: 'status' })
    connections.push(connection)
    connection.accept()
    if (script) connection.close(script.code, script.reason)
    else if (service.cutAtExpiry) cutAt(connection, token)
  }

  function cutAt(connection: ScriptedConnection, token: GrantedToken): void {
    const cut = (): void =>
      token.expiresAt > now() ? cutAt(connection, token) : connection.close(...EXPIRED)
    platform.setTimeout(cut, Math.ceil(token.expiresAt - now()))
  }

  const openSocket: OpenSocket = (url, listener) => {
    const { pathname, searchParams } = new URL(url)
    const product = PRODUCT_NAMES.find((name) => PRODUCTS[name].path === pathname) ?? 'stt'
    const token = tokens.get(searchParams.get('authorization')?.replace('api-key ', '') ?? '')
    const { number = 0, identity = present(), expiresAt = -Infinity } = token ?? {}
    const connection = createScriptedConnection({ product, identity, token: number, listener })
    handshakes.push({ product, identity, token: number, at: now(), expiresAt })
    attempts.push(connection)
    void after(handshakeMs).then(() => shake(connection, token?.product === product ? token : undefined))
    return connection.client
  }

  async function send(path: string, init: RequestInit | undefined): Promise<Response> {
    const named = mergeHeaders(init?.headers, {})[USER_HEADER]
    const user = named === undefined ? present().user : decodeURIComponent(named)
    const identity = user === present().user ? present() : { user, generation: NaN }
    const body = typeof init?.body === 'string' ? (JSON.parse(init.body) as Record<string, string>) : {}
    const json = init?.body === undefined ? undefined : body
    const keepalive = init?.keepalive === true
    const request: ScriptedRequest = { path, identity, json, keepalive, isDone: false }
    requests.push(request)
    // The response takes time too, so the token is older when it arrives.
    await after(responseMs / 2)
    try {
      if (service.unreachable) throw new TypeError('Failed to fetch')
      if (path === '/sessions') await after(Number(body.after_ms ?? 0))
      if (sessions.isSilent && path.startsWith('/sessions')) await new Promise(() => {})
      const response = responseOf(request, body, init ?? {})
      await after(responseMs / 2)
      return response
    } finally {
      request.isDone = true
    }
  }

  const service = {
    fetch: ((input, init) => {
      const url = typeof input === 'string' || input instanceof URL ? input : input.url
      const { pathname } = new URL(url, 'http://scripted.invalid')
      return send(ROUTE.exec(pathname)?.[0] ?? pathname, init)
    }) satisfies typeof fetch,
    openSocket,
    requests: requests as readonly ScriptedRequest[],
    /** The sessions of the account, if the BFF shares them. */
    sessions,
    handshakes: handshakes as readonly ScriptedHandshake[],
    /** Every connection that was opened, in order. */
    connections: connections as readonly ScriptedConnection[],
    /** The opened connections, and those that were refused, cancelled or still wait. */
    attempts: attempts as readonly ScriptedConnection[],
    get tokensGranted(): number {
      return tokens.size
    },
    /** For whom a token was requested. */
    ownerOf: (token: string): Identity | undefined => tokens.get(token)?.identity,
    /** Handshakes that the BFF was asked to try. */
    get checks(): number {
      return checks
    },
    usage: options.usage ?? {},
    /** The BFF takes the figures of pages. */
    takesVitals: true,
    /** The rows of every list. */
    meetings: (_identity: Identity): readonly { readonly id: string }[] => [],
    /** The most connections at the same time. Others are refused. */
    maxSessions: Infinity,
    /** Connections are closed when their token expires. */
    cutAtExpiry: false,
    /** No request and no handshake gets a response. */
    unreachable: false,
    /** The error of the BFF's handshake checks. Default: they tell the reason. */
    checkProblem: undefined as BffErrorCode | undefined,
    /** The next token requests get this error. */
    failToken: (code: BffErrorCode, { times = 1 }: Times = {}): void =>
      void tokenErrors.push(...Array.from({ length: times }, () => code)),
    /**
     * The next handshakes are refused: by a status (default), which a page sees as close 1006, or after the
     * open.
     */
    refuse: (cause: Refusal['cause'], { by = 'status', times }: Times & { by?: Refusal['by'] } = {}): void =>
      plan({ act: 'refuse', cause, by }, { times }),
    /** The next handshakes get no response. */
    hang: (times?: Times): void => plan({ act: 'hang' }, times),
    /** The next connections are accepted and closed at once. */
    acceptThenClose: ({
      code = 1000,
      reason = '',
      times,
    }: Times & { code?: number; reason?: string } = {}): void =>
      plan({ act: 'close', code, reason }, { times }),
    /** All granted tokens are refused from now on, and their connections closed with `cutAtExpiry`. */
    revokeTokens(): void {
      for (const token of tokens.values()) token.revoked = true
      if (service.cutAtExpiry) for (const connection of connections) connection.close(...EXPIRED)
    },
  }
  return service
}

const statusOf = (cause: Refusal['cause']): number =>
  typeof cause === 'number' ? cause : HANDSHAKE_ERRORS[cause].status

function problem(code: BffErrorCode): Response {
  const { status, retryable } = BFF_ERRORS[code]
  return respond({ title: code, status, error_code: code, retryable, request_id: 'scripted' }, status)
}

/** The parts of a response that the client reads. A real one would need a turn of the event loop. */
function respond(value: unknown, status = 200): Response {
  const text = JSON.stringify(value) ?? ''
  const headers = new Map([['content-type', 'application/json']])
  return { ok: status < 300, status, headers, text: async () => text } as unknown as Response
}
