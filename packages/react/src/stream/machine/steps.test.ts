import { describe, expect, it } from 'vitest'
import { VoiceError } from '../../errors/VoiceError.js'
import type { StreamSettings } from './settings.js'
import type { StreamInput } from './input.js'
import {
  dueAt,
  type Handshake,
  isActive,
  NO_RETRIES,
  type StateOf,
  type StreamState,
  socketsOf,
} from './state.js'
import {
  BACKOFF,
  CHECKING,
  CONNECTION,
  connectingOf,
  HANDSHAKE,
  LOST,
  lostBy,
  MINTING,
  NOW,
  openOf,
  reconnectingOf,
  rollingOf,
  STANDBY,
  step,
  tokenOf,
  TRIED,
} from './step.test.kit.js'

const seamless: StreamSettings = { rollover: 'seamless' }
const unavailable = new VoiceError('CONNECTION_LOST', { retryable: true })
const final = new VoiceError('AUTH_NO_LICENSE', { retryable: false })

const failed: StateOf<'failed'> = {
  status: 'failed',
  error: LOST,
  retries: { ...NO_RETRIES, refusedGeneration: 5 },
}
const states: readonly StreamState[] = [
  { status: 'idle' },
  { status: 'closed' },
  failed,
  connectingOf(MINTING),
  connectingOf(HANDSHAKE),
  openOf(),
  rollingOf(),
  rollingOf(STANDBY),
  reconnectingOf(BACKOFF),
  reconnectingOf(MINTING),
  reconnectingOf(HANDSHAKE),
  reconnectingOf(CHECKING),
]
const nameOf = (state: StreamState): string => JSON.stringify(state)

describe('what holds in every state', () => {
  it.each(states.map((state) => [nameOf(state), state] as const))('%s', (_name, state) => {
    expect(step(state, { type: 'close' })).toEqual({ status: 'closed' })
    expect(step(state, { type: 'release' })).toEqual({ status: 'idle' })
    expect(step(state, { type: 'end', error: final })).toEqual({ status: 'ended', error: final })
    // Late inputs, with another generation.
    const generation = 99
    const late: StreamInput[] = [
      { type: 'minted', generation, token: tokenOf(9) },
      { type: 'mint failed', generation, error: final },
      { type: 'opened', generation },
      { type: 'ready', generation },
      { type: 'lost', generation },
      { type: 'checked', generation },
      { type: 'check failed', generation, error: final },
    ]
    for (const input of late) expect(step(state, input)).toBe(state)
    const sockets = socketsOf(state).filter((socket) => socket !== undefined)
    for (const generation of [1, 2].filter((one) => !sockets.includes(one)))
      for (const type of ['opened', 'ready', 'lost'] as const)
        expect(step(state, { type, generation })).toBe(state)
  })

  it('nothing follows the end', () => {
    const ended: StreamState = { status: 'ended', error: null }
    for (const type of ['open', 'close', 'release', 'safe', 'time', 'suspend'] as const)
      expect(step(ended, { type })).toBe(ended)
  })

  it('a stream that needs a connection is active', () => {
    expect(states.map((state) => [state.status, isActive(state)])).toEqual(
      states.map(({ status }) => [status, !['idle', 'closed', 'failed'].includes(status)]),
    )
    expect(isActive({ status: 'ended', error: null })).toBe(false)
  })
})

describe('what ends a stream', () => {
  it('a browser that forbids the connection', () => {
    const by = 'browser'
    const seen = { cause: by, origin: 'wss://voice.example' }
    expect(step(connectingOf(HANDSHAKE), { type: 'blocked', generation: 2, by, seen })).toMatchObject({
      status: 'failed',
      error: {
        code: 'CONNECTION_REFUSED',
        retryable: false,
        hint: expect.stringContaining('wss://voice.example'),
      },
    })
  })

  it('a close that the application calls the end', () => {
    expect(step(openOf(), { type: 'lost', generation: 1, isEnd: true })).toMatchObject({
      status: 'failed',
      error: { code: 'CONNECTION_LOST', retryable: false, message: 'The connection was closed.' },
    })
  })
})

