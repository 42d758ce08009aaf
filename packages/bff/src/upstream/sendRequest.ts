import {
  type ServiceRequest,
  type ServiceResponse,
  type Transport,
  TransportError,
} from '@stagepass/contract'
import type { Slot } from '@stagepass/budget'
import { BffError } from '../errors/BffError.js'
import type { BffEvent, UpstreamOperation } from '../events/events.js'
import type { RequestContext } from '../request/RequestContext.js'

type CallResult = Pick<Extract<BffEvent, { type: 'upstream.called' }>, 'status' | 'errorCode' | 'failure'>

/** Runs a request or a handshake, and emits its event with what `describe` says of the result. */
export async function reportCall<TResult>(
  operation: UpstreamOperation,
  context: RequestContext,
  send: (traceHeaders: Readonly<Record<string, string>> | undefined) => Promise<TResult>,
  describe: (result: TResult) => CallResult,
): Promise<TResult> {
  const { clock } = context.platform
  const startedAt = clock.now()
  const span = context.span?.begin(operation)
  const emitCalled = (result: CallResult): void => {
    span?.end({ status: result.status, failure: result.failure ?? result.errorCode })
    const durationMs = clock.now() - startedAt
    context.emit?.({ type: 'upstream.called', requestId: context.id, operation, durationMs, ...result })
  }
  context.stage = 'upstream'
  try {
    const result = await send(span?.headers)
    emitCalled(describe(result))
    return result
  } catch (thrown) {
    emitCalled({ failure: failureName(thrown) })
    throw thrown
  }
}

export interface SendOptions {
  readonly transport: Transport
  readonly request: ServiceRequest
  readonly operation: UpstreamOperation
  readonly context: RequestContext
  /** The budget's slot. It is released here. */
  readonly slot?: Slot | undefined
}

/** Sends one HTTP request to the upstream. */
export async function sendRequest(options: SendOptions): Promise<ServiceResponse> {
  const { transport, request, operation, context, slot } = options
  try {
    const send = (traceHeaders?: Readonly<Record<string, string>>) =>
      transport.send(
        traceHeaders ? { ...request, headers: { ...request.headers, ...traceHeaders } } : request,
        context.signal,
      )
    const response = await reportCall(operation, context, send, ({ status }) => ({ status }))
    slot?.release('answered')
    return response
  } catch (thrown) {
    slot?.release(slotOutcome(thrown))
    throw toRequestError(thrown)
  }
}

function slotOutcome(thrown: unknown): Parameters<Slot['release']>[0] {
  if (!(thrown instanceof TransportError)) return 'answered'
  if (!thrown.sent) return 'unsent'
  return thrown.kind === 'aborted' ? 'aborted' : 'answered'
}

/** What a request without a response means. After a cancellation it is the reason of that. */
function toRequestError(thrown: unknown): unknown {
  if (!(thrown instanceof TransportError)) return thrown
  if (thrown.kind === 'aborted') return thrown.cause
  const code = thrown.kind === 'too-large' ? 'UPSTREAM_MALFORMED' : 'UPSTREAM_UNREACHABLE'
  return new BffError(code, { cause: thrown })
}

/**
 * The system's name of a failed connection (`ECONNREFUSED`), or our name of another failure. Never a message,
 * which may hold an address.
 */
function failureName(thrown: unknown): string {
  const cause: unknown = thrown instanceof Error ? (thrown.cause ?? thrown) : thrown
  const code: unknown =
    typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined
  if (typeof code === 'string' && /^[A-Z_0-9]{2,40}$/.test(code)) return code
  return thrown instanceof TransportError ? thrown.kind : 'failed'
}
