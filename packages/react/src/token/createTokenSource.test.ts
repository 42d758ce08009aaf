import * as fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import type { TokenEvent } from '../events/events.js'
import { sleepAware } from '../platform/sleepAware.js'
import type { VirtualPlatformOptions } from '../virtual/createVirtualPlatform.test.kit.js'
import { createVirtualPlatform } from '../virtual/createVirtualPlatform.test.kit.js'
import { VoiceError } from '../errors/VoiceError.js'
import { createTokenSource } from './createTokenSource.js'
import type { MintOptions } from './createMint.js'
import { renewalLeadMs } from './renewal.js'
import { SessionToken } from './SessionToken.js'
import type { LiveToken } from './TokenSource.js'

const SECOND = 1_000
const MINUTE = 60_000
const HOUR = 60 * MINUTE

interface Attempt extends MintOptions {
  readonly at: number
}
type Outcome = (attempt: Attempt) => VoiceError | undefined

/** A source in virtual time with a scripted mint. By default it grants five minutes at once. */
function setup({
  lifeMs = 5 * MINUTE,
  receipt,
  ...options
}: VirtualPlatformOptions & { lifeMs?: number; receipt?: string } = {}) {
  const virtual = createVirtualPlatform(options)
  const platform = sleepAware(virtual)
  const attempts: Attempt[] = []
  const events: TokenEvent[] = []
  const once: Outcome[] = []
  const server = { always: undefined as Outcome | undefined, latencyMs: 0, lifeMs }
  const end = new AbortController()
  /** The calls of the counter of the user's minutes, and its answer to `isOver`. */
  const counted: string[] = []
  const used = { isOver: false }
  let listener: (type: TokenEvent['type']) => unknown = () => {}
  const source = createTokenSource({
    product: 'stt',
    platform,
    signal: end.signal,
    usage: {
      begin: ({ generation }: LiveToken) => counted.push(`begin ${generation}`),
      end: ({ generation }: LiveToken, isReplaced) =>
        counted.push(`end ${generation}${isReplaced ? ', replaced' : ''}`),
      isOver: () => used.isOver,
      replace: (_product, held) => (held ? { receipt: 'receipt', used_ms: 7 } : undefined),
    },
    emit(event) {
      events.push(event)
      listener(event.type)
    },
    async mint(product, mintOptions) {
      const at = platform.now()
      const attempt = { ...mintOptions, at }
      const serial = attempts.push(attempt)
      if (server.latencyMs > 0) {
        await new Promise<void>((resolve) => virtual.setTimeout(resolve, server.latencyMs))
      }
      const life = server.lifeMs
      const error = once.shift()?.(attempt) ?? server.always?.(attempt)
      if (error) throw error
      return {
        product,
        token: new SessionToken(`secret-${serial}`),
        streamUrl: 'wss://stream.example/stt',
        expiresAt: new Date(virtual.wallNow() + life),
        deadline: at + life,
        receipt,
      }
    },
  })
  return {
    virtual,
    source,
    end: (error: VoiceError) => end.abort(error),
    attempts,
    events,
    once,
    server,
    counted,
    used,
    onEvent: (own: typeof listener) => void (listener = own),
    value: () => source.current()?.token.value,
    types: () => events.map((event) => event.type),
  }
}

const unavailable = (retryAfterMs?: number): VoiceError =>
  new VoiceError('CACHE_UNAVAILABLE', { retryable: true, retryAfterMs })
const unlicensed = (): VoiceError => new VoiceError('AUTH_NO_LICENSE', { reqId: 'req-1' })

