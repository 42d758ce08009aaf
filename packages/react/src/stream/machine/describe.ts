import type { StreamEvent } from '../../client/events.js'
import type { StreamState } from './state.js'
import { trialOf } from './state.js'
import type { StreamInput } from './input.js'

type WithoutBase<TEvent> = TEvent extends unknown ? Omit<TEvent, 'product' | 'key' | 'at'> : never

/** An event without what every event has. */
export type StreamEventBody = WithoutBase<StreamEvent>

/** What a step of the machine is worth telling. `missingSince`: since when there has been no open connection. */
export function describe(
  previous: StreamState,
  next: StreamState,
  input: StreamInput,
  { now, missingSince, closeCode }: { now: number; missingSince: number; closeCode: number | undefined },
): StreamEventBody[] {
  const told: StreamEventBody[] = []
  if (input.type === 'checked') {
    told.push({ type: 'stream.checked', code: input.error?.code, status: input.error?.status })
  }
  if (previous.status === 'rolling over' && next.status === 'open') {
    if (next.link.id === previous.link.id) {
      const { code, status } = (input.type === 'lost' && input.refusal) || {}
      told.push({ type: 'stream.rollover_refused', code, status })
    } else {
      const { standby } = previous
      const waitedMs = standby.step === 'ready' ? now - standby.readyAt : 0
      told.push({ type: 'stream.rolled_over', from: previous.link.id, generation: next.link.id, waitedMs })
    }
  }
  if (previous.status === next.status && next.status !== 'reconnecting') {
    return [...told, ...handshake(previous, next)]
  }
  switch (next.status) {
    case 'open':
      if (previous.status !== 'rolling over') {
        told.push({ type: 'stream.opened', generation: next.link.id, tookMs: now - missingSince })
      }
      break
    case 'rolling over':
      told.push({ type: 'stream.rolling_over', generation: next.standby.id })
      break
    case 'reconnecting':
      if (previous.status !== 'reconnecting' || previous.error !== next.error) {
        const delayMs = next.next.step === 'waiting' ? next.next.until - now : 0
        const { failures } = next.tries
        const { code, status } = next.error
        told.push({ type: 'stream.reconnecting', code, status, failures, delayMs, closeCode })
      }
      break
    case 'closed':
      told.push({ type: 'stream.closed' })
      break
    case 'idle':
      told.push({ type: 'stream.released' })
      break
    case 'failed': {
      const { code, status, retryable, reqId } = next.error
      told.push({ type: 'stream.failed', code, status, retryable, reqId })
      break
    }
    default:
  }
  return [...told, ...handshake(previous, next)]
}

function handshake(previous: StreamState, next: StreamState): StreamEventBody[] {
  const trial = trialOf(next)
  const before = trialOf(previous)
  if (trial?.step !== 'opening' || (before?.id === trial.id && before.step === 'opening')) return []
  return [{ type: 'stream.connecting', generation: trial.id, tokenGeneration: trial.token.generation }]
}
