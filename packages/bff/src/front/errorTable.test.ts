import { setImmediate } from 'node:timers/promises'
import {
  BFF_ERRORS,
  type BffErrorCode,
  codesOf,
  DEFAULT_DEADLINE_MS,
  TOKEN_ERRORS,
  USER_HEADER,
} from '@stagepass/contract'
import { Problem } from '@stagepass/contract/schemas'
import { respond, drop, fail, type Fault, hang, malformed } from '@stagepass/emulator'
import { type Stack, startStack } from '@stagepass/testing'
import { virtualClock } from '@stagepass/testing/virtualClock'
import { expect, it, vi } from 'vitest'
import { tokenBody } from '../ask.test.kit.js'
import type { BffOptions } from '../index.js'

const MINT = { json: { usage_type: 'stt', expiration_ttl: 30 } }
const mint = (stack: Stack) => stack.fetch('/session-token', MINT)
const list = (stack: Stack) => stack.fetch('/meetings')
const one = (stack: Stack) => stack.fetch('/meetings/1')
const tags = (stack: Stack) => stack.fetch('/tags')

interface Row {
  readonly name: string
  readonly fault?: Fault
  readonly bff?: Partial<BffOptions>
  readonly prepare?: (stack: Stack) => unknown
  /** Default: a token is requested. */
  readonly send?: (stack: Stack) => Promise<Response>
  /** The deadline passes when this is true. */
  readonly late?: (stack: Stack) => boolean
}

const never = vi.fn(() => new Promise<never>(() => undefined))
const hasArrived = ({ upstream }: Stack) => upstream.requests.length === 1
const isAsked = () => never.mock.calls.length > 0
const fails = () => Promise.reject(new Error('down'))
const rejected = (status: number) => respond({ status, body: { code: 1, error_code: 'NEW' } })
const html = malformed('html', { status: 200 })
const otherToken = respond({ status: 200, body: tokenBody({ usage_type: 'vt' }) }, { on: 'token' })
const post = (body: string, type?: string) => (stack: Stack) =>
  stack.fetch('/session-token', { method: 'POST', body, headers: { ...(type && { 'content-type': type }) } })

/** Every failure of the service and of the BFF, and the response. */
const rows: Row[] = [
  ...codesOf(TOKEN_ERRORS).map((code): Row => ({ name: `token ${code}`, fault: fail(code) })),
  { name: 'own VALIDATION_ERROR', send: post('{"usage_type":"sst"}', 'application/json') },
  { name: 'meetings 400', fault: fail('INVALID_FIELDS'), send: list },
  { name: 'meetings 404', send: (stack) => stack.fetch('/meetings/unknown') },
  { name: 'meetings 409', fault: fail('STILL_PROCESSING'), send: one },
  { name: 'meetings 401', fault: fail('CREDENTIAL_INVALID'), send: list },
  { name: 'meetings 403', fault: fail('SCOPE_MISSING'), send: list },
  { name: 'meetings 429', fault: fail('RATE_LIMIT_EXCEEDED'), bff: { deadlineMs: 900 }, send: list },
  { name: 'token 429', fault: respond({ status: 429 }, { on: 'token' }) },
  { name: 'unknown code 403', fault: rejected(403) },
  { name: 'unknown code 503', fault: rejected(503) },
  { name: 'unreadable 500', fault: malformed('html', { status: 500 }) },
  { name: 'meetings 500', fault: respond({ status: 500 }), send: list },
  { name: 'timeout', fault: hang(), late: hasArrived },
  { name: 'meetings timeout', fault: hang(), send: list, late: hasArrived },
  { name: 'network', prepare: (stack) => stack.upstream.close() },
  { name: 'dropped', fault: drop() },
  { name: 'unreadable 2xx', fault: malformed('bad-json') },
  { name: 'empty 2xx', fault: malformed('empty'), send: list },
  { name: 'wrong shape', fault: malformed('wrong-shape') },
  { name: 'meetings wrong shape', fault: malformed('wrong-shape'), send: list },
  { name: 'meeting unreadable', fault: html, send: one },
  { name: 'tags unreadable', fault: html, send: tags },
  { name: 'unreadable 4xx', fault: malformed('html', { status: 418 }) },
  { name: 'oversized', fault: malformed('oversized') },
  { name: 'redirect', fault: malformed('redirect') },
  { name: 'another product', fault: otherToken },
  { name: 'no grant', bff: { authorize: () => null } },
  { name: 'another user', send: (stack) => stack.fetch('/tags', { headers: { [USER_HEADER]: 'grace' } }) },
  { name: 'product not granted', bff: { authorize: () => ({ user: 'a', products: ['tts'] }) } },
  { name: 'meetings not granted', bff: { authorize: () => ({ user: 'a' }) }, send: list },
  { name: 'gate', send: (stack) => stack.fetch('/tags', { headers: { 'x-stagepass': '0' } }) },
  { name: 'authorize throws', bff: { authorize: fails } },
  { name: 'authorize too slow', bff: { authorize: never }, late: isAsked },
  { name: 'secret provider throws', bff: { apiKey: fails } },
  { name: 'secret provider too slow', bff: { apiKey: never }, late: isAsked },
  {
    name: 'meetings credential throws',
    bff: { authorize: () => ({ user: 'a', meetings: { credential: fails } }) },
    send: list,
  },
  { name: 'no minutes left', bff: { authorize: () => ({ user: 'a', usage: { minutesPerDay: 4 } }) } },
  {
    name: 'no minutes of the account',
    bff: { authorize: () => ({ user: 'a', accountUsage: { minutesPerMonth: 4 } }) },
  },
  {
    name: 'minutes cannot be counted',
    bff: {
      redis: () => Promise.reject(new Error('down')),
      userSecret: 'x'.repeat(32),
      authorize: () => ({ user: 'a', usage: { minutesPerDay: 60 } }),
    },
  },
  { name: 'over the limit', bff: { limits: { tokensPerMinute: 1 } }, prepare: mint },
  {
    name: 'budget exhausted',
    bff: { deadlineMs: 1_000, meetings: { reserve: 24 } },
    prepare: list,
    send: (stack) => stack.fetch('/meetings?limit=1'),
  },
  { name: 'draining', prepare: (stack) => stack.bff.close() },
  { name: 'method', send: (stack) => stack.fetch('/meetings', { method: 'DELETE' }) },
  { name: 'media type', send: post('usage_type=stt') },
  { name: 'size', send: post(`{"usage_type":"${'x'.repeat(5_000)}"}`, 'application/json') },
  { name: 'unknown path', send: (stack) => stack.fetch('/nowhere') },
]