describe('open', () => {
  it('does nothing to a stream that is active, but ends a backoff', () => {
    const isWaiting = (state: StreamState): boolean =>
      state.status === 'reconnecting' && state.next.step === 'backoff'
    const waiting = states.filter(isWaiting)
    expect(waiting).toHaveLength(1)
    for (const state of waiting) {
      expect(step(state, { type: 'open' })).toEqual({
        ...state,
        retries: { ...TRIED, openedAt: NOW },
        next: { step: 'minting', generation: 7, refusedGeneration: 5 },
      })
    }
    for (const state of states.filter((one) => isActive(one) && !isWaiting(one)))
      expect(step(state, { type: 'open' })).toBe(state)
  })

  it('waits if another one began an attempt within a second, and no third one makes the wait longer', () => {
    const openedAt = NOW - 400
    const waiting = step({ ...failed, retries: { ...failed.retries, openedAt } }, { type: 'open' })
    expect(waiting).toEqual({
      status: 'reconnecting',
      error: LOST,
      retries: { ...NO_RETRIES, refusedGeneration: 5, openedAt: NOW + 600 },
      next: { step: 'backoff', since: NOW, until: NOW + 600 },
    })
    expect(step(waiting, { type: 'open' })).toBe(waiting)
    expect(step(reconnectingOf(BACKOFF, { ...TRIED, openedAt }), { type: 'open' })).toMatchObject({
      retries: { openedAt: NOW + 600 },
      next: { step: 'backoff', until: NOW + 600 },
    })
    const soon = reconnectingOf({ ...BACKOFF, until: NOW + 500 }, { ...TRIED, openedAt })
    expect(step(soon, { type: 'open' })).toBe(soon)
    expect(
      step({ ...failed, retries: { ...NO_RETRIES, openedAt: NOW - 1_000 } }, { type: 'open' }).status,
    ).toBe('connecting')
  })
})

describe('an attempt', () => {
  const token = tokenOf(3)

  it('opens a socket with its token', () => {
    const opening = { step: 'opening', generation: 2, token, giveUpAt: NOW + 10_000 }
    const minted = { type: 'minted', generation: 2, token } as const
    expect(step(connectingOf(MINTING), minted)).toEqual(connectingOf(opening as Handshake))
    expect(step(reconnectingOf(MINTING), minted)).toEqual({ ...reconnectingOf(MINTING), next: opening })
    expect(step(reconnectingOf(MINTING), minted, { settings: { connectTimeoutMs: 400 } })).toMatchObject({
      next: { giveUpAt: NOW + 400 },
    })
    expect(step(reconnectingOf(HANDSHAKE), minted)).toEqual(reconnectingOf(HANDSHAKE))
  })

  it('opens no socket with an expired token', () => {
    const minted = { type: 'minted', generation: 2, token: tokenOf(3, NOW) } as const
    expect(step(reconnectingOf(MINTING), minted)).toMatchObject({ error: { code: 'TOKEN_EXPIRED' } })
    expect(step(reconnectingOf(MINTING), { ...minted, token: tokenOf(3, NOW + 1) })).toMatchObject({
      error: LOST,
    })
  })

  it('is open at once without a setup, and stable after ten seconds', () => {
    const opened = { type: 'opened', generation: 2 } as const
    const connection = { generation: 2, token: HANDSHAKE.token, stableAt: NOW + 10_000 }
    expect(step(connectingOf(HANDSHAKE), opened)).toEqual({
      status: 'open',
      connection,
      retries: NO_RETRIES,
    })
    expect(
      step(reconnectingOf(HANDSHAKE), opened, { settings: { setup: {}, reconnect: { stableMs: 50 } } }),
    ).toEqual({
      status: 'open',
      connection: { ...connection, stableAt: NOW + 50 },
      retries: TRIED,
    })
    expect(step(reconnectingOf(HANDSHAKE), opened, { settings: { reconnect: {} } })).toMatchObject({
      connection,
    })
  })

  it('waits for the server with a setup, for twenty seconds', () => {
    const settings = { setup: { isReady: () => true } }
    const setup = { ...HANDSHAKE, step: 'setup', giveUpAt: NOW + 20_000 } as const
    const before = reconnectingOf(HANDSHAKE)
    expect(step(before, { type: 'opened', generation: 2 }, { settings })).toEqual({ ...before, next: setup })
    expect(
      step(
        rollingOf(),
        { type: 'opened', generation: 2 },
        { settings: { setup: { ...settings.setup, readyTimeoutMs: 9 } } },
      ),
    ).toEqual(rollingOf({ ...setup, giveUpAt: NOW + 9 }))
    // Each input only in its step.
    expect(step(before, { type: 'ready', generation: 2 }, { settings })).toBe(before)
    const inSetup = reconnectingOf(setup)
    expect(step(inSetup, { type: 'opened', generation: 2 }, { settings })).toBe(inSetup)
    expect(step(inSetup, { type: 'ready', generation: 2 }, { settings })).toMatchObject({
      status: 'open',
      connection: { generation: 2, stableAt: NOW + 10_000 },
    })
  })

  it('fails if it takes too long', () => {
    const time = { type: 'time' } as const
    const before = reconnectingOf({ ...HANDSHAKE, giveUpAt: NOW })
    expect(step(reconnectingOf({ ...HANDSHAKE, giveUpAt: NOW + 1 }), time)).toMatchObject({ error: LOST })
    expect(step(before, time)).toMatchObject({
      status: 'reconnecting',
      error: { code: 'CONNECT_TIMEOUT' },
      retries: { failures: 3, refusals: 1, refusedGeneration: 5 },
      next: { step: 'backoff' },
    })
  })
})

