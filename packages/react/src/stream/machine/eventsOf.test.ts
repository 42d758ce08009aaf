import { describe, expect, it } from 'vitest'
import { VoiceError } from '../../errors/VoiceError.js'
import { SessionToken } from '../../token/SessionToken.js'
import { eventsOf } from './eventsOf.js'
import type { StreamInput } from './input.js'
import { NO_RETRIES, type StreamState } from './state.js'
import {
  BACKOFF,
  CHECKING,
  CONNECTION,
  connectingOf,
  HANDSHAKE,
  MINTING,
  NOW,
  openOf,
  reconnectingOf,
  rollingOf,
  STANDBY,
} from './step.test.kit.js'

const events = (
  previous: StreamState,
  next: StreamState,
  input: StreamInput = { type: 'time' },
): ReturnType<typeof eventsOf> => eventsOf(previous, next, input, { now: NOW, missingSince: NOW - 700 })

const next = openOf({ connection: { ...CONNECTION, generation: 2 } })
const error = new VoiceError('AUTH_NO_LICENSE', { status: 403, retryable: false, reqId: 'r' })
const failedEvent = {
  type: 'stream.failed',
  code: 'AUTH_NO_LICENSE',
  status: 403,
  retryable: false,
  reqId: 'r',
}

describe('the events of a step', () => {
  it('report a connection, how long there was none, and the id of the request of its token', () => {
    expect(events(reconnectingOf(HANDSHAKE), next)).toEqual([
      { type: 'stream.opened', generation: 2, tookMs: 700, reqId: undefined },
    ])
    const token = { ...CONNECTION.token, token: new SessionToken('t', undefined, 'r') }
    const [opened] = events(reconnectingOf(HANDSHAKE), openOf({ connection: { ...CONNECTION, token } }))
    expect(opened).toMatchObject({ type: 'stream.opened', reqId: 'r' })
    expect(events(openOf(), openOf())).toEqual([])
  })

  it('report an attempt when its socket opens, once', () => {
    const connecting = { type: 'stream.connecting', generation: 2, tokenGeneration: 2 }
    expect(events(connectingOf(MINTING), connectingOf(HANDSHAKE))).toEqual([connecting])
    const setup = { ...HANDSHAKE, step: 'setup' } as const
    const before = { ...HANDSHAKE, generation: 1 }
    const at = (from: typeof setup | typeof HANDSHAKE, to: typeof setup | typeof HANDSHAKE) =>
      events(connectingOf(from), connectingOf(to))
    expect(at(HANDSHAKE, HANDSHAKE)).toEqual([])
    expect(at(HANDSHAKE, setup)).toEqual([])
    expect(at(before, HANDSHAKE)).toEqual([connecting])
    expect(at(setup, HANDSHAKE)).toEqual([connecting])
    expect(events({ status: 'idle' }, connectingOf(MINTING))).toEqual([])
    expect(events(openOf(), rollingOf())).toEqual([
      { type: 'stream.rolling_over', generation: 2 },
      connecting,
    ])
  })

  it('report how a rollover ended', () => {
    expect(events(rollingOf(STANDBY), next)).toEqual([
      { type: 'stream.rolled_over', from: 1, generation: 2, waitedMs: 100 },
    ])
    expect(events(rollingOf(), next)).toEqual([
      { type: 'stream.rolled_over', from: 1, generation: 2, waitedMs: 0 },
    ])
    expect(events(rollingOf(), openOf())).toEqual([
      { type: 'stream.rollover_refused', code: undefined, status: undefined },
    ])
    const refusal = { code: 'unauthorized', retryable: true, status: 401 } as const
    expect(events(rollingOf(), openOf(), { type: 'lost', generation: 2, refusal })).toEqual([
      { type: 'stream.rollover_refused', code: 'unauthorized', status: 401 },
    ])
    expect(events(rollingOf(), openOf(), { type: 'lost', generation: 2 })).toHaveLength(1)
    // There is no event of a rollover if the connection was lost meanwhile.
    expect(events(rollingOf(), reconnectingOf(HANDSHAKE))).toMatchObject([{ type: 'stream.reconnecting' }])
  })

  it('report a wait, and another wait only if it has another reason', () => {
    const waits = {
      type: 'stream.reconnecting',
      code: 'CONNECTION_LOST',
      status: undefined,
      failures: 2,
      delayMs: 20_000,
    }
    expect(events(openOf(), reconnectingOf(BACKOFF))).toEqual([waits])
    expect(events(openOf(), reconnectingOf(MINTING))).toEqual([{ ...waits, delayMs: 0 }])
    expect(events(reconnectingOf(BACKOFF), reconnectingOf(MINTING))).toEqual([])
    expect(events(reconnectingOf(MINTING), { ...reconnectingOf(BACKOFF), error })).toEqual([
      { ...waits, code: 'AUTH_NO_LICENSE', status: 403 },
    ])
  })

  it("report the result of the BFF's check", () => {
    const same = reconnectingOf(CHECKING)
    expect(events(same, same, { type: 'checked', generation: 2, error })).toEqual([
      { type: 'stream.checked', code: 'AUTH_NO_LICENSE', status: 403 },
    ])
    expect(events(same, same, { type: 'checked', generation: 2 })).toEqual([
      { type: 'stream.checked', code: undefined, status: undefined },
    ])
    expect(events(same, same, { type: 'check failed', generation: 2, error })).toEqual([])
  })

  it('report how a stream ended', () => {
    expect(events(openOf(), { status: 'closed' })).toEqual([{ type: 'stream.closed' }])
    expect(events(openOf(), { status: 'idle' })).toEqual([{ type: 'stream.released' }])
    expect(events({ status: 'closed' }, { status: 'idle' })).toEqual([{ type: 'stream.released' }])
    expect(events(openOf(), { status: 'failed', error, retries: NO_RETRIES })).toEqual([failedEvent])
    expect(events(openOf(), { status: 'ended', error })).toEqual([failedEvent])
    expect(events(openOf(), { status: 'ended', error: null })).toEqual([{ type: 'stream.released' }])
    expect(events({ status: 'idle' }, { status: 'ended', error: null })).toEqual([])
    expect(events({ status: 'closed' }, { status: 'closed' })).toEqual([])
  })
})
