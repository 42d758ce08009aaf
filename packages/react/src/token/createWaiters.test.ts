import { expect, it } from 'vitest'
import { VoiceError } from '../VoiceError.js'
import { createWaiters } from './createWaiters.js'
import { SessionToken } from './SessionToken.js'
import type { LiveToken } from './TokenSource.js'

const live = (generation: number): LiveToken => ({
  product: 'stt',
  token: new SessionToken('secret'),
  streamUrl: 'wss://stream.example/stt',
  expiresAt: new Date(0),
  deadline: 1_000,
  renewAt: 900,
  ttlMinutes: 180,
  generation,
})

function setUp() {
  const ended = new AbortController()
  let changes = 0
  const waiters = createWaiters(ended.signal, () => (changes += 1))
  const wait = (notGeneration?: number, signal?: AbortSignal): Promise<unknown> =>
    waiters.wait({ notGeneration, urgent: false }, signal).catch((thrown: unknown) => thrown)
  return { ...waiters, wait, ended, changes: () => changes }
}

const failure = new VoiceError('CACHE_UNAVAILABLE')

it('all waiters get the token, once', async () => {
  const waiters = setUp()
  const both = [waiters.wait(), waiters.wait(3)]
  expect(waiters.all()).toMatchObject([{ notGeneration: undefined }, { notGeneration: 3 }])
  expect(waiters.changes()).toBe(2)
  const token = live(4)
  waiters.resolve(token)
  expect(await Promise.all(both)).toEqual([token, token])
  expect(waiters.all()).toEqual([])
  expect(waiters.changes()).toBe(2)
})

it('after a failure the waiters that accept the current token get it, the others get the error', async () => {
  const waiters = setUp()
  const both = [waiters.wait(), waiters.wait(3), waiters.wait(2)]
  const inHand = live(3)
  waiters.reject(failure, inHand)
  expect(await Promise.all(both)).toEqual([inHand, failure, inHand])
  const alone = waiters.wait()
  waiters.reject(failure, undefined)
  expect(await alone).toBe(failure)
})

it('a waiter that aborts gets ABORTED with its reason, and no longer waits', async () => {
  const waiters = setUp()
  const leave = new AbortController()
  const [one, other] = [waiters.wait(undefined, leave.signal), waiters.wait()]
  leave.abort('the page has changed')
  expect(await one).toMatchObject({ code: 'ABORTED', cause: 'the page has changed' })
  expect(waiters.all()).toHaveLength(1)
  expect(waiters.changes()).toBe(3)
  waiters.resolve(live(1))
  expect(await other).toMatchObject({ generation: 1 })
  expect(await waiters.wait(undefined, AbortSignal.abort('gone'))).toMatchObject({
    code: 'ABORTED',
    cause: 'gone',
  })
  expect(waiters.all()).toEqual([])
})

it('a waiter that has its token no longer listens to its signal', async () => {
  const waiters = setUp()
  const leave = new AbortController()
  const one = waiters.wait(undefined, leave.signal)
  waiters.resolve(live(1))
  await one
  leave.abort()
  expect(waiters.changes()).toBe(1)
})

it('S35 the end of the identity rejects present and later waiters', async () => {
  const waiters = setUp()
  const one = waiters.wait()
  waiters.ended.abort(failure)
  expect(await one).toBe(failure)
  expect(await waiters.wait()).toBe(failure)
  expect(await waiters.wait(undefined, AbortSignal.abort())).toBe(failure)
  expect(waiters.all()).toEqual([])
})