describe('a handshake that ends', () => {
  const lost = { type: 'lost', generation: 2 } as const
  const setup = { ...HANDSHAKE, step: 'setup' } as const

  it('without a reason may be about the token: a fresh one is tried at once, then the BFF checks', () => {
    const first = step(connectingOf(HANDSHAKE), lost)
    expect(first).toMatchObject({
      status: 'reconnecting',
      error: { code: 'CONNECTION_REFUSED' },
      retries: { failures: 1, refusals: 1, refusedGeneration: 2 },
      next: { step: 'minting', generation: 7, refusedGeneration: 2 },
    })
    expect(step(reconnectingOf(HANDSHAKE), lost)).toMatchObject({
      status: 'reconnecting',
      error: { code: 'CONNECTION_REFUSED' },
      retries: { failures: 3, refusals: 2, refusedGeneration: 5 },
      next: { step: 'checking', generation: 7, token: HANDSHAKE.token },
    })
  })

  it('as unauthorized a second time is final', () => {
    const refusal = { code: 'unauthorized', retryable: true, words: 'no such key' } as const
    expect(step(connectingOf(HANDSHAKE), { ...lost, refusal })).toMatchObject({
      error: { code: 'unauthorized', status: 403, retryable: true },
      next: { step: 'minting', refusedGeneration: 2 },
    })
    const tried = { ...TRIED, isUnauthorized: true }
    const end = step(reconnectingOf(HANDSHAKE, tried), { ...lost, refusal })
    expect(end).toMatchObject({
      status: 'failed',
      retries: { refusedGeneration: 5 },
      error: { code: 'unauthorized', status: 403, retryable: false, cause: new Error('no such key') },
    })
  })

  it('after it was open is not a refusal, unless the server says so', () => {
    expect(step(reconnectingOf(setup, NO_RETRIES), lost)).toMatchObject({
      error: { code: 'CONNECTION_LOST' },
      retries: { failures: 1, refusals: 0, refusedGeneration: undefined },
      next: { step: 'backoff' },
    })
    const refusal = { code: 'unauthorized', retryable: true, status: 4401 } as const
    expect(step(reconnectingOf(setup, NO_RETRIES), { ...lost, refusal })).toMatchObject({
      error: { code: 'unauthorized', status: 4401 },
      retries: { refusals: 0, isUnauthorized: true, refusedGeneration: 2 },
      next: { step: 'minting' },
    })
  })
})