it('S19 the error table, row by row', async () => {
  const lines: string[] = []
  const repeated: string[] = []
  const seen = new Set<BffErrorCode>()
  for (const { name, fault, bff, prepare, send = mint, late } of rows) {
    // Time passes only for the rows that are late.
    const clock = virtualClock()
    never.mockClear()
    await using stack = await startStack({ bff: { platform: { clock, random: () => 0 }, ...bff } })
    await prepare?.(stack)
    if (fault) stack.upstream.use(fault)
    const sent = send(stack)
    if (late) {
      while (!late(stack)) await setImmediate()
      clock.jump(DEFAULT_DEADLINE_MS)
    }
    const response = await sent
    if (name.startsWith('token ') && stack.upstream.requests.length > 1) repeated.push(name)
    const problem = Problem.parse(await response.json())
    expect(problem.title).toBe(BFF_ERRORS[problem.error_code].title)
    expect(problem.status).toBe(response.status)
    expect(response.headers.get('content-type')).toBe('application/problem+json; charset=utf-8')
    const { status, error_code, retryable, field, req_id, retry_after_ms } = problem
    seen.add(error_code)
    const pauseS = response.headers.get('retry-after')
    // The header has the same wait in whole seconds that the body has in milliseconds.
    expect(pauseS).toBe(
      retry_after_ms === undefined ? null : String(Math.max(1, Math.ceil(retry_after_ms / 1_000))),
    )
    lines.push(
      [
        name.padEnd(30),
        status,
        error_code,
        retryable ? 'retryable' : 'final',
        field && `field=${field}`,
        req_id && 'req_id',
        pauseS && 'Retry-After',
        response.headers.get('allow') && `Allow=${response.headers.get('allow')}`,
      ]
        .filter(Boolean)
        .join(' '),
    )
  }
  // A new code needs a row above. These four have tests of their own.
  expect(codesOf(BFF_ERRORS).filter((code) => !seen.has(code))).toEqual([
    'SERVICE_UNAVAILABLE',
    'ENDED_BY_SERVER',
    'REQUEST_TIMEOUT',
    'INTERNAL_ERROR',
  ])
  // Only failures that prove that nothing was done are safe to retry.
  expect(repeated).toEqual(['token CACHE_UNAVAILABLE'])
  expect(`\n${lines.join('\n')}\n`).toMatchInlineSnapshot(`
    "
    token VALIDATION_ERROR         400 VALIDATION_ERROR final field=expiration_ttl req_id
    token AUTH_HEADER_MISSING      502 AUTH_HEADER_MISSING final req_id
    token AUTH_API_KEY_INVALID     502 AUTH_API_KEY_INVALID final req_id
    token AUTH_API_KEY_EXPIRED     502 AUTH_API_KEY_EXPIRED final req_id
    token AUTH_NO_LICENSE          502 AUTH_NO_LICENSE final req_id
    token PRODUCT_NOT_ALLOWED      403 PRODUCT_NOT_ALLOWED final req_id
    token PAYMENT_PAST_DUE         403 PAYMENT_PAST_DUE final req_id
    token BALANCE_EXHAUSTED        403 BALANCE_EXHAUSTED final req_id
    token SPEND_CAP_REACHED        403 SPEND_CAP_REACHED final req_id
    token USAGE_LIMIT_EXCEEDED     403 USAGE_LIMIT_EXCEEDED final req_id
    token VT_USAGE_LIMIT_EXCEEDED  403 VT_USAGE_LIMIT_EXCEEDED final req_id
    token CACHE_UNAVAILABLE        503 CACHE_UNAVAILABLE retryable req_id Retry-After
    own VALIDATION_ERROR           400 VALIDATION_ERROR final field=usage_type
    meetings 400                   400 VALIDATION_ERROR final
    meetings 404                   404 NOT_FOUND final
    meetings 409                   409 MEETING_PROCESSING retryable Retry-After
    meetings 401                   502 MEETINGS_CREDENTIAL_REJECTED final
    meetings 403                   502 MEETINGS_CREDENTIAL_REJECTED final
    meetings 429                   503 UPSTREAM_RATE_LIMITED retryable Retry-After
    token 429                      503 UPSTREAM_RATE_LIMITED retryable Retry-After
    unknown code 403               502 UPSTREAM_ERROR final
    unknown code 503               502 UPSTREAM_ERROR retryable
    unreadable 500                 502 UPSTREAM_ERROR retryable
    meetings 500                   502 UPSTREAM_ERROR retryable
    timeout                        504 UPSTREAM_TIMEOUT retryable
    meetings timeout               504 UPSTREAM_TIMEOUT retryable
    network                        502 UPSTREAM_UNREACHABLE retryable
    dropped                        502 UPSTREAM_UNREACHABLE retryable
    unreadable 2xx                 502 UPSTREAM_MALFORMED final
    empty 2xx                      502 UPSTREAM_MALFORMED final
    wrong shape                    502 UPSTREAM_MALFORMED final
    meetings wrong shape           502 UPSTREAM_MALFORMED final
    meeting unreadable             502 UPSTREAM_MALFORMED final
    tags unreadable                502 UPSTREAM_MALFORMED final
    unreadable 4xx                 502 UPSTREAM_MALFORMED final
    oversized                      502 UPSTREAM_MALFORMED final
    redirect                       502 UPSTREAM_MALFORMED final
    another product                502 UPSTREAM_MALFORMED final req_id
    no grant                       401 UNAUTHENTICATED final
    another user                   403 USER_CHANGED final
    product not granted            403 FORBIDDEN final field=usage_type
    meetings not granted           403 FORBIDDEN final
    gate                           403 CROSS_SITE_BLOCKED final
    authorize throws               503 AUTHORIZE_FAILED retryable
    authorize too slow             503 AUTHORIZE_FAILED retryable
    secret provider throws         503 SECRET_UNAVAILABLE retryable
    secret provider too slow       503 SECRET_UNAVAILABLE retryable
    meetings credential throws     503 SECRET_UNAVAILABLE retryable
    no minutes left                403 USAGE_EXHAUSTED final
    no minutes of the account      403 ACCOUNT_USAGE_EXHAUSTED final
    minutes cannot be counted      503 USAGE_UNAVAILABLE retryable Retry-After
    over the limit                 429 RATE_LIMITED retryable Retry-After
    budget exhausted               503 BUDGET_EXHAUSTED retryable Retry-After
    draining                       503 SHUTTING_DOWN retryable Retry-After
    method                         405 METHOD_NOT_ALLOWED final Allow=GET
    media type                     415 UNSUPPORTED_MEDIA_TYPE final
    size                           413 PAYLOAD_TOO_LARGE final
    unknown path                   404 NOT_FOUND final
    "
  `)
})