describe('a request', () => {
  it('reports how long it took, and the remaining life', async () => {
    const { source, server, events, virtual } = setup()
    server.latencyMs = SECOND
    await virtual.advance(MINUTE)
    source.retain()
    await virtual.advance(SECOND)
    expect(events).toMatchObject([{ type: 'token.minted', tookMs: SECOND, expiresInMs: 299 * SECOND }])
  })

  it('is not sent until a token is needed', async () => {
    const { virtual, attempts, source } = setup()
    source.subscribe(() => {})
    await virtual.advance(HOUR)
    expect(attempts).toHaveLength(0)
    expect(virtual.timers).toBe(0)
    expect(source.state()).toEqual({ status: 'pending', live: undefined, error: null, retryAt: null })
  })

  it('replaces a token with a longer life than requested, but not one with a shorter life', async () => {
    const { source, attempts, virtual } = setup()
    source.retain({ ttlMinutes: 60 })
    await virtual.advance(0)
    source.retain({ ttlMinutes: 120 })
    await virtual.advance(SECOND)
    expect(attempts).toHaveLength(1)
    source.retain({ ttlMinutes: 10 })
    await virtual.advance(SECOND)
    expect(attempts.map((attempt) => attempt.ttlMinutes)).toEqual([60, 10])
  })

  it('replaces a token that lives longer than a caller accepts, and no other', async () => {
    const { source, attempts, virtual } = setup({ lifeMs: 60 * MINUTE })
    await source.get({ ttlMinutes: 60 })
    for (const ttlMinutes of [60, 120, undefined]) await source.get({ ttlMinutes })
    expect(attempts).toHaveLength(1)
    expect(await source.get({ ttlMinutes: 10 })).toMatchObject({ generation: 2 })
    // Also while a renewal is due.
    await virtual.advance(59 * MINUTE)
    expect(await source.get({ ttlMinutes: 5 })).toMatchObject({ generation: 3 })
    expect(attempts.map((attempt) => attempt.ttlMinutes)).toEqual([60, 10, 5])
  })

  it('is aborted when the last waiter has left, and its late response is ignored', async () => {
    const { source, attempts, server, virtual } = setup()
    server.latencyMs = SECOND
    const leave = source.retain()
    const abort = new AbortController()
    const waiting = source.get({ signal: abort.signal })
    await virtual.advance(0)
    leave()
    await virtual.advance(0)
    expect(attempts[0]?.signal.aborted).toBe(false)
    abort.abort('the page has changed')
    await expect(waiting).rejects.toMatchObject({ code: 'ABORTED', cause: 'the page has changed' })
    await virtual.advance(0)
    expect(attempts[0]?.signal.aborted).toBe(true)
    await virtual.advance(2 * SECOND)
    expect(source.current()).toBeUndefined()
    expect(virtual.timers).toBe(0)
  })

  it('is refused with a signal that is already aborted', async () => {
    const { source } = setup()
    const aborted = source.get({ signal: AbortSignal.abort('gone') })
    await expect(aborted).rejects.toMatchObject({ code: 'ABORTED', cause: 'gone' })
  })

  it('is not sent while there is a token, even if nothing retains it', async () => {
    const { source, attempts, virtual } = setup()
    const first = source.get()
    await virtual.advance(MINUTE)
    expect(await source.get()).toBe(await first)
    expect(attempts).toHaveLength(1)
    expect(virtual.timers).toBe(0)
  })

  it('is sent at once if a socket was refused with the current token', async () => {
    const { source, attempts, virtual } = setup()
    source.retain()
    await virtual.advance(0)
    for (const refused of [1, 2]) {
      const next = source.get({ notGeneration: refused })
      await virtual.advance(0)
      expect(await next).toMatchObject({ generation: refused + 1 })
    }
    expect(attempts).toHaveLength(3)
  })

  it('is not sent for a caller that was refused with an earlier token', async () => {
    const { source, attempts, virtual } = setup()
    await source.get()
    await source.get({ notGeneration: 1 })
    expect(await source.get({ notGeneration: 1 })).toMatchObject({ generation: 2 })
    await virtual.advance(HOUR)
    expect(await source.get({ notGeneration: 1 })).toMatchObject({ generation: 3 })
    expect(attempts).toHaveLength(3)
  })
})

