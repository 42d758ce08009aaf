import { parseRetryAfter, type ServiceRequest, type Transport, TransportError } from '@stagepass/contract'
import type { Slot } from '@stagepass/budget'
import type { Account } from '../accounts/Account.js'
import { BffError } from '../base/BffError.js'
import type { BffEvent, UpstreamOperation } from '../telemetry/events.js'
import type { RequestContext } from '../request/RequestContext.js'
import type { ConcurrencyLimit } from './createConcurrencyLimit.js'
import type { UpstreamResponse } from './UpstreamResponse.js'
import { proxyVariable, seenAsTooLarge, seenInFailure } from './whatWasSeen.js'

/** How requests leave the process. */
export interface WayOut {
  readonly transport: Transport
  readonly concurrency: ConcurrencyLimit
  /** True if the host chose it: a dispatcher or a transport of its own. */
  readonly isOfHost: boolean
}

/** A request that sends requests to the service. */
export interface Sender {
  readonly account: Account
  readonly context: RequestContext
}

type CallResult = Pick<Extract<BffEvent, { type: 'upstream.called' }>, 'status' | 'errorCode' | 'failure'>

interface Call<TResult> {
  readonly operation: UpstreamOperation
  readonly send: (traceHeaders: Readonly<Record<string, string>> | undefined) => Promise<TResult>
  /** The facts of the result, for the event. */
  readonly describe: (result: TResult) => CallResult
}

/**
 * Runs a request or a handshake when its account has a free connection, and emits its event. Rejects with the
 * signal's reason if there is none in time.
 */
export function reportCall<TResult>(
  { concurrency }: WayOut,
  { account, context }: Sender,
  { operation, send, describe }: Call<TResult>,
): Promise<TResult> {
  context.stage = 'upstream'
  return concurrency.send(account, context.signal, async () => {
    const { clock } = context.platform
    const startedAt = clock.now()
    const span = context.span?.begin(operation, account.name)
    const emitCalled = (result: CallResult): void => {
      span?.end({ status: result.status, failure: result.failure ?? result.errorCode })
      const durationMs = clock.now() - startedAt
      context.emit?.({ type: 'upstream.called', requestId: context.id, operation, durationMs, ...result })
    }
    try {
      const result = await send(span?.headers)
      emitCalled(describe(result))
      return result
    } catch (thrown) {
      emitCalled({ failure: failureName(thrown) })
      throw thrown
    }
  })
}

/** Sends one HTTP request to the upstream, and then releases the slot of the budget. */
export async function sendRequest(
  wayOut: WayOut,
  sender: Sender,
  operation: UpstreamOperation,
  request: ServiceRequest,
  slot?: Slot,
): Promise<UpstreamResponse> {
  const { signal, platform } = sender.context
  let isPassed = false
  try {
    const response = await reportCall(wayOut, sender, {
      operation,
      send(trace) {
        isPassed = true
        const headers = trace ? { ...request.headers, ...trace } : request.headers
        return wayOut.transport.send({ ...request, headers }, signal)
      },
      describe: ({ status }) => ({ status }),
    })
    const { status, text, date, retryAfter, contentType, contentEncoding, location } = response
    slot?.release('answered')
    const atMs = Date.parse(date ?? '') || undefined
    const retryAfterMs = parseRetryAfter(retryAfter, atMs ?? platform.wallNow())
    return { status, text, atMs, retryAfterMs, contentType, contentEncoding, location }
  } catch (thrown) {
    if (!(thrown instanceof TransportError)) {
      // A transport of the host may throw anything, also after the request was written.
      slot?.release(isPassed ? 'answered' : 'unsent')
      throw thrown
    }
    const { kind, sent } = thrown
    slot?.release(!sent ? 'unsent' : kind === 'aborted' ? 'aborted' : 'answered')
    // After an abort, the cause is the reason of the cancellation.
    if (kind === 'aborted') throw thrown.cause
    if (kind === 'too-large')
      throw new BffError('UPSTREAM_MALFORMED', { cause: thrown, seen: seenAsTooLarge(request.maxBytes) })
    throw unreachable(thrown, wayOut)
  }
}

/** The error for a connection that failed, with what is known of it. */
export function unreachable(cause: unknown, { isOfHost }: WayOut): BffError {
  const variable = isOfHost ? undefined : proxyVariable()
  return new BffError('UPSTREAM_UNREACHABLE', {
    cause,
    seen: seenInFailure(cause, failureName(cause), variable),
  })
}

/**
 * Returns the system's name of a failed connection (`ECONNREFUSED`), or our name of another failure. Never a
 * message, which may contain an address.
 */
function failureName(thrown: unknown): string {
  const cause: unknown = thrown instanceof Error ? (thrown.cause ?? thrown) : thrown
  const code: unknown = Reflect.get(Object(cause), 'code')
  // So undici says that there was a 100 (Continue), which it does not read.
  if (code === 'UND_ERR_SOCKET' && Reflect.get(Object(cause), 'message') === 'bad response')
    return 'bad response'
  if (typeof code === 'string' && /^[A-Z_0-9]{2,40}$/.test(code)) return code
  // undici gives this error no code.
  if (Reflect.get(Object(cause), 'name') === 'HTTPParserError') return 'HTTPParserError'
  return thrown instanceof TransportError ? thrown.kind : 'failed'
}
