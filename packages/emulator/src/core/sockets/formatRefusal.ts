import { HANDSHAKE_ERRORS, type HandshakeErrorCode, type RefusalCause } from '@stagepass/contract'
import type { HttpResponse } from '../request/http.js'
import { POLICY_VIOLATION } from '../streams/ProductStream.js'

/**
 * How a refused handshake reaches the client: an HTTP status on the upgrade, an error frame after the open,
 * or a close.
 */
export const REFUSALS = ['status', 'frame', 'close'] as const
/** One of `REFUSALS`. Default `status`. */
export type RefuseBy = (typeof REFUSALS)[number]

/**
 * The form of a refusal in the body, the frame or the close reason. (Assumptions: "Refused handshakes".)
 *
 *   nested          { error: { code: 401, reason: 'unauthorized', description } }: the public form
 *   nested-number   { error: { code: 401, reason: 'invalid_token', description } }: no name
 *   nested-name     { error: { code: 'unauthorized', description } }
 *   flat-number     { type: 'error', code: 401, message }; as a close: 4401 without a reason
 *   flat-name       { type: 'error', code: 'unauthorized', message }; as a close: the name as the reason
 */
export const REFUSAL_FORMS = ['nested', 'nested-number', 'nested-name', 'flat-number', 'flat-name'] as const
/** One of `REFUSAL_FORMS`. Default `nested`; for a close `flat-name`. */
export type RefusalForm = (typeof REFUSAL_FORMS)[number]

interface Described {
  readonly name: HandshakeErrorCode | undefined
  /**
   * HTTP status of the code. If it is 403, frames and closes have 401, because public clients know only that.
   * (Contract: "Handshake errors".)
   */
  readonly status: number
  readonly number: number
  readonly description: string
}

/** The reasons that public clients recognise. */
const REASONS: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'invalid_token',
  402: 'payment_required',
  403: 'forbidden',
  429: 'too_many_requests',
  500: 'internal_error',
}

function describe(cause: RefusalCause): Described {
  if (typeof cause === 'number') {
    return { name: undefined, status: cause, number: cause, description: `Refused with ${cause}.` }
  }
  const { status, title } = HANDSHAKE_ERRORS[cause]
  const number = status === 403 ? 401 : status
  return { name: cause, status, number, description: title }
}

/** The JSON of a refusal. A cause without a name is a number in every form. */
function spell({ name, number, description }: Described, form: RefusalForm): Record<string, unknown> {
  const named = name ?? number
  const reason = REASONS[number] ?? 'refused'
  return {
    nested: { error: { code: number, reason: name ?? reason, description } },
    'nested-number': { error: { code: number, reason, description } },
    'nested-name': { error: { code: named, description } },
    'flat-number': { type: 'error', code: number, message: description },
    'flat-name': { type: 'error', code: named, message: description },
  }[form]
}

/** The HTTP response of a refusal by `status`. */
export function formatRefusal(cause: RefusalCause, form: RefusalForm = 'nested'): HttpResponse {
  const described = describe(cause)
  const { status } = described
  return { status, body: spell({ ...described, number: status }, form) }
}

/** The text frame of a refusal by `frame`. */
export function formatRefusalFrame(cause: RefusalCause, form: RefusalForm = 'nested'): string {
  return JSON.stringify(spell(describe(cause), form))
}

/** The close of a refusal by `close`. It has no description, because a reason has at most 123 bytes. */
export function formatRefusalClose(
  cause: RefusalCause,
  form: RefusalForm = 'flat-name',
): { code: number; reason: string } {
  const { name, number } = describe(cause)
  if (form === 'flat-number' || (form === 'flat-name' && name === undefined)) {
    return { code: 4_000 + number, reason: '' }
  }
  if (form === 'flat-name') return { code: POLICY_VIOLATION, reason: name ?? '' }
  const reason = spell({ name, status: number, number, description: '' }, form)
  return { code: POLICY_VIOLATION, reason: JSON.stringify(reason) }
}
