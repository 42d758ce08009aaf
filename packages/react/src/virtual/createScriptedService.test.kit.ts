import {
  HANDSHAKE_ERRORS,
  type HandshakeErrorCode,
  PRODUCT_NAMES,
  PRODUCTS,
  type Product,
  readRefusedUpgrade,
  USER_HEADER,
  encodeText,
} from '@stagepass/contract'
import type { Identity } from '../identity/Client.js'
import type { Platform } from '../platform/platform.js'
import type { SocketListener } from '../platform/socket.js'
import { mergeHeaders } from '../request/mergeHeaders.js'
import { createScriptedConnection, type OwnedConnection } from './createScriptedConnection.test.kit.js'
import { createScriptedTokens, type GrantedToken, problem } from './createScriptedTokens.test.kit.js'
import { createUserWatch, type UserWatch } from './createUserWatch.test.kit.js'
import { respond } from './respond.test.kit.js'
import type {
  ScriptedHandshake,
  ScriptedRequest,
  ScriptedService,
  Times,
} from './ScriptedService.test.kit.js'

interface ScriptedServiceOptions {
  readonly platform: Platform
  /** Default: one identity for all requests. */
  readonly watch?: UserWatch | undefined
  /** Real milliseconds, including the machine's sleep. */
  readonly now: () => number
  /** Life of a token. Default 180 minutes. */
  readonly ttlMs?: number | undefined
  /** Default 5. */
  readonly handshakeMs?: number | undefined
  /** Time that the BFF takes to respond. Default 10. */
  readonly responseMs?: number | undefined
  readonly meetings?: ScriptedService['meetings'] | undefined
  readonly tags?: ScriptedService['tags'] | undefined
  readonly usage?: ScriptedService['usage'] | undefined
}

const NOBODY_SAYS: Identity = { user: undefined, generation: 0 }

const NO_CODE = { code: undefined, retryable: undefined, status: undefined }

const ORIGIN = 'http://scripted.invalid'

/** The path below the mount. */
const ROUTE = /\/(?:session-token|handshake-check|usage|tags|meetings(?:\/[^/]+)?)$/

type Script =
  | {
      readonly act: 'refuse'
      readonly cause: HandshakeErrorCode | number
      readonly by: 'status' | 'frame' | 'close'
    }
  | { readonly act: 'hang' }
  | { readonly act: 'close'; readonly code: number; readonly reason: string }

