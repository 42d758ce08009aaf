import { describe, expect, it } from 'vitest'
import { VoiceError } from '../errors/VoiceError.js'
import type { Minted } from './createMint.js'
import { SessionToken } from './SessionToken.js'
import { type Caller, errorOf, nextAttemptAt, type RequestInFlight, START } from './state.js'
import { answered, back, called, left, tick, type Transition } from './transitions.js'

const MINUTE = 60_000
const retained: Caller = {}

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
})

it('S39 a token is forgotten when the page is left, and none is requested until it is back', () => {
  const machine = start()
  machine.after(0)
  machine.answer()
  machine.step(left)
  expect(machine.state).toEqual({ ...START, status: 'away', generation: 1 })
  expect(machine.after(MINUTE)).toBe('idle')
  machine.step(back(false))
  expect(machine.after(0)).toBe('requesting')
  machine.answer()
  expect([machine.state.held?.generation, machine.events.at(-1)]).toEqual([2, 'token.minted'])
})