describe('renewal', () => {
  it('keeps lead and jitter within their limits for every life', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 24 * HOUR }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (lifeMs, random) => {
          const lead = renewalLeadMs(lifeMs, random)
          const base = Math.min(Math.max(lifeMs / 10, 30 * SECOND), 5 * MINUTE)
          expect(lead).toBeLessThanOrEqual(lifeMs / 4)
          expect(lead).toBeLessThanOrEqual(base * 1.2)
          expect(lead).toBeGreaterThanOrEqual(Math.min(base, lifeMs / 4))
        },
      ),
      { seed: 7 },
    )
    expect([renewalLeadMs(5 * MINUTE, 0), renewalLeadMs(5 * MINUTE, 1)]).toEqual([30_000, 36_000])
    expect([renewalLeadMs(24 * HOUR, 0), renewalLeadMs(24 * HOUR, 1)]).toEqual([300_000, 360_000])
    expect(renewalLeadMs(MINUTE, 1)).toBe(15_000)
  })

  it('renews a token of five minutes before it ends, for hours, and always has a token', async () => {
    const { source, attempts, virtual } = setup()
    source.retain()
    await virtual.advance(0)
    for (let i = 0; i < 3 * 3600; i++) {
      expect(source.current()).toBeDefined()
      await virtual.advance(SECOND)
    }
    // 267 s is five minutes less a lead of 33 s.
    expect(attempts.slice(1).map((attempt, i) => attempt.at - (attempts[i]?.at ?? 0))).toEqual(
      Array.from({ length: attempts.length - 1 }, () => 267 * SECOND),
    )
    expect(attempts).toHaveLength(41)
  })

  it('stops when the last consumer leaves, and leaves no timer', async () => {
    const { source, attempts, virtual } = setup()
    const leave = [source.retain(), source.retain()]
    await virtual.advance(MINUTE)
    for (const undo of leave) undo()
    await virtual.advance(HOUR)
    expect(attempts).toHaveLength(1)
    expect(virtual.timers).toBe(0)
  })

  it('treats a token that expired during its request as a failure', async () => {
    const { source, server, events, virtual } = setup({ lifeMs: 2 * SECOND })
    server.latencyMs = 3 * SECOND
    const waiting = source.get()
    waiting.catch(() => {})
    await virtual.advance(3 * SECOND)
    await expect(waiting).rejects.toMatchObject({ code: 'TOKEN_EXPIRED' })
    expect(events.at(-1)).toMatchObject({ type: 'token.retrying', code: 'TOKEN_EXPIRED' })
  })

  it('never renews twice within five seconds, even if lives are short', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 30 * SECOND }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        async (lifeMs, random) => {
          const { source, events, virtual } = setup({ lifeMs, random: () => random })
          source.retain()
          await virtual.advance(2 * MINUTE)
          const renewals = events.filter((event) => event.type === 'token.renewed').map((event) => event.at)
          for (const [i, at] of renewals.slice(1).entries()) {
            expect(at - (renewals[i] ?? 0)).toBeGreaterThanOrEqual(5 * SECOND)
          }
        },
      ),
      { numRuns: 60, seed: 7 },
    )
  })

  it('renews on demand, once for all callers, and not again within five seconds', async () => {
    const { source, attempts, virtual } = setup()
    source.retain()
    await virtual.advance(MINUTE)
    const both = [source.renew(), source.renew()]
    await virtual.advance(0)
    expect((await Promise.all(both)).map((live) => live.generation)).toEqual([2, 2])
    const again = source.renew()
    await virtual.advance(5 * SECOND - 1)
    expect(attempts).toHaveLength(2)
    await virtual.advance(1)
    expect(await again).toMatchObject({ generation: 3 })
  })

  it('waits for the next token shortly before the current one ends, and falls back to the current one', async () => {
    const { source, attempts, server, virtual } = setup()
    const first = source.get()
    await virtual.advance(290 * SECOND)
    const second = source.get()
    await virtual.advance(0)
    expect((await second).generation).toBe(2)
    await virtual.advance(290 * SECOND)
    server.always = () => unavailable()
    const third = source.get()
    await virtual.advance(0)
    expect((await third).generation).toBe(2)
    expect(attempts).toHaveLength(3)
    expect((await first).generation).toBe(1)
  })
})

