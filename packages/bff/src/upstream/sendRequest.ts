import type { Slot } from '../budget/Budget.js'
import type { Clock } from '../budget/core/Clock.js'
import { BffError } from '../context/BffError.js'
import type { EmitEvent, UpstreamOperation } from '../context/events.js'
import type { Call } from '../context/RequestContext.js'
import { type HttpAnswer, type HttpClient, HttpFault, type HttpRequest } from './httpClient.js'

export interface UpstreamCall {
  readonly client: HttpClient
  readonly request: HttpRequest
  readonly operation: UpstreamOperation
  readonly call: Call
  /** The budget's slot, given back in every case. */
  readonly slot?: Slot | undefined
}

/** Makes one HTTP call and tells about it. */
export type CallUpstream = (request: UpstreamCall) => Promise<HttpAnswer>

export function createUpstreamCall(clock: Clock, emit: EmitEvent): CallUpstream {
  return async ({ client, request, operation, call, slot }) => {
    const startedAt = clock.now()
    const told = () =>
      ({
        type: 'upstream.called',
        requestId: call.id,
        operation,
        durationMs: clock.now() - startedAt,
      }) as const
    call.stage = 'upstream'
    try {
      const answer = await client.send(request, call)
      slot?.release('answered')
      emit?.({ ...told(), status: answer.status })
      return answer
    } catch (thrown) {
      slot?.release(slotOutcome(thrown))
      emit?.({ ...told(), failure: failureName(thrown) })
      throw toCallError(thrown)
    }
  }
}

function slotOutcome(thrown: unknown): Parameters<Slot['release']>[0] {
  if (!(thrown instanceof HttpFault)) return 'answered'
  if (!thrown.sent) return 'unsent'
  return thrown.kind === 'aborted' ? 'aborted' : 'answered'
}

/** What a request without an answer means; for a caller who ended it, why it was ended. */
function toCallError(thrown: unknown): unknown {
  if (!(thrown instanceof HttpFault)) return thrown
  if (thrown.kind === 'aborted') return thrown.cause
  return new BffError(thrown.kind === 'too-large' ? 'UPSTREAM_MALFORMED' : 'UPSTREAM_UNREACHABLE', {
    cause: thrown,
  })
}

/** The system's name of a failed connection (`ECONNREFUSED`), or ours of another fault. Never a message, which may hold an address. */
export function failureName(thrown: unknown): string {
  const cause: unknown = thrown instanceof Error ? (thrown.cause ?? thrown) : thrown
  const code: unknown =
    typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined
  if (typeof code === 'string' && /^[A-Z_0-9]{2,40}$/.test(code)) return code
  return thrown instanceof HttpFault ? thrown.kind : 'failed'
}
