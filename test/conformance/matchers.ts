import type { Reply } from './ask.js'

export interface ExpectedProblem {
  readonly status: number
  readonly code: string
  readonly retryable: boolean
  readonly field?: string | undefined
  /** Is Retry-After promised? */
  readonly retryAfter?: boolean | undefined
}

interface ConformanceMatchers {
  /** The BFF's problem: these values, its media type, and no other member. */
  toBeProblem(expected: ExpectedProblem): void
  /** The error envelope of the token endpoint. */
  toBeTokenError(status: number, code: string): void
  /** A text in which a secret stands nowhere: raw, encoded, or in parts. */
  toBeWithout(secret: string): void
}

declare module 'vitest' {
  // Vitest merges matchers by declaration.
  interface Matchers<T> extends ConformanceMatchers {}
}

const MEMBERS = new Set([
  'type',
  'title',
  'status',
  'error_code',
  'retryable',
  'request_id',
  'req_id',
  'field',
  'retry_after_ms',
])

function problemFaults({ status, headers, body }: Reply, expected: ExpectedProblem): string[] {
  const faults: string[] = []
  const check = (name: string, seen: unknown, wanted: unknown): void => {
    if (seen !== wanted) faults.push(`${name} is ${JSON.stringify(seen)}, not ${JSON.stringify(wanted)}`)
  }
  check('the status', status, expected.status)
  check('error_code', body.error_code, expected.code)
  check('retryable', body.retryable, expected.retryable)
  check('status in the body', body.status, status)
  check('the media type', headers['content-type']?.split(';')[0], 'application/problem+json')
  check('Cache-Control', headers['cache-control'], 'no-store, no-transform')
  for (const member of ['type', 'title', 'request_id']) check(member, typeof body[member], 'string')
  for (const member of Object.keys(body))
    if (!MEMBERS.has(member)) faults.push(`${member} has no business here`)
  if (expected.field !== undefined) check('field', body.field, expected.field)
  if (expected.retryAfter) {
    const ms = body.retry_after_ms
    if (typeof ms !== 'number' || ms <= 0) faults.push(`retry_after_ms is ${JSON.stringify(ms)}`)
    else check('Retry-After', headers['retry-after'], String(Math.ceil(ms / 1_000)))
  }
  return faults
}

function tokenErrorFaults({ status, body }: Reply, expected: { status: number; code: string }): string[] {
  const faults: string[] = []
  if (status !== expected.status) faults.push(`the status is ${status}, not ${expected.status}`)
  if (body.error_code !== expected.code)
    faults.push(`error_code is ${String(body.error_code)}, not ${expected.code}`)
  if (Object.keys(body).toSorted().join() !== 'code,error_code,message,req_id')
    faults.push(`the envelope holds ${Object.keys(body).join()}`)
  if (!Number.isInteger(body.code) || body.code === 0) faults.push(`code is ${JSON.stringify(body.code)}`)
  if (typeof body.message !== 'string' || !body.message) faults.push('message is empty')
  if (typeof body.req_id !== 'string' || !body.req_id) faults.push('req_id is empty')
  return faults
}

/** Every form in which a secret could stand in a text: raw, percent-encoded, base64 at any offset, hex, and eight characters of it. */
function formsOf(secret: string): string[] {
  const base64 = [0, 1, 2].map((offset) =>
    Buffer.from('x'.repeat(offset) + secret)
      .toString('base64')
      .slice(offset === 0 ? 0 : 4, -4),
  )
  const parts: string[] = []
  for (let at = 0; at + 8 <= secret.length; at += 4) parts.push(secret.slice(at, at + 8))
  return [secret, encodeURIComponent(secret), ...base64, Buffer.from(secret).toString('hex'), ...parts]
}

const verdict = (faults: readonly string[], seen: string) => ({
  pass: faults.length === 0,
  message: () => (faults.length === 0 ? 'it is' : faults.join('; ') + `\n\n${seen}`),
})

export const matchers = {
  toBeProblem: (reply: Reply, expected: ExpectedProblem) =>
    verdict(problemFaults(reply, expected), `${reply.status} ${reply.text}`),
  toBeTokenError: (reply: Reply, status: number, code: string) =>
    verdict(tokenErrorFaults(reply, { status, code }), `${reply.status} ${reply.text}`),
  toBeWithout: (text: string, secret: string) =>
    verdict(
      formsOf(secret)
        .filter((form) => text.includes(form))
        .map((form) => `found ${form}`),
      text,
    ),
}
