import { isLoopback } from '@stagepass/contract'
import { MeetingsResponse, Problem, SessionTokenResponse, TagsResponse } from '@stagepass/contract/schemas'
import { formatDuration } from '../checks/wording.js'
import type { HttpResponse } from '../net/createHttp.js'
import { fail, ok, type Outcome, warn } from '../report/Result.js'
import { below } from '../settings/readVariables.js'
import { type BffContext, explainCode, problemCode, send, signedIn } from './BffContext.js'
import { STRANGER } from './gate.js'

const GUARDS = {
  'cache-control': /\bno-store\b/,
  'x-content-type-options': /^nosniff$/,
  'referrer-policy': /^no-referrer$/,
} as const

const PREFLIGHT = { origin: STRANGER, 'access-control-request-method': 'POST' }

/**
 * The headers of every response: rules of a proxy can depend on path, method, status and size. (SECURITY.md,
 * S17.)
 */
export async function headers(context: BffContext): Promise<Outcome> {
  await send(context, { path: '/health', headers: { origin: STRANGER } })
  await send(context, { path: '/session-token', method: 'OPTIONS', headers: PREFLIGHT })
  const all = context.found.responses
  // Everything that the BFF sends is JSON. A page of a proxy is the finding of another check.
  const own = all.filter(({ response }) => response.json !== undefined)
  const open = all.find(({ response }) =>
    [STRANGER, '*', 'null'].includes(response.headers['access-control-allow-origin'] ?? ''),
  )
  if (open)
    return fail(
      `${open.what}: Access-Control-Allow-Origin lets any other site read the response.`,
      'Remove the CORS middleware or the proxy rule that adds it to this path. The BFF has allowedOrigins.',
    )
  const bare = own.find(({ response }) =>
    Object.entries(GUARDS).some(([name, value]) => !value.test(response.headers[name] ?? '')),
  )
  if (bare)
    return fail(
      `${bare.what}: ${Object.keys(GUARDS).join(', ')} are not all as the BFF sends them.`,
      'Something in front of the BFF takes headers away or replaces them. Let the proxy pass them: without no-store a token can stay in a cache.',
    )
  const changed = own.find(({ response }) => response.headers.etag ?? response.headers['content-encoding'])
  if (changed)
    return warn(
      `${changed.what}: something in front of the BFF compresses the response, or adds an ETag.`,
      'Switch it off for this path. The BFF sends no-transform, because a compressed secret can be guessed by its length.',
    )
  return ok(`no-store, nosniff and no-referrer arrive in ${own.length} responses.`)
}

/**
 * Headers of HTTP, of the host and of its proxies, which differ from response to response for good reasons.
 */
const USUAL =
  /^(?:age|alt-svc|allow|cache-control|connection|date|etag|keep-alive|retry-after|server|set-cookie|transfer-encoding|vary|via|content-.+|access-control-.+)$/

const SCHEMAS: Readonly<Record<string, { readonly shape: object }>> = {
  'POST /session-token': SessionTokenResponse,
  'GET /meetings': MeetingsResponse,
  'GET /tags': TagsResponse,
}

/** The header that tells a developer why a request was refused. A BFF sends it on its own machine only. */
const REASON = 'x-stagepass-reason'

/** Names of values that such a response of the BFF does not have, such as `key_id`. */
function unknownNames({ what, response }: BffContext['found']['responses'][number]): string[] {
  const good = response.status === 200 ? SCHEMAS[what] : undefined
  const schema = problemCode(response) === undefined ? good : Problem
  return schema ? Object.keys(Object(response.json)).filter((name) => !Object.hasOwn(schema.shape, name)) : []
}

/** Nothing of the service passes: no secret, no header, no further value. (SECURITY.md, S16, S18.) */
export async function leaks({ found, upstreamSecrets, redactor, target }: BffContext): Promise<Outcome> {
  const { responses, token } = found
  const list = (names: readonly string[]): string => [...new Set(names.map(redactor.show))].join(', ')
  const leaky = responses.find(
    ({ response }) => !upstreamSecrets.isSafe(response.text + JSON.stringify(response.headers)),
  )
  if (leaky)
    return fail(
      `${leaky.what}: the response holds a part of VOICE_API_KEY or VOICE_MEETINGS_TOKEN.`,
      'Take the server off the network, replace the secret, and look for what prints it. The BFF never does.',
    )
  const names = responses.flatMap(unknownNames)
  if (names.length > 0)
    return fail(
      `A response holds values that no BFF sends: ${list(names)}.`,
      'Something between adds them, or passes the response of the service on. Only the BFF must answer below this path.',
    )
  const plain = Object.keys(responses[0]?.response.headers ?? {})
  if (isLoopback(target.url.hostname)) plain.push(REASON)
  const added = responses
    .flatMap(({ response }) => Object.keys(response.headers))
    .filter((name) => !plain.includes(name) && !USUAL.test(name))
  if (added.length > 0)
    return warn(
      `A response came with headers that /health does not have: ${list(added)}.`,
      'Find out what adds them. If they are of the voice service, something passes its responses on.',
    )
  const extent = token ? 'the token included' : 'the token not included, because it needs a login'
  const advice = target.upstreamSecrets?.length ? undefined : 'Set VOICE_API_KEY too, to search for it.'
  return ok(`Nothing of the service was in ${responses.length} responses, ${extent}.`, advice)
}

/** A body that does not end: what gives up first, the BFF or something in front of it? */
export async function timeouts(context: BffContext): Promise<Outcome> {
  const { target, limits } = context
  const body = new ReadableStream({ start: (stream) => stream.enqueue(Buffer.from('{')) })
  const startMs = performance.now()
  const url = below(target.url, '/session-token')
  const headersOfIt = { ...signedIn(context), 'content-type': 'application/json', 'content-length': '40' }
  const ended = await context
    .send({ method: 'POST', url, headers: headersOfIt, body, timeoutMs: limits.unfinishedMs })
    .catch((error: unknown) => error)
  const after = formatDuration(performance.now() - startMs)
  const code = ended instanceof Error ? undefined : problemCode(ended as HttpResponse)
  if (code === 'REQUEST_TIMEOUT') return ok(`The BFF itself ended a request without an end, after ${after}.`)
  if (code !== undefined) return explainCode(code)
  if (ended instanceof Error && ended.cause instanceof DOMException)
    return ok(
      `Something in front holds a request without an end back for more than ${after}, so its time-outs cannot be seen from here.`,
      'Make its time to wait for a response longer than deadlineMs of the BFF (nginx: proxy_read_timeout).',
    )
  return fail(
    `Something in front of the BFF ended a request without an end after ${after}, before the BFF did.`,
    'Make its time-outs longer than deadlineMs of the BFF, 10 s by default (nginx: proxy_read_timeout, client_body_timeout).',
  )
}