describe('failure', () => {
  it('rejects a call of renew() although the current token is still good', async () => {
    const { source, server } = setup()
    const live = await source.get()
    server.always = () => unavailable()
    await expect(source.renew()).rejects.toMatchObject({ code: 'CACHE_UNAVAILABLE' })
    expect(await source.get()).toBe(live)
  })

  it('is followed by the next attempt at once if the application opens a stream', async () => {
    const { source, attempts, server, virtual } = setup({ random: () => 0.999 })
    server.always = () => unavailable()
    source.retain()
    await virtual.advance(40 * SECOND)
    const before = attempts.length
    server.always = undefined
    source.retryNow()
    await virtual.advance(0)
    expect(attempts).toHaveLength(before + 1)
    expect(source.state()).toMatchObject({ status: 'success', error: null })
  })

  it('tries again before the current token ends, even if the backoff is long', async () => {
    const { source, server, events, virtual } = setup({ random: () => 0.999 })
    source.retain()
    // The renewal is due 36 s before the end. Attempts at 0, 1, 3, 7, 15 and 31 s; the next one would come 30
    // s later.
    await virtual.advance(260 * SECOND)
    const start = virtual.now()
    server.always = ({ at }) => (at < start + 37 * SECOND ? unavailable() : undefined)
    await virtual.advance(39 * SECOND)
    expect(source.current()?.generation).toBe(2)
    expect(events.some((event) => event.type === 'token.expired')).toBe(false)
  })

  it('reports a failing renewal while the current token is still valid', async () => {
    const { source, server, virtual } = setup()
    source.retain()
    await virtual.advance(260 * SECOND)
    server.always = () => unavailable()
    await virtual.advance(10 * SECOND)
    expect(source.state()).toMatchObject({ status: 'success', error: { code: 'CACHE_UNAVAILABLE' } })
    // A caller does not wait for an attempt that will probably fail too.
    expect((await source.get()).generation).toBe(1)
    server.always = undefined
    await virtual.advance(30 * SECOND)
    expect(source.state()).toMatchObject({ status: 'success', error: null, live: { generation: 2 } })
  })

  it('never returns an expired token, and reports the expiry once', async () => {
    const { source, server, types, virtual } = setup()
    source.retain()
    await virtual.advance(260 * SECOND)
    server.always = () => unavailable()
    await virtual.advance(40 * SECOND)
    expect(source.current()).toBeUndefined()
    expect(source.state()).toMatchObject({ status: 'error', error: { code: 'CACHE_UNAVAILABLE' } })
    expect(types().filter((type) => type === 'token.expired')).toHaveLength(1)
    server.always = undefined
    await virtual.advance(MINUTE)
    expect(source.state().status).toBe('success')
  })

  it('backs off with full jitter from 1 s to 30 s', async () => {
    const { source, server, events, virtual } = setup({ random: () => 0.5 })
    server.always = () => unavailable()
    source.retain()
    await virtual.advance(2 * MINUTE)
    const delays = events.map((event) => (event.type === 'token.retrying' ? event.retryInMs : event.type))
    expect(delays.slice(0, 8)).toEqual([500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000])
  })

  it('obeys Retry-After, for later callers too', async () => {
    const { source, once, attempts, virtual } = setup()
    once.push(() => unavailable(20 * SECOND))
    source.retain()
    await virtual.advance(10 * SECOND)
    const waiting = [source.get(), source.renew()]
    await virtual.advance(9_999)
    expect(attempts).toHaveLength(1)
    await virtual.advance(1)
    expect(attempts).toHaveLength(2)
    expect((await Promise.all(waiting)).map((live) => live.generation)).toEqual([1, 1])
  })

  it('treats a final error as final, for present and later consumers', async () => {
    const { source, server, attempts, types, virtual } = setup()
    server.always = unlicensed
    source.retain()
    await virtual.advance(HOUR)
    source.retain()
    virtual.wake('focus')
    virtual.setOnline(true)
    await virtual.advance(HOUR)
    expect(attempts).toHaveLength(1)
    expect(types()).toEqual(['token.failed'])
    expect(source.state()).toMatchObject({
      status: 'error',
      error: { code: 'AUTH_NO_LICENSE', reqId: 'req-1' },
    })
  })

  it('keeps the current token until it expires after a final error', async () => {
    const { source, server, attempts, virtual } = setup()
    source.retain()
    await virtual.advance(260 * SECOND)
    server.always = unlicensed
    await virtual.advance(39 * SECOND)
    expect(source.state()).toMatchObject({ status: 'success', error: { code: 'AUTH_NO_LICENSE' } })
    expect((await source.get()).generation).toBe(1)
    await virtual.advance(HOUR)
    expect(source.state()).toMatchObject({ status: 'error', error: { code: 'AUTH_NO_LICENSE' } })
    expect(attempts).toHaveLength(2)
  })

  it('requests again after a final error for an explicit call, or for the first consumer after all had left', async () => {
    const { source, server, attempts, virtual } = setup()
    server.always = unlicensed
    const leave = source.retain()
    await virtual.advance(MINUTE)
    const renewed = source.renew()
    renewed.catch(() => {})
    await virtual.advance(0)
    await expect(renewed).rejects.toMatchObject({ code: 'AUTH_NO_LICENSE' })
    leave()
    await virtual.advance(MINUTE)
    server.always = undefined
    source.retain()
    await virtual.advance(0)
    expect(source.state().status).toBe('success')
    expect(attempts).toHaveLength(3)
  })

  it('rejects waiters with the failure, unless they accept the current token', async () => {
    const { source, server, virtual } = setup()
    source.retain()
    await virtual.advance(0)
    server.always = () => unavailable()
    const refused = source.get({ notGeneration: 1 })
    refused.catch(() => {})
    await virtual.advance(0)
    await expect(refused).rejects.toMatchObject({ code: 'CACHE_UNAVAILABLE' })
    expect((await source.get()).generation).toBe(1)
  })

  it('turns any other thrown value into a VoiceError', async () => {
    const platform = createVirtualPlatform()
    const source = createTokenSource({
      product: 'stt',
      platform,
      signal: new AbortController().signal,
      emit: () => {},
      usage: { begin: () => {}, end: () => {}, isOver: () => false, replace: () => undefined },
      mint: () => Promise.reject(new TypeError('boom')),
    })
    await expect(source.get()).rejects.toMatchObject({ name: 'VoiceError', code: 'NETWORK_ERROR' })
  })
})

