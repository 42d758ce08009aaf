import type { EventBody, StreamEvent } from '../../events/events.js'
import type { VoiceError } from '../../errors/VoiceError.js'
import type { StreamInput } from './input.js'
import { attemptOf, type Connection, isActive, type StreamState } from './state.js'

/** The events of one step. `missingSince`: start of the time without an open connection. */
export function eventsOf(
  previous: StreamState,
  next: StreamState,
  input: StreamInput,
  context: { now: number; missingSince: number },
): EventBody<StreamEvent>[] {
  const events: EventBody<StreamEvent>[] = []
  if (input.type === 'checked') {
    events.push({ type: 'stream.checked', code: input.error?.code, status: input.error?.status })
  }
  if (previous.status === 'rolling over' && next.status === 'open') {
    const { connection, standby, trial } = previous
    const { generation } = next.connection
    if (trial) {
      if (generation !== connection.generation) events.push(...unanswered(next.connection))
    } else if (generation === connection.generation) {
      const { code, status } = (input.type === 'lost' && input.refusal) || {}
      events.push({ type: 'stream.rollover_refused', code, status })
    } else {
      const waitedMs = standby.step === 'ready' ? context.now - standby.readyAt : 0
      events.push({ type: 'stream.rolled_over', from: connection.generation, generation, waitedMs })
    }
  }
  if (previous.status !== next.status || next.status === 'reconnecting') {
    events.push(...change(previous, next, context))
  }
  const attempt = attemptOf(next)
  const before = attemptOf(previous)
  if (
    attempt?.step === 'opening' &&
    (before?.generation !== attempt.generation || before.step !== 'opening')
  ) {
    const { generation, token } = attempt
    events.push({ type: 'stream.connecting', generation, tokenGeneration: token.generation })
  }
  return events
}

/** The event of the new state. */
function change(
  previous: StreamState,
  next: StreamState,
  { now, missingSince }: { now: number; missingSince: number },
): EventBody<StreamEvent>[] {
  switch (next.status) {
    case 'open': {
      if (previous.status === 'rolling over') return []
      const { generation, token } = next.connection
      const tookMs = now - missingSince
      return [{ type: 'stream.opened', generation, tookMs, reqId: token.token.reqId }]
    }
    case 'rolling over':
      if (next.trial) return []
      return [{ type: 'stream.rolling_over', generation: next.standby.generation }]
    case 'reconnecting': {
      if (previous.status === 'reconnecting' && previous.error === next.error) return []
      const delayMs = next.next.step === 'backoff' ? next.next.until - now : 0
      const { failures } = next.retries
      const { code, status, lostBy, closeCode, closeReason } = next.error
      return [
        {
          type: 'stream.reconnecting',
          code,
          status,
          lostBy,
          failures,
          delayMs,
          closeCode,
          closeReason,
        },
      ]
    }
    case 'closed':
      return [{ type: 'stream.closed' }]
    case 'idle':
      return [{ type: 'stream.released' }]
    case 'ended':
      if (next.error) return [failed(next.error)]
      return isActive(previous) ? [{ type: 'stream.released' }] : []
    case 'failed':
      return [failed(next.error)]
    default:
      return []
  }
}

/** The connection that was tried has answered, so the one before is lost. */
function unanswered({ generation, token }: Connection): EventBody<StreamEvent>[] {
  const none = { status: undefined, closeCode: undefined, closeReason: undefined }
  return [
    {
      type: 'stream.reconnecting',
      code: 'CONNECTION_LOST',
      lostBy: 'unanswered',
      failures: 0,
      delayMs: 0,
      ...none,
    },
    { type: 'stream.opened', generation, tookMs: 0, reqId: token.token.reqId },
  ]
}

function failed(error: VoiceError): EventBody<StreamEvent> {
  const { code, status, retryable, reqId, closeCode, closeReason } = error
  return { type: 'stream.failed', code, status, retryable, reqId, closeCode, closeReason }
}