describe("the result of the BFF's check", () => {
  const checking = reconnectingOf(CHECKING)
  const checked = { type: 'checked', generation: 2 } as const
  const details = {
    status: 503,
    retryable: true,
    reqId: 'r',
    requestId: 'q',
    field: 'f',
    cause: 'c',
    message: 'Busy.',
    seen: 'It is busy.',
  }

  it("is the error of the refusal, if the service accepts the BFF's handshake", () => {
    expect(step(checking, checked)).toMatchObject({ error: LOST, retries: { diagnosis: LOST } })
  })

  it('names what stands between, if the service accepts the handshake that the page could not make', () => {
    const refused = { ...checking, error: new VoiceError('CONNECTION_REFUSED') }
    expect(step(refused, checked)).toMatchObject({
      error: {
        code: 'CONNECTION_REFUSED',
        hint: expect.stringContaining('from the BFF was accepted') as string,
      },
    })
  })

  it('is not kept if the BFF could not try: the next refusal causes another check', () => {
    const input = { type: 'check failed', generation: 2, error: unavailable } as const
    expect(step(checking, input)).toMatchObject({ error: unavailable, next: { step: 'backoff' } })
    expect(step(checking, input)).toHaveProperty('retries.diagnosis', undefined)
  })

  it('ends the stream if it is final, or about the token: a fresh token was already tried', () => {
    for (const error of [
      new VoiceError('AUTH_NO_LICENSE', { ...details, retryable: false }),
      new VoiceError('unauthorized', details),
    ]) {
      const end = step(checking, { ...checked, error })
      expect(end).toMatchObject({
        status: 'failed',
        retries: { refusedGeneration: 5 },
        error: {
          code: error.code,
          status: 503,
          retryable: false,
          reqId: 'r',
          requestId: 'q',
          field: 'f',
          cause: 'c',
        },
      })
      expect(end).toHaveProperty('error.message', 'Busy.')
      expect(end).toHaveProperty('error.hint', error.hint)
    }
  })

  it('is ignored if no check runs any longer', () => {
    for (const state of states.filter((one) => one.status !== 'reconnecting' || one.next.step !== 'checking'))
      expect(step(state, { ...checked, error: final })).toBe(state)
  })
})

describe('a wait', () => {
  const fail = (failures: number, more: object = {}, error = unavailable): StreamState =>
    step(
      reconnectingOf(MINTING, { failures, refusals: 0 }),
      { type: 'mint failed', generation: 2, error },
      more,
    )

  it.each([
    [0, 250],
    [1, 500],
    [2, 1_000],
    [20, 15_000],
  ])('after %i failures before it lasts %i ms at a middling chance', (failures, ms) => {
    expect(fail(failures)).toMatchObject({ next: { since: NOW, until: NOW + ms } })
  })

  it('has the length of the settings', () => {
    expect(fail(0, { settings: { reconnect: { minDelayMs: 4_000 } } })).toMatchObject({
      next: { until: NOW + 2_000 },
    })
    expect(fail(20, { settings: { reconnect: { maxDelayMs: 4_000 } } })).toMatchObject({
      next: { until: NOW + 2_000 },
    })
  })

  it("is no shorter than the server's Retry-After", () => {
    const error = (retryAfterMs: number): VoiceError =>
      new VoiceError('CACHE_UNAVAILABLE', { retryable: true, retryAfterMs })
    expect(fail(0, {}, error(9_000))).toMatchObject({ next: { until: NOW + 9_000 } })
    expect(fail(0, {}, error(100))).toMatchObject({ next: { until: NOW + 250 } })
  })

  it('while offline grows with each failure, and no failure counts', () => {
    expect(fail(3, { online: false })).toMatchObject({
      retries: { failures: 3, offlineFailures: 1 },
      next: { until: NOW + 2_000 },
    })
    expect(fail(30, { online: false })).toMatchObject({ status: 'reconnecting' })
    const before = reconnectingOf(MINTING, { failures: 0, offlineFailures: 100, refusals: 0 })
    const input = { type: 'mint failed', generation: 2, error: unavailable } as const
    expect(step(before, input, { online: false })).toMatchObject({
      status: 'reconnecting',
      retries: { failures: 0, offlineFailures: 101 },
      next: { until: NOW + 15_000 },
    })
  })

  it('does not follow too many failures in a row', () => {
    expect(fail(29)).toMatchObject({ status: 'reconnecting' })
    expect(fail(30)).toMatchObject({ status: 'failed', error: unavailable })
    expect(fail(1, { settings: { reconnect: { maxAttempts: 1 } } })).toMatchObject({ status: 'failed' })
  })

  it('ends in an attempt with another token than the refused one', () => {
    const over = reconnectingOf({ ...BACKOFF, until: NOW })
    expect(step(over, { type: 'time' })).toEqual({
      ...over,
      next: { step: 'minting', generation: 7, refusedGeneration: 5 },
    })
    const wait = reconnectingOf({ ...BACKOFF, until: NOW + 1 })
    expect(step(wait, { type: 'time' })).toBe(wait)
  })
})

