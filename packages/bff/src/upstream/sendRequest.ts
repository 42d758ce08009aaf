import type { Slot } from '../budget/Budget.js'
import { BffError } from '../context/BffError.js'
import type { UpstreamOperation } from '../context/events.js'
import type { RequestContext } from '../context/RequestContext.js'
import { type HttpClient, HttpError, type HttpRequest, type HttpResponse } from './httpClient.js'

export interface SendOptions {
  readonly client: HttpClient
  readonly request: HttpRequest
  readonly operation: UpstreamOperation
  readonly context: RequestContext
  /** The budget's slot, released in every case. */
  readonly slot?: Slot | undefined
}

/** Sends one HTTP request to the upstream, and emits its event. */
export async function sendRequest(options: SendOptions): Promise<HttpResponse> {
  const { client, request, operation, context, slot } = options
  const { clock } = context.platform
  const startedAt = clock.now()
  const event = () =>
    ({
      type: 'upstream.called',
      requestId: context.id,
      operation,
      durationMs: clock.now() - startedAt,
    }) as const
  context.stage = 'upstream'
  try {
    const response = await client.send(request, context)
    slot?.release('answered')
    context.emit?.({ ...event(), status: response.status })
    return response
  } catch (thrown) {
    slot?.release(slotOutcome(thrown))
    context.emit?.({ ...event(), failure: failureName(thrown) })
    throw toRequestError(thrown)
  }
}

function slotOutcome(thrown: unknown): Parameters<Slot['release']>[0] {
  if (!(thrown instanceof HttpError)) return 'answered'
  if (!thrown.sent) return 'unsent'
  return thrown.kind === 'aborted' ? 'aborted' : 'answered'
}

/** What a request without a response means. After a cancellation it is the reason of that. */
function toRequestError(thrown: unknown): unknown {
  if (!(thrown instanceof HttpError)) return thrown
  if (thrown.kind === 'aborted') return thrown.cause
  return new BffError(thrown.kind === 'too-large' ? 'UPSTREAM_MALFORMED' : 'UPSTREAM_UNREACHABLE', {
    cause: thrown,
  })
}

/** The system's name of a failed connection (`ECONNREFUSED`), or our name of another failure. Never a message, which may hold an address. */
export function failureName(thrown: unknown): string {
  const cause: unknown = thrown instanceof Error ? (thrown.cause ?? thrown) : thrown
  const code: unknown =
    typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined
  if (typeof code === 'string' && /^[A-Z_0-9]{2,40}$/.test(code)) return code
  return thrown instanceof HttpError ? thrown.kind : 'failed'
}
