import {
  DEADLINE_HEADER,
  DEFAULT_DEADLINE_MS,
  encodeText,
  GATE_HEADER,
  type Seen,
  USER_HEADER,
} from '@stagepass/contract'
import type { RequestEvent } from '../events/events.js'
import { throwIfAborted } from '../events/throwIfAborted.js'
import { onAbort } from '../events/onAbort.js'
import type { HeadersProvider, RequestOptions, SendRequest } from './SendRequest.js'
import type { Platform } from '../platform/platform.js'
import { asVoiceError, VoiceError } from '../errors/VoiceError.js'
import { sayOnce } from '../errors/sayOnce.js'
import { headerProblem } from './headerProblem.js'
import { mergeHeaders } from './mergeHeaders.js'
import { notStagepass, readProblem } from './readProblem.js'

type HeadersFunction = Extract<HeadersProvider, (...given: never) => unknown>

interface CreateRequestOptions {
  /** Where the BFF is mounted, without a slash at the end. */
  readonly url: string
  readonly headers?: HeadersProvider | undefined
  readonly credentials: RequestCredentials
  readonly fetch: typeof globalThis.fetch
  /** Default: the deadline of the BFF, plus `NETWORK_MS`. */
  readonly timeoutMs: number | undefined
  readonly platform: Platform
  readonly emit: (event: RequestEvent) => void
  readonly user: string | null | undefined
  /** When it aborts, every request fails with its reason. */
  readonly ended: AbortSignal
  readonly onFirstSuccess: () => void
  /** Called if the BFF's session belongs to another user. `isFirst`: no request has succeeded before. */
  readonly onUserChanged: (error: VoiceError, isFirst: boolean) => void
  /** Called when a request has succeeded after another one was refused as UNAUTHENTICATED. */
  readonly onSignedIn: () => void
  /** In development: the mistakes that were already logged. */
  readonly said: Set<string>
}

/** Time for the network, beside the deadline of the BFF. */
const NETWORK_MS = 2_000

/**
 * Sends one HTTP request, with our headers, the application's headers and one time limit. Every failure is a
 * `VoiceError`.
 */
export function createRequest(options: CreateRequestOptions): SendRequest {
  const { platform, user, ended } = options
  let hasSucceeded = false
  let isRefused = false
  /** Longer than the default only if a response has said so. */
  let deadlineMs = DEFAULT_DEADLINE_MS
  /**
   * The headers after a refusal. Requests that are refused together ask once. A function that has not answered
   * in the time of the request that called it is called again.
   */
  let renewed: { readonly headers: Promise<HeadersInit>; readonly until: number } | undefined
  /** The application's headers of the last request of this user. */
  let lastGiven = typeof options.headers === 'function' ? undefined : options.headers
  // Any id is a valid header in this form.
  const userHeader = typeof user === 'string' ? encodeText(user) : undefined

  async function headersOf(read: HeadersFunction, refused: boolean, until: number): Promise<HeadersInit> {
    if (!refused) return read({ refused })
    if (renewed && platform.now() < renewed.until) return renewed.headers
    const forget = (): void => {
      if (renewed === mine) renewed = undefined
    }
    const headers = Promise.resolve(read({ refused })).finally(forget)
    const mine = (renewed = { headers, until })
    return headers
  }

  async function send<TResult>(
    asked: RequestOptions<TResult>,
    signal: AbortSignal,
    /** When the request is given up. */
    until: number,
    refused = false,
  ): Promise<TResult> {
    const { route, path = route, json, noCache, keepalive, read } = asked
    const { headers: own } = options
    // StrictMode aborts the first of two queries at once. A query waits for that, so that the first is never
    // sent. A token request serves both, so it is sent without delay.
    if (json === undefined) await Promise.resolve()
    const isAsked = typeof own === 'function' && !ended.aborted
    const given = isAsked ? await headersOf(own, refused, until).catch(headersThrew) : lastGiven
    // By now the headers may belong to the next user.
    throwIfAborted(signal)
    if (!ended.aborted) lastGiven = given
    if (process.env.NODE_ENV !== 'production') refuseUnsendable(lastGiven, options.said)
    const headers = mergeHeaders(lastGiven, {
      [GATE_HEADER]: '1',
      accept: asked.accept ?? 'application/json',
      [USER_HEADER]: userHeader,
      'cache-control': noCache ? 'no-cache' : undefined,
      'content-type': json === undefined ? undefined : 'application/json',
    })

    // Not as a method: the browser's own `fetch`, given as the option, refuses another `this`.
    const { fetch } = options
    const response = await fetch(options.url + path, {
      method: asked.method ?? (json === undefined ? 'GET' : 'POST'),
      headers,
      credentials: options.credentials,
      // A redirect leads to a login page or another host. Neither is our BFF.
      redirect: 'manual',
      ...(keepalive && { keepalive }),
      signal,
      // `undefined` without JSON.
      body: JSON.stringify(json),
    })
    // NaN and 0 are not greater.
    const saidMs = Number(response.headers.get(DEADLINE_HEADER))
    if (saidMs > deadlineMs) deadlineMs = saidMs
    const body = parseObject(await response.text()) ?? (response.status === 204 ? {} : undefined)
    const place = { mount: options.url, route, hasSucceeded }
    if (!response.ok) {
      const problem = readProblem(response, body, place)
      if (problem.code !== 'UNAUTHENTICATED' || !isAsked || refused) throw problem
      return send(asked, signal, until, true)
    }
    // Nothing to read.
    if (response.status === 204) return {} as TResult
    if (!body) throw notStagepass(response, place)
    // The cast: without `read` the result is the body.
    const result = read ? read(body) : (body as TResult)
    if (!result) throw new VoiceError('MALFORMED_RESPONSE')
    return result
  }

  return async function request<TResult>(asked: RequestOptions<TResult>): Promise<TResult> {
    const { route, signal, keepalive } = asked
    const life = keepalive ? undefined : ended
    const startedAt = platform.now()
    const abort = new AbortController()
    let end!: (reason: unknown) => void
    // Not by the reason of `abort`, because the signals of React Native have none.
    const ending = new Promise<never>((_, reject) => {
      end = (reason) => {
        reject(reason)
        abort.abort()
      }
    })
    const unsubscribes: (() => void)[] = []
    const timeoutMs = options.timeoutMs ?? deadlineMs + NETWORK_MS
    const timer = platform.setTimeout(() => end({ name: 'TimeoutError' }), timeoutMs)
    try {
      for (const source of [life, signal]) {
        throwIfAborted(source)
        if (source) unsubscribes.push(onAbort(source, () => end(source.reason)))
      }
      // Promise.race, because a `headers` function that never returns must not block a token forever.
      const result = await Promise.race([send(asked, abort.signal, startedAt + timeoutMs), ending])
      throwIfAborted(life)
      if (!hasSucceeded) options.onFirstSuccess()
      hasSucceeded = true
      if (isRefused) options.onSignedIn()
      isRefused = false
      return result
    } catch (thrown) {
      const error = life?.aborted
        ? (life.reason as VoiceError)
        : asVoiceError(
            thrown,
            signal?.aborted ? 'ABORTED' : 'NETWORK_ERROR',
            process.env.NODE_ENV === 'production'
              ? undefined
              : seenOf(thrown, timeoutMs, options, hasSucceeded),
          )
      if (process.env.NODE_ENV !== 'production') {
        const mistake = mistakeOf(error, asked, !hasSucceeded && platform.isOnline() ? options.url : '')
        if (mistake !== undefined && !ended.aborted) sayOnce(options.said, mistake)
      }
      if (error.code !== 'ABORTED') {
        options.emit({
          type: 'request.failed',
          at: platform.wallNow(),
          route,
          code: error.code,
          status: error.status,
          retryable: error.retryable,
          reqId: error.reqId,
          requestId: error.requestId,
          tookMs: platform.now() - startedAt,
        })
      }
      isRefused ||= error.code === 'UNAUTHENTICATED'
      if (error.code === 'USER_CHANGED' && !ended.aborted) options.onUserChanged(error, !hasSucceeded)
      throw error
    } finally {
      platform.clearTimeout(timer)
      for (const unsubscribe of unsubscribes) unsubscribe()
    }
  }
}