describe('clocks', () => {
  it('ignores a clock that is set back; one that is set forward causes at most an early renewal', async () => {
    const { source, attempts, virtual } = setup()
    source.retain()
    await virtual.advance(0)
    virtual.setWall(virtual.wallNow() - HOUR)
    await virtual.advance(MINUTE)
    expect(attempts).toHaveLength(1)
    virtual.setWall(virtual.wallNow() + HOUR)
    await virtual.advance(MINUTE)
    expect(attempts).toHaveLength(2)
    expect(source.state().status).toBe('success')
  })

  it('replaces the token at once when the page wakes from a sleep of two hours', async () => {
    const { source, attempts, types, virtual } = setup({ lifeMs: HOUR })
    source.retain()
    await virtual.advance(MINUTE)
    virtual.sleep(2 * HOUR)
    expect(source.current()).toBeUndefined()
    virtual.wake('visible')
    await virtual.advance(0)
    expect(attempts).toHaveLength(2)
    expect(types()).toEqual(['token.minted', 'token.expired', 'token.renewed'])
    expect(source.state().status).toBe('success')
  })

  it('notices a sleep within a minute without an event', async () => {
    const { source, attempts, virtual } = setup({ lifeMs: 5 * HOUR })
    source.retain()
    await virtual.advance(MINUTE)
    virtual.sleep(4 * HOUR + 58 * MINUTE)
    await virtual.advance(MINUTE)
    expect(attempts).toHaveLength(2)
  })

  it('reads the clock at every kind of wake, and requests nothing if nothing is due', async () => {
    const { source, attempts, virtual } = setup()
    source.retain()
    await virtual.advance(0)
    for (const reason of ['visible', 'pageshow', 'focus', 'resume', 'online'] as const) virtual.wake(reason)
    await virtual.advance(SECOND)
    expect(attempts).toHaveLength(1)
  })

  it('renews a token ahead of its expiry although the browser says that it is offline', async () => {
    const { source, attempts, virtual } = setup()
    source.retain()
    await virtual.advance(200 * SECOND)
    virtual.setOnline(false)
    await virtual.advance(95 * SECOND)
    expect(attempts).toHaveLength(2)
    expect(source.state()).toMatchObject({ status: 'success', error: null, live: { generation: 2 } })
  })

  it('retries a renewal at the pace of the backoff while offline, and at once when online again', async () => {
    const { source, server, attempts, virtual } = setup()
    source.retain()
    await virtual.advance(200 * SECOND)
    virtual.setOnline(false)
    server.always = () => new VoiceError('NETWORK_ERROR')
    await virtual.advance(95 * SECOND)
    expect(source.state()).toMatchObject({ status: 'success', error: { code: 'NETWORK_ERROR' } })
    expect(attempts.length).toBeGreaterThan(2)
    expect(attempts.length).toBeLessThan(12)
    const before = attempts.length
    server.always = undefined
    virtual.setOnline(true)
    await virtual.advance(0)
    expect(attempts).toHaveLength(before + 1)
    expect(source.state()).toMatchObject({ status: 'success', error: null, live: { generation: 2 } })
  })

  it('tries at the same pace offline and online without a token, and at once when online again', async () => {
    const { source, server, attempts, virtual } = setup()
    virtual.setOnline(false)
    server.always = () => new VoiceError('NETWORK_ERROR')
    source.retain()
    await virtual.advance(29 * SECOND)
    const online = setup()
    online.server.always = () => new VoiceError('NETWORK_ERROR')
    online.source.retain()
    await online.virtual.advance(29 * SECOND)
    expect(attempts).toHaveLength(online.attempts.length)
    server.always = undefined
    virtual.setOnline(true)
    await virtual.advance(0)
    expect(source.state().status).toBe('success')
  })
})