describe('a connection that is lost', () => {
  const lost = { type: 'lost', generation: 1 } as const

  it('during the handshake of the next one continues with the next one', () => {
    expect(step(rollingOf(), lost)).toEqual({
      status: 'reconnecting',
      retries: TRIED,
      error: lostBy('close'),
      next: HANDSHAKE,
    })
    const refusal = { code: 'invalid_api_key', retryable: false } as const
    expect(step(rollingOf(), { ...lost, refusal })).toMatchObject({
      status: 'failed',
      error: { code: 'invalid_api_key' },
    })
  })

  it('when the next one is ready is replaced by it, and not read any longer', () => {
    expect(step(rollingOf(STANDBY), lost)).toEqual({
      status: 'open',
      connection: { generation: 2, token: STANDBY.token, stableAt: NOW + 10_000 },
      retries: TRIED,
      draining: undefined,
    })
  })

  it('after the switch is only forgotten', () => {
    const draining = { generation: 3, until: NOW + 500 }
    const open = openOf({ draining })
    expect(step(open, { type: 'lost', generation: 3 })).toEqual({ ...open, draining: undefined })
  })
})

describe('a rollover', () => {
  const renewed = { type: 'renewed', token: tokenOf(2) } as const

  it('begins with the next token, if the settings ask for it', () => {
    expect(step(openOf({ retries: TRIED }), renewed, { settings: seamless })).toEqual({
      status: 'rolling over',
      connection: CONNECTION,
      retries: TRIED,
      standby: { step: 'opening', generation: 7, token: renewed.token, giveUpAt: NOW + 10_000 },
    })
    expect(step(openOf(), renewed, { settings: { rollover: {} } }).status).toBe('rolling over')
    for (const settings of [{}, { rollover: 'on-close' }] as const) {
      const open = openOf()
      expect(step(open, renewed, { settings })).toBe(open)
    }
  })

  it('does not begin with a token that is not newer, was refused or has expired, and not twice', () => {
    const none = (state: StreamState, token: ReturnType<typeof tokenOf>): void =>
      expect(step(state, { type: 'renewed', token }, { settings: seamless })).toBe(state)
    none(openOf(), tokenOf(1))
    none(openOf({ retries: TRIED }), tokenOf(5))
    none(openOf(), tokenOf(2, NOW))
    none(openOf({ retire: { seeking: false, at: NOW + 9 } }), tokenOf(2))
    for (const state of states.filter(({ status }) => status !== 'open')) none(state, tokenOf(2))
    expect(
      step(openOf(), { type: 'renewed', token: tokenOf(2, NOW + 1) }, { settings: seamless }).status,
    ).toBe('rolling over')
  })

  it('is ready when the next connection is, and waits ten seconds for a safe moment, but not beyond the old token', () => {
    const opened = { type: 'opened', generation: 2 } as const
    const ready = {
      step: 'ready',
      generation: 2,
      token: HANDSHAKE.token,
      readyAt: NOW,
      switchBy: NOW + 10_000,
    }
    expect(step(rollingOf(), opened, { settings: seamless })).toEqual({ ...rollingOf(), standby: ready })
    expect(step(rollingOf(), opened, { settings: { rollover: { deadlineMs: 70 } } })).toMatchObject({
      standby: { switchBy: NOW + 70 },
    })
    const old = { ...rollingOf(), connection: { ...CONNECTION, token: tokenOf(1, NOW + 3_000) } }
    expect(step(old, opened, { settings: seamless })).toMatchObject({ standby: { switchBy: NOW + 2_000 } })
  })

  it('switches at a safe moment, or at its deadline, and reads the old connection for two seconds more', () => {
    const after = {
      status: 'open',
      connection: { generation: 2, token: STANDBY.token, stableAt: NOW + 10_000 },
      retries: TRIED,
      draining: { generation: 1, until: NOW + 2_000 },
    }
    expect(step(rollingOf(STANDBY), { type: 'safe' })).toEqual(after)
    const late = rollingOf({ ...STANDBY, switchBy: NOW })
    expect(step(late, { type: 'time' })).toEqual(after)
    const early = rollingOf({ ...STANDBY, switchBy: NOW + 1 })
    expect(step(early, { type: 'time' })).toBe(early)
    for (const state of states.filter((one) => one.status !== 'rolling over' || one.standby.step !== 'ready'))
      expect(step(state, { type: 'safe' })).toBe(state)
  })

  it('stops reading the old connection', () => {
    const open = openOf({ draining: { generation: 3, until: NOW + 1 } })
    expect(step(open, { type: 'time' })).toBe(open)
    expect(step(open, { type: 'time' }, { now: NOW + 1 })).toEqual({ ...openOf(), draining: undefined })
    const retire = { seeking: false, at: NOW + 9_000 }
    expect(step(openOf({ draining: { generation: 3, until: NOW }, retire }), { type: 'time' })).toEqual(
      openOf({ draining: undefined, retire }),
    )
    // First the failures are forgotten.
    const both = openOf({ draining: { generation: 3, until: NOW + 9_000 }, retries: TRIED })
    expect(step(both, { type: 'time' }, { now: CONNECTION.stableAt })).toEqual({
      ...both,
      retries: { failures: 0, refusals: 0, refusedGeneration: 5 },
    })
  })
})

