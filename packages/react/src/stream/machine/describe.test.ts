import { describe as suite, expect, it } from 'vitest'
import { VoiceError } from '../../errors/VoiceError.js'
import { describe } from './describe.js'
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

const eventsOf = (
  previous: StreamState,
  next: StreamState,
  input: StreamInput = { type: 'time' },
): ReturnType<typeof describe> => describe(previous, next, input, { now: NOW, missingSince: NOW - 700 })

const next = openOf({ connection: { ...CONNECTION, generation: 2 } })
const error = new VoiceError('AUTH_NO_LICENSE', { status: 403, retryable: false, reqId: 'r' })
const failedEvent = {
  type: 'stream.failed',
  code: 'AUTH_NO_LICENSE',
  status: 403,
  retryable: false,
  reqId: 'r',
}

suite('the events of a step', () => {
  it('report a connection, and how long there was none', () => {
    expect(eventsOf(reconnectingOf(HANDSHAKE), next)).toEqual([
      { type: 'stream.opened', generation: 2, tookMs: 700 },
    ])
    expect(eventsOf(openOf(), openOf())).toEqual([])
  })

  it('report an attempt when its socket opens, once', () => {
    const connecting = { type: 'stream.connecting', generation: 2, tokenGeneration: 2 }
    expect(eventsOf(connectingOf(MINTING), connectingOf(HANDSHAKE))).toEqual([connecting])
    const setup = { ...HANDSHAKE, step: 'setup' } as const
    const before = { ...HANDSHAKE, generation: 1 }
    const at = (from: typeof setup | typeof HANDSHAKE, to: typeof setup | typeof HANDSHAKE) =>
      eventsOf(connectingOf(from), connectingOf(to))
    expect(at(HANDSHAKE, HANDSHAKE)).toEqual([])
    expect(at(HANDSHAKE, setup)).toEqual([])
    expect(at(before, HANDSHAKE)).toEqual([connecting])
    expect(at(setup, HANDSHAKE)).toEqual([connecting])
    expect(eventsOf({ status: 'idle' }, connectingOf(MINTING))).toEqual([])
    expect(eventsOf(openOf(), rollingOf())).toEqual([
      { type: 'stream.rolling_over', generation: 2 },
      connecting,
    ])
  })

  it('report how a rollover ended', () => {
    expect(eventsOf(rollingOf(STANDBY), next)).toEqual([
      { type: 'stream.rolled_over', from: 1, generation: 2, waitedMs: 100 },
    ])
    expect(eventsOf(rollingOf(), next)).toEqual([
      { type: 'stream.rolled_over', from: 1, generation: 2, waitedMs: 0 },
    ])
    expect(eventsOf(rollingOf(), openOf())).toEqual([
      { type: 'stream.rollover_refused', code: undefined, status: undefined },
    ])
    const refusal = { code: 'unauthorized', retryable: true, status: 401 } as const
    expect(eventsOf(rollingOf(), openOf(), { type: 'lost', generation: 2, refusal })).toEqual([
      { type: 'stream.rollover_refused', code: 'unauthorized', status: 401 },
    ])
    expect(eventsOf(rollingOf(), openOf(), { type: 'lost', generation: 2 })).toHaveLength(1)
    // There is no event of a rollover if the connection was lost meanwhile.
    expect(eventsOf(rollingOf(), reconnectingOf(HANDSHAKE))).toMatchObject([{ type: 'stream.reconnecting' }])
  })

  it('report a wait, and another wait only if it has another reason', () => {
    const waits = {
      type: 'stream.reconnecting',
      code: 'CONNECTION_LOST',
      status: undefined,
      failures: 2,
      delayMs: 20_000,
    }
    expect(eventsOf(openOf(), reconnectingOf(BACKOFF))).toEqual([waits])
    expect(eventsOf(openOf(), reconnectingOf(MINTING))).toEqual([{ ...waits, delayMs: 0 }])
    expect(eventsOf(reconnectingOf(BACKOFF), reconnectingOf(MINTING))).toEqual([])
    expect(eventsOf(reconnectingOf(MINTING), { ...reconnectingOf(BACKOFF), error })).toEqual([
      { ...waits, code: 'AUTH_NO_LICENSE', status: 403 },
    ])
  })

  it("report the result of the BFF's check", () => {
    const same = reconnectingOf(CHECKING)
    expect(eventsOf(same, same, { type: 'checked', generation: 2, error })).toEqual([
      { type: 'stream.checked', code: 'AUTH_NO_LICENSE', status: 403 },
    ])
    expect(eventsOf(same, same, { type: 'checked', generation: 2 })).toEqual([
      { type: 'stream.checked', code: undefined, status: undefined },
    ])
    expect(eventsOf(same, same, { type: 'check failed', generation: 2, error })).toEqual([])
  })

  it('report how a stream ended', () => {
    expect(eventsOf(openOf(), { status: 'closed' })).toEqual([{ type: 'stream.closed' }])
    expect(eventsOf(openOf(), { status: 'idle' })).toEqual([{ type: 'stream.released' }])
    expect(eventsOf({ status: 'closed' }, { status: 'idle' })).toEqual([{ type: 'stream.released' }])
    expect(eventsOf(openOf(), { status: 'failed', error, retries: NO_RETRIES })).toEqual([failedEvent])
    expect(eventsOf(openOf(), { status: 'ended', error })).toEqual([failedEvent])
    expect(eventsOf(openOf(), { status: 'ended', error: null })).toEqual([{ type: 'stream.released' }])
    expect(eventsOf({ status: 'idle' }, { status: 'ended', error: null })).toEqual([])
    expect(eventsOf({ status: 'closed' }, { status: 'closed' })).toEqual([])
  })
})