/**
 * The sentence for the developer, if only a change of the set-up helps. `unreachedUrl`: where the BFF should
 * be, if no request has reached it yet.
 */
function mistakeOf(
  { code, status, hint, field }: VoiceError,
  { path }: Pick<RequestOptions<unknown>, 'path'>,
  unreachedUrl: string,
): string | undefined {
  if (code === 'NETWORK_ERROR' && isElsewhere(unreachedUrl))
    return `Failed to reach the BFF: ${unreachedUrl} is on another origin than this page (${location.origin}). If it runs, the browser has kept its response from the page (CORS), or an extension blocks it. Let the dev server proxy its path, or name the page's origin in \`allowedOrigins\` of createBff().`
  // A redirect is read as the 401 of a login.
  if (code === 'NOT_STAGEPASS' || (code === 'UNAUTHENTICATED' && status !== 401))
    return `Failed to reach the BFF: ${hint}`
  if (code === 'VALIDATION_ERROR' && path?.includes('fields=') && (field ?? 'fields') === 'fields')
    return `Failed to read the meetings: ${hint}`
  return undefined
}

/** What is known of a request without a response. */
function seenOf(
  thrown: unknown,
  timeoutMs: number,
  { url, platform }: CreateRequestOptions,
  hasSucceeded: boolean,
): Seen | undefined {
  if (Reflect.get(Object(thrown), 'name') === 'TimeoutError')
    return { cause: 'timeout', url: withoutQuery(url), limit: timeoutMs }
  if (!platform.isOnline()) return { cause: 'offline' }
  return !hasSucceeded && isElsewhere(url)
    ? { cause: 'elsewhere', url: withoutQuery(url), page: location.origin }
    : undefined
}

const withoutQuery = (url: string): string => url.replace(/[?#].*/s, '')

/** True for an address on another origin than the page's. */
function isElsewhere(url: string): boolean {
  return (
    typeof location !== 'undefined' && /^https?:/i.test(url) && !`${url}/`.startsWith(`${location.origin}/`)
  )
}

/** A `VoiceError` that the application throws is its own answer. */
function headersThrew(thrown: unknown): never {
  throw asVoiceError(
    thrown,
    'NETWORK_ERROR',
    process.env.NODE_ENV === 'production'
      ? undefined
      : { cause: 'headers', thrown: thrown instanceof Error ? thrown.name : typeof thrown },
  )
}

/** The browser does not say that a header cannot be sent: it looks as if the network was away. */
function refuseUnsendable(given: HeadersInit | undefined, said: Set<string>): void {
  const problem = headerProblem(given)
  if (problem === undefined) return
  const error = new VoiceError('NETWORK_ERROR', { seen: { cause: 'headerForm', problem } })
  sayOnce(said, `Failed to send a request: ${error.hint}`)
  throw error
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