describe('a rollover that is refused', () => {
  const lost = { type: 'lost', generation: 2 } as const
  const kept = {
    status: 'open',
    connection: CONNECTION,
    retries: TRIED,
    retire: { seeking: false, at: NOW + 79_000 },
  }
  const server = { code: 'STREAM_ERROR', retryable: true } as const
  const about = { code: 'unauthorized', retryable: true } as const

  it('keeps the connection until its token is about to expire', () => {
    expect(step(rollingOf(), { ...lost, refusal: server })).toEqual(kept)
    expect(step(rollingOf(STANDBY), lost)).toEqual(kept)
    expect(step(rollingOf({ ...HANDSHAKE, giveUpAt: NOW }), { type: 'time' })).toEqual(kept)
    expect(step(rollingOf(STANDBY), lost, { settings: { rollover: { deadlineMs: 4_000 } } })).toMatchObject({
      retire: { at: NOW + 85_000 },
    })
  })

  it('remembers the token that was refused', () => {
    const remembered = { ...kept, retries: { ...TRIED, refusedGeneration: 2 } }
    expect(step(rollingOf(), lost)).toEqual(remembered)
    expect(step(rollingOf(STANDBY), { ...lost, refusal: about })).toEqual(remembered)
  })

  it('keeps a socket whose token has expired', () => {
    const { token: _token, ...rest } = CONNECTION
    const at = (deadline: number): StreamState =>
      step({ ...rollingOf(STANDBY), connection: { ...rest, token: tokenOf(1, deadline) } }, lost)
    expect(at(NOW + 1_000)).toMatchObject({ retire: undefined })
    expect(at(NOW + 1_001)).toMatchObject({ retire: { seeking: false, at: NOW + 1 - 10_000 } })
  })

  it('then waits for a safe moment, and replaces the connection a second before the end in any case', () => {
    const time = { type: 'time' } as const
    const soon = openOf({ retire: { seeking: false, at: NOW + 1 } })
    expect(step(soon, time)).toBe(soon)
    expect(step(soon, { type: 'safe' })).toBe(soon)
    const seeking = openOf({ retire: { seeking: true, at: NOW + 89_000 } })
    expect(step(openOf({ retire: { seeking: false, at: NOW } }), time)).toEqual(seeking)
    expect(step(seeking, time)).toBe(seeking)
    const replaced = {
      status: 'reconnecting',
      retries: NO_RETRIES,
      error: lostBy('rollover'),
      next: { step: 'minting', generation: 7, refusedGeneration: undefined },
    }
    expect(step(seeking, { type: 'safe' })).toEqual(replaced)
    expect(step(openOf({ retire: { seeking: true, at: NOW } }), time)).toEqual(replaced)
    expect(step(openOf({ retire: { seeking: true, at: NOW }, retries: TRIED }), time)).toMatchObject({
      retries: TRIED,
      next: { refusedGeneration: 5 },
    })
  })
})