describe('events and state', () => {
  it('calls listeners only after a change, and returns the same state until then', async () => {
    const { source, virtual } = setup()
    const listener = vi.fn<() => void>()
    const undo = source.subscribe(listener)
    source.retain()
    await virtual.advance(MINUTE)
    expect(listener).toHaveBeenCalledTimes(1)
    expect(source.state()).toBe(source.state())
    undo()
    await virtual.advance(HOUR)
    expect(listener).toHaveBeenCalledTimes(1)
  })

  it('S31 shows no token in events, states and dumps', async () => {
    const { source, events, server, virtual } = setup()
    source.retain()
    await virtual.advance(260 * SECOND)
    server.always = () => unavailable()
    await virtual.advance(HOUR)
    server.always = undefined
    await virtual.advance(HOUR)
    const live = await source.get()
    expect(live.token.value).toMatch(/^secret-/)
    const { inspect } = await import('node:util')
    const dumps = [
      JSON.stringify(events),
      JSON.stringify(source.state()),
      JSON.stringify(live),
      String(live.token),
      inspect(live, { showHidden: true, depth: 9 }),
      JSON.stringify(structuredClone(Object.entries(live.token))),
    ]
    expect(dumps.filter((dump) => dump.includes('secret-'))).toEqual([])
  })

  it('S31 empties a token when it expires, also for callers that kept it', async () => {
    const { source, virtual } = setup()
    source.retain()
    await virtual.advance(0)
    const first = source.current()?.token
    await virtual.advance(299 * SECOND)
    expect(source.current()?.generation).toBe(2)
    expect(first?.value).toBe('secret-1')
    await virtual.advance(MINUTE)
    expect(first?.value).toBe('')
    const second = source.current()?.token
    virtual.suspend('pagehide')
    expect(second?.value).toBe('')
  })

  it('S39 wipes the token when the page is left, and requests a new one when it is back', async () => {
    const { source, attempts, virtual, value, types } = setup()
    source.retain()
    await virtual.advance(MINUTE)
    const before = source.current()?.token
    virtual.suspend('pagehide')
    expect([before?.value, source.current(), source.state().status]).toEqual(['', undefined, 'pending'])
    // Timers may still run between the end of the page and its freeze.
    const waiting = source.get()
    await virtual.advance(HOUR)
    expect(attempts).toHaveLength(1)
    virtual.wake('resume')
    await virtual.advance(0)
    expect([value(), (await waiting).token.value]).toEqual(['secret-2', 'secret-2'])
    expect(attempts).toHaveLength(2)
    expect(types()).not.toContain('token.expired')
  })

  it('S39 drops the response to a request from before the page was left', async () => {
    const { source, server, virtual, value } = setup()
    server.latencyMs = SECOND
    const waiting = source.get()
    await virtual.advance(SECOND / 2)
    virtual.suspend('pagehide')
    virtual.wake('resume')
    await virtual.advance(SECOND / 2)
    expect(value()).toBeUndefined()
    await virtual.advance(SECOND / 2)
    expect((await waiting).token.value).toBe('secret-2')
  })
})

