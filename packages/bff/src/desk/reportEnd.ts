import { bffErrorRow } from '@stagepass/contract'
import type { BffError } from '../base/BffError.js'
import type { RequestContext } from '../request/RequestContext.js'
import type { Happening } from '../telemetry/events.js'
import { withCause } from '../telemetry/withCause.js'

export interface RequestEnd {
  readonly method: string
  /** Missing if the response was not sent. */
  readonly status: number | undefined
  readonly error: BffError | undefined
}

/** Ends the span of a request, and emits its event. */
export function reportEnd(context: RequestContext, { method, status, error }: RequestEnd): void {
  const { id: requestId, route, user, account, via, shared, emit, span } = context
  span?.end({ requestId, route, account, status, errorCode: status === undefined ? undefined : error?.code })
  if (!emit) return
  const facts = { requestId, route, method, durationMs: context.elapsedMs(), user, via }
  if (status === undefined) return emit({ type: 'request.abandoned', ...facts })
  const { field, reqId, seen } = error?.details ?? {}
  const cause = error && bffErrorRow(error.code).causeInEvent ? error.cause : undefined
  emit(
    withCause<Happening>(
      { type: 'request.finished', ...facts, status, errorCode: error?.code, field, reqId, seen, shared },
      cause,
    ),
  )
}