describe('a wake', () => {
  const wake = (state: StreamState, urgent: boolean, slept = false): StreamState =>
    step(state, { type: 'wake', urgent, slept })

  it('from a sleep replaces the connection', () => {
    for (const state of [openOf(), rollingOf(), rollingOf(STANDBY), reconnectingOf(HANDSHAKE)])
      expect(wake(state, true, true)).toMatchObject({
        status: 'reconnecting',
        error: { code: 'CONNECTION_LOST' },
        next: { step: 'minting', generation: 7 },
      })
    for (const state of [reconnectingOf(MINTING), reconnectingOf(CHECKING), { status: 'idle' } as const])
      expect(wake(state, true, true)).toBe(state)
    for (const state of states.filter(({ status }) => status !== 'failed' && status !== 'reconnecting'))
      expect(wake(state, true, false)).toBe(state)
  })

  it('to the network replaces a connection or a handshake that was not heard since offline', () => {
    const online = (state: StreamState, unheard?: number): StreamState =>
      step(state, { type: 'wake', urgent: true, slept: false, unheard })
    const unheard: readonly (readonly [StreamState, number])[] = [
      [openOf(), 1],
      [rollingOf(), 1],
      [rollingOf(STANDBY), 1],
      [reconnectingOf(HANDSHAKE), 2],
      [connectingOf(HANDSHAKE), 2],
    ]
    for (const [state, generation] of unheard) {
      expect(online(state, generation)).toMatchObject({
        status: 'reconnecting',
        error: { code: 'CONNECTION_LOST', lostBy: 'away' },
        next: { step: 'minting', generation: 7 },
      })
      expect(online(state)).toBe(state)
      expect(online(state, 99)).toBe(state)
    }
    for (const state of [reconnectingOf(MINTING), reconnectingOf(CHECKING)])
      expect(online(state, 2)).toBe(state)
  })

  it('that is uncertain ends a wait after its first second', () => {
    const until = (next: { since: number; until: number }): unknown => {
      const state = wake(reconnectingOf({ step: 'backoff', ...next }), false)
      return state.status === 'reconnecting' && state.next.step === 'backoff' ? state.next : state
    }
    expect(until({ since: NOW - 200, until: NOW + 20_000 })).toMatchObject({
      since: NOW - 200,
      until: NOW + 800,
    })
    expect(until({ since: NOW - 5_000, until: NOW + 20_000 })).toMatchObject({ until: NOW })
    expect(until({ since: NOW - 200, until: NOW + 300 })).toMatchObject({ until: NOW + 300 })
    for (const next of [MINTING, HANDSHAKE, CHECKING]) {
      const state = reconnectingOf(next)
      expect(wake(state, true)).toBe(state)
    }
  })
})

