import { describe, expect, it } from 'vitest'
import { VoiceError } from '../errors/VoiceError.js'
import type { Minted } from './createMint.js'
import { SessionToken } from './SessionToken.js'
import {
  type Caller,
  errorOf,
  nextAttemptAt,
  type RequestInFlight,
  type SourceState,
  START,
} from './state.js'
import { answered, back, called, ended, left, tick, type Transition } from './transitions.js'

const MINUTE = 60_000
const retained: Caller = {}
const waiting: Caller = { end: () => {} }

const unavailable = new VoiceError('CACHE_UNAVAILABLE', { retryable: true })
const unlicensed = new VoiceError('AUTH_NO_LICENSE')
const signedOut = new VoiceError('UNAUTHENTICATED')

/** A token of five minutes. */
const tokenFrom = (sentAt: number): Minted => ({
  product: 'stt',
  token: new SessionToken('secret'),
  streamUrl: 'wss://stream.example/stt',
  expiresAt: new Date(0),
  deadline: sentAt + 5 * MINUTE,
})

/** A machine with a clock of its own. Each step returns the status of the request. */
function start(callers: readonly Caller[] = [retained]) {
  const context = { now: 1_000, callers, random: 0.5, usage: { isOver: () => false } }
  const machine = { state: START, ...context, events: [] as string[], step, answer, after }
  function step(transition: Transition): string {
    const { now, callers: own, random, usage } = machine
    const { state, event } = transition(machine.state, { now, callers: own, random, usage })
    machine.state = state
    if (event) machine.events.push(event.type)
    return state.request.status
  }
  function answer(result: Minted | VoiceError = tokenFrom(machine.now)): string {
    return step(answered(machine.state.request as RequestInFlight, result))
  }
  function after(ms: number): string {
    machine.now += ms
    return step(tick)
  }
  return machine
}

/** After a final failure. */
function failed(error = unlicensed) {
  const machine = start()
  machine.after(0)
  machine.answer(error)
  return machine
}

describe('the request', () => {
  it('starts when a token is needed and due, and ends with a token', () => {
    const machine = start([])
    expect(machine.after(MINUTE)).toBe('idle')
    machine.callers = [retained]
    expect(machine.after(0)).toBe('requesting')
    expect(machine.answer()).toBe('idle')
    expect(machine.state.held).toMatchObject({ generation: 1, ttlMinutes: 180 })
    // A lead of 30 s, and 10 % of it at random.
    expect(nextAttemptAt(machine.state, machine.callers)).toBe(machine.now + 267_000)
    expect(machine.after(266_999)).toBe('idle')
    expect(machine.after(1)).toBe('requesting')
    machine.answer()
    expect(machine.state.held).toMatchObject({ generation: 2 })
    expect(machine.events).toEqual(['token.minted', 'token.renewed'])
  })

  it('is repeated after a retryable failure, later each time, and shows the error meanwhile', () => {
    const machine = start()
    machine.after(0)
    const waits = [0, 1, 2].map(() => {
      expect(machine.answer(unavailable)).toBe('backoff')
      const waitMs = nextAttemptAt(machine.state, machine.callers) - machine.now
      expect(machine.after(waitMs - 1)).toBe('backoff')
      expect(machine.after(1)).toBe('requesting')
      expect(errorOf(machine.state)).toBe(unavailable)
      return waitMs
    })
    expect(waits).toEqual([500, 1_000, 2_000])
  })

  it('is cancelled if it is not needed, and its late answer has no effect', () => {
    const machine = start()
    machine.after(0)
    const late = machine.state.request as RequestInFlight
    machine.callers = []
    expect(machine.after(0)).toBe('idle')
    machine.callers = [retained]
    expect(machine.after(0)).toBe('requesting')
    const before = machine.state
    machine.step(answered(late, tokenFrom(0)))
    expect(machine.state).toBe(before)
  })

  it('after a final failure needs a caller that waits', () => {
    const machine = failed()
    expect(machine.after(MINUTE)).toBe('failed')
    machine.step(called)
    expect(machine.after(0)).toBe('failed')
    machine.callers = [retained, waiting]
    expect(machine.after(0)).toBe('requesting')
  })

  it('does not follow a call within a second of another one that failed', () => {
    const machine = failed()
    machine.callers = [waiting]
    expect(machine.after(0)).toBe('requesting')
    machine.answer(unlicensed)
    expect(machine.after(400)).toBe('backoff')
    expect(machine.after(599)).toBe('backoff')
    expect(machine.after(1)).toBe('requesting')
  })

  it('does not follow the return of the last caller within that second either', () => {
    const machine = failed()
    machine.callers = [waiting]
    machine.after(0)
    machine.callers = []
    expect(machine.after(0)).toBe('idle')
    machine.callers = [retained]
    expect(machine.after(999)).toBe('backoff')
    expect(machine.after(1)).toBe('requesting')
  })

  it.each([
    ['a call', called, 'requesting'],
    ['a page that is online again', back(true), 'requesting'],
    ['a page at the front', back(false), 'backoff'],
  ])('%s ends a backoff, if it may', (_name, transition, status) => {
    const machine = start()
    machine.after(0)
    machine.answer(unavailable)
    machine.step(transition)
    expect(machine.after(0)).toBe(status)
  })

  it.each([
    [signedOut, 'requesting'],
    [unlicensed, 'failed'],
  ])('a page at the front tries again after %s: %s', (error, status) => {
    const machine = failed(error)
    machine.step(back(false))
    expect(machine.after(0)).toBe(status)
  })

  it('obeys a Retry-After, also for a caller that was refused', () => {
    const machine = start()
    machine.after(0)
    machine.answer(new VoiceError('RATE_LIMITED', { retryable: true, retryAfterMs: 20_000 }))
    machine.callers = [{ ...waiting, isRefused: true }]
    machine.step(called)
    expect(machine.after(19_999)).toBe('backoff')
    expect(machine.after(1)).toBe('requesting')
  })
})