describe('a token whose minutes are counted', () => {
  it('is reported when it begins, is replaced, and ends, also if it is not needed', async () => {
    const { source, virtual, attempts, counted } = setup({ receipt: 'receipt' })
    const leave = source.retain()
    await virtual.advance(0)
    await virtual.advance(299 * SECOND)
    expect(counted).toEqual(['begin 1', 'end 1, replaced', 'begin 2'])
    expect(attempts.map(({ replaces }) => replaces)).toEqual([undefined, { receipt: 'receipt', used_ms: 7 }])
    leave()
    await virtual.advance(5 * MINUTE)
    expect(counted).toEqual(['begin 1', 'end 1, replaced', 'begin 2', 'end 2'])
    expect(virtual.timers).toBe(0)
  })

  it('is dropped when its streams have ended and it is not needed, and not before', async () => {
    const { source, virtual, attempts, counted, used } = setup({ receipt: 'receipt' })
    const leave = source.retain()
    await virtual.advance(0)
    used.isOver = true
    await virtual.advance(MINUTE)
    expect(source.current()?.generation).toBe(1)
    leave()
    await virtual.advance(0)
    expect([source.current(), counted]).toEqual([undefined, ['begin 1', 'end 1']])
    expect(attempts).toHaveLength(1)
  })

  it('is kept while it is not needed if its streams have not ended', async () => {
    const { source, virtual } = setup({ receipt: 'receipt' })
    source.retain()()
    void source.get()
    await virtual.advance(MINUTE)
    expect(source.current()?.generation).toBe(1)
  })
})

describe('the end of an identity', () => {
  it('S35 wipes the token and requests no other token', async () => {
    const { source, attempts, virtual, end, types } = setup()
    const release = source.retain()
    await virtual.advance(0)
    const token = source.current()?.token
    const seen: unknown[] = []
    source.subscribe(() => seen.push(source.state().status))
    end(new VoiceError('ABORTED'))
    expect([token?.value, source.current(), source.state()]).toEqual([
      '',
      undefined,
      { status: 'pending', live: undefined, error: null, retryAt: null },
    ])
    await virtual.advance(HOUR)
    release()
    source.retain()
    await virtual.advance(HOUR)
    expect(attempts).toHaveLength(1)
    expect(seen).toEqual(['pending'])
    expect(types()).toEqual(['token.minted'])
    expect(virtual.timers).toBe(0)
  })

  it('S35 requests no token if it ends inside the event of the expiry', async () => {
    const { source, attempts, virtual, end, server, onEvent } = setup()
    source.retain()
    await virtual.advance(0)
    server.always = () => unavailable()
    await virtual.advance(299 * SECOND)
    const before = attempts.length
    onEvent((type) => type === 'token.expired' && end(new VoiceError('ABORTED')))
    virtual.sleep(HOUR)
    virtual.wake('online')
    await virtual.advance(HOUR)
    expect(attempts).toHaveLength(before)
    expect(virtual.timers).toBe(0)
  })

  it('S35 rejects the waiters, and discards the response that they waited for', async () => {
    const { source, attempts, server, virtual, end } = setup()
    server.latencyMs = SECOND
    const outcomes = Promise.allSettled([source.get(), source.renew()])
    await virtual.advance(SECOND / 2)
    end(new VoiceError('ABORTED'))
    expect(await outcomes).toMatchObject([{ reason: { code: 'ABORTED' } }, { reason: { code: 'ABORTED' } }])
    expect(attempts[0]?.signal.aborted).toBe(true)
    await virtual.advance(HOUR)
    expect(source.current()).toBeUndefined()
    await expect(source.get()).rejects.toMatchObject({ code: 'ABORTED' })
    await expect(source.renew()).rejects.toMatchObject({ code: 'ABORTED' })
    expect(attempts).toHaveLength(1)
  })

  it('S35 forgets the error of the user, and shows that the BFF found another one', async () => {
    const failing = () => {
      const setting = setup()
      setting.server.always = unlicensed
      setting.source.retain()
      return setting
    }
    const [left, changed] = [failing(), failing()]
    await Promise.all([left.virtual.advance(SECOND), changed.virtual.advance(SECOND)])
    expect(left.source.state().status).toBe('error')
    left.end(new VoiceError('ABORTED'))
    expect(left.source.state()).toEqual({ status: 'pending', live: undefined, error: null, retryAt: null })
    changed.end(new VoiceError('USER_CHANGED'))
    expect(changed.source.state()).toMatchObject({ status: 'error', error: { code: 'USER_CHANGED' } })
  })
})