describe('a suspend', () => {
  it('closes all connections and waits the longest time', () => {
    const suspended = (until: number) => ({
      status: 'reconnecting',
      retries: TRIED,
      error: lostBy('away'),
      next: { step: 'backoff', since: NOW, until },
    })
    expect(step(openOf({ retries: TRIED }), { type: 'suspend' })).toEqual(suspended(NOW + 30_000))
    expect(step(rollingOf(), { type: 'suspend' }, { settings: { reconnect: { maxDelayMs: 60 } } })).toEqual(
      suspended(NOW + 60),
    )
    expect(step(openOf(), { type: 'suspend' }, { settings: { reconnect: {} } })).toMatchObject({
      next: { until: NOW + 30_000 },
    })
    for (const state of states.filter((one) => !isActive(one)))
      expect(step(state, { type: 'suspend' })).toBe(state)
  })

  it('of a phone in the background lasts until the application is in front, whatever else wakes it', () => {
    const behind = step(openOf(), { type: 'suspend', reason: 'background' })
    expect(behind).toMatchObject({ status: 'reconnecting', next: { step: 'backoff', until: Infinity } })
    const wakeOf = (isBack?: boolean): StreamState =>
      step(behind, { type: 'wake', urgent: true, slept: true, isBack })
    expect(wakeOf()).toBe(behind)
    expect(wakeOf(false)).toBe(behind)
    expect(wakeOf(true)).toMatchObject({ next: { step: 'minting' } })
    expect(step(behind, { type: 'open' })).toMatchObject({ next: { step: 'minting' } })
  })
})

describe('time alone', () => {
  it('changes a state when it is due', () => {
    const due: readonly (readonly [StreamState, number])[] = [
      [{ status: 'idle' }, Infinity],
      [failed, Infinity],
      [connectingOf(MINTING), Infinity],
      [connectingOf(HANDSHAKE), NOW + 3_000],
      [rollingOf(), NOW + 3_000],
      [rollingOf(STANDBY), NOW + 4_000],
      [reconnectingOf(BACKOFF), NOW + 20_000],
      [reconnectingOf(CHECKING), Infinity],
      [openOf(), Infinity],
      [openOf({ retries: TRIED }), NOW + 5_000],
      [openOf({ retries: { failures: 0, refusals: 1 } }), NOW + 5_000],
      [openOf({ retries: { failures: 1, refusals: 1 } }), NOW + 5_000],
      [openOf({ retries: { failures: 0, offlineFailures: 1, refusals: 0 } }), NOW + 5_000],
      [
        openOf({ draining: { generation: 3, until: NOW + 9 }, retire: { seeking: true, at: NOW + 8 } }),
        NOW + 8,
      ],
      [
        openOf({ draining: { generation: 3, until: NOW + 7 }, retire: { seeking: true, at: NOW + 8 } }),
        NOW + 7,
      ],
    ]
    for (const [state, at] of due) {
      expect([state, dueAt(state)]).toEqual([state, at])
    }
    for (const [state] of due.filter(([, at]) => at === Infinity))
      expect(step(state, { type: 'time' }, { now: 1e12 })).toBe(state)
  })

  it('keeps the sockets that a state needs', () => {
    expect(socketsOf({ status: 'idle' })).toEqual([undefined, undefined, undefined, undefined])
    expect(socketsOf(connectingOf(MINTING))[0]).toBeUndefined()
    expect(socketsOf(connectingOf(HANDSHAKE))[0]).toBe(2)
    expect(socketsOf(rollingOf(STANDBY))).toEqual([undefined, 1, 2, undefined])
    expect(socketsOf(openOf({ draining: { generation: 3, until: 0 } }))).toEqual([undefined, 1, undefined, 3])
  })
})