describe('the token', () => {
  /** With a token of five minutes. */
  function held(callers?: readonly Caller[]) {
    const machine = start(callers)
    machine.after(0)
    machine.answer()
    return machine
  }

  it('is dropped at its deadline', () => {
    const machine = held([waiting])
    machine.callers = []
    machine.after(5 * MINUTE - 1)
    expect(machine.state.held).toBeDefined()
    machine.after(1)
    expect([machine.state.held, machine.events]).toEqual([undefined, ['token.minted', 'token.expired']])
  })

  it('is dropped if its streams have ended and nobody needs it', () => {
    const machine = held()
    machine.usage = { isOver: () => true }
    machine.after(0)
    expect(machine.state.held).toBeDefined()
    machine.callers = []
    machine.after(0)
    expect([machine.state.held, machine.events]).toEqual([undefined, ['token.minted']])
  })

  it('counts as a failure if it expired during its request', () => {
    const machine = start()
    machine.after(0)
    machine.now += 5 * MINUTE
    expect(machine.answer(tokenFrom(machine.now - 5 * MINUTE))).toBe('backoff')
    expect(errorOf(machine.state)).toMatchObject({ code: 'TOKEN_EXPIRED' })
  })

  it.each([
    ['a waiting caller', waiting, 5_000],
    ['a caller of a shorter TTL', { ttlMinutes: 5 }, 5_000],
    ['a refused caller', { ...waiting, isRefused: true }, 0],
    ['a caller of a longer TTL', { ttlMinutes: 300 }, 267_000],
  ])('is renewed for %s after the gap between renewals, if it has one', (_name, caller, waitMs) => {
    const machine = held()
    machine.callers = [waiting]
    machine.after(0)
    machine.answer()
    machine.callers = [retained, caller]
    const inMs = nextAttemptAt(machine.state, machine.callers) - machine.now
    expect(Math.max(0, inMs)).toBe(waitMs)
  })

  it('S39 is forgotten when the page is left, and none is requested until it is back', () => {
    const machine = held()
    machine.step(left)
    expect(machine.state).toEqual({ ...START, status: 'away', generation: 1 })
    expect(machine.after(MINUTE)).toBe('idle')
    machine.step(back(false))
    expect(machine.after(0)).toBe('requesting')
    machine.answer()
    expect([machine.state.held?.generation, machine.events.at(-1)]).toEqual([2, 'token.minted'])
  })

  it.each<[VoiceError | null, SourceState['request']['status']]>([
    [null, 'idle'],
    [new VoiceError('USER_CHANGED'), 'failed'],
  ])('S35 is forgotten when the identity ends, and only the error %o is shown', (error, status) => {
    const machine = held()
    expect(machine.step(ended(error, new VoiceError('ABORTED')))).toBe(status)
    expect([machine.state.held, errorOf(machine.state)]).toEqual([undefined, error])
    expect(nextAttemptAt(machine.state, machine.callers)).toBe(Infinity)
  })
})