export function createScriptedService(options: ScriptedServiceOptions): ScriptedService {
  const { platform, now, ttlMs = 180 * 60_000, handshakeMs = 5, responseMs = 10 } = options
  const watch = options.watch ?? createUserWatch(() => NOBODY_SAYS)
  const requests: ScriptedRequest[] = []
  const tokens = createScriptedTokens({ platform, now, ttlMs })
  const scripts: Script[] = []
  const attempts: OwnedConnection[] = []
  const connections: OwnedConnection[] = []
  const handshakes: ScriptedHandshake[] = []
  let checks = 0
  let leftBeforeDrop = Infinity

  const after = (ms: number): Promise<void> =>
    new Promise((resolve) => void platform.setTimeout(() => resolve(), ms))

  function plan(script: Script, { times = 1 }: Times = {}): void {
    scripts.push(...Array.from({ length: times }, () => script))
  }

  /** Why a handshake with this token is refused now. */
  function refusalOf(token: GrantedToken | undefined): HandshakeErrorCode | undefined {
    if (!tokens.isValid(token)) return 'unauthorized'
    const open = connections.filter(({ status }) => status === 'open').length
    return open >= service.maxSessions ? 'concurrency_limit_exceeded' : undefined
  }

  function begin(path: string, named: string | null): ScriptedRequest {
    const identity = identityOf(named)
    watch.check(identity, `The page sends a request (${path})`)
    const request: ScriptedRequest = { path, identity, isDone: false }
    requests.push(request)
    return request
  }

  async function respondTo(
    request: ScriptedRequest,
    body: Record<string, string>,
    named: string | null,
  ): Promise<Response> {
    // The response takes time too, so the token is older when it arrives.
    await after(responseMs / 2)
    try {
      if (service.unreachable) throw new TypeError('Failed to fetch')
      const response = refusedUser(named) ?? responseOf(request.path, body, request.identity)
      await after(responseMs / 2)
      return response
    } finally {
      request.isDone = true
    }
  }

  function identityOf(named: string | null): Identity {
    const present = watch.present()
    if (named === null || decodeURIComponent(named) === present.user) return present
    return watch.named(decodeURIComponent(named))
  }

  function refusedUser(named: string | null): Response | undefined {
    const { user } = service
    if (user === null) return problem('UNAUTHENTICATED')
    const isOther = user !== undefined && named !== null && named !== encodeText(user)
    return isOther ? problem('USER_CHANGED') : undefined
  }

  function responseOf(path: string, body: Record<string, string>, identity: Identity): Response {
    if (path === '/session-token') {
      const product = body.usage_type as Product
      return tokens.grant(product, identity, product in service.usage)
    }
    if (path === '/usage') return respond({ usage: service.usage })
    if (path === '/tags') return respond({ tags: service.tags })
    if (path.startsWith('/meetings')) return meetingsResponse(path, identity)
    if (path !== '/handshake-check') return problem('NOT_FOUND')
    checks += 1
    if (service.checkProblem) return problem(service.checkProblem)
    const script = scripts[0]?.act === 'refuse' ? scripts.shift() : undefined
    const cause = script?.act === 'refuse' ? script.cause : refusalOf(tokens.find(body.session_key ?? ''))
    if (cause === undefined) return respond({ ok: true })
    const { code, retryable, status } =
      readRefusedUpgrade({ status: statusOf(cause), body: String(cause) }) ?? NO_CODE
    return respond({ ok: false, error_code: code, retryable, status })
  }

  function meetingsResponse(path: string, identity: Identity): Response {
    const { meetings } = service
    const all = typeof meetings === 'function' ? meetings(identity) : meetings
    if (path === '/meetings') return respond({ meetings: all, next_cursor: null })
    const one = all.find(({ id }) => path === `/meetings/${encodeText(id)}`)
    return one ? respond(one) : problem('NOT_FOUND')
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

  function shake(connection: OwnedConnection, token: GrantedToken | undefined): void {
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

  function cutAt(connection: OwnedConnection, token: GrantedToken): void {
    platform.setTimeout(
      () => (token.expiresAt > now() ? cutAt(connection, token) : connection.close(4_401, 'unauthorized')),
      Math.ceil(token.expiresAt - now()),
    )
  }

  function openSocket(url: string, listener: SocketListener): OwnedConnection['client'] {
    const { pathname, searchParams } = new URL(url)
    const product = PRODUCT_NAMES.find((name) => PRODUCTS[name].path === pathname) ?? 'stt'
    const token = tokens.find(searchParams.get('authorization')?.replace('api-key ', '') ?? '')
    const identity = token?.identity ?? watch.present()
    watch.check(identity, 'The page opens a connection with a token')
    const connection = createScriptedConnection({
      product,
      identity,
      watch,
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
    handshakes.push({
      product,
      identity,
      token: connection.token,
      at: now(),
      expiresAt: token?.expiresAt ?? -Infinity,
    })
    attempts.push(connection)
    void after(handshakeMs).then(() => shake(connection, token?.product === product ? token : undefined))
    return connection.client
  }

  const service: ScriptedService = {
    async fetch(input, init) {
      const url = new URL(input instanceof URL || typeof input === 'string' ? input : input.url, ORIGIN)
      const named = mergeHeaders(init?.headers, {})[USER_HEADER] ?? null
      const [path = url.pathname] = ROUTE.exec(url.pathname) ?? []
      const sent = begin(path, named)
      const body = typeof init?.body === 'string' ? (JSON.parse(init.body) as Record<string, string>) : {}
      return respondTo(sent, body, named)
    },
    user: undefined,
    meetings: options.meetings ?? [],
    tags: options.tags ?? [],
    usage: options.usage ?? {},
    requests,
    openSocket,
    handshakes,
    attempts,
    connections,
    get tokensGranted() {
      return tokens.granted
    },
    ownerOf: (token) => tokens.find(token)?.identity,
    get checks() {
      return checks
    },
    onMessage() {},
    maxSessions: Infinity,
    cutAtExpiry: false,
    unreachable: false,
    checkProblem: undefined,
    failToken: (code, { times = 1 } = {}) => tokens.fail(code, times),
    refuse: (cause, { by = 'status', times } = {}) => plan({ act: 'refuse', cause, by }, { times }),
    hang: (times) => plan({ act: 'hang' }, times),
    acceptThenClose: ({ code = 1000, reason = '', times } = {}) =>
      plan({ act: 'close', code, reason }, { times }),
    dropAfter(messages) {
      leftBeforeDrop = messages
    },
    revokeTokens() {
      tokens.revokeAll()
      if (!service.cutAtExpiry) return
      for (const connection of connections) connection.close(4_401, 'unauthorized')
    },
  }
  return service
}

function statusOf(cause: HandshakeErrorCode | number): number {
  return typeof cause === 'number' ? cause : HANDSHAKE_ERRORS[cause].status
}
