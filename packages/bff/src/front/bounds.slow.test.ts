import { connect } from 'node:net'
import { delay, fail, hang } from '@stagepass/emulator'
import { type Stack, startStack } from '@stagepass/testing'
import express from 'express'
import { describe, expect, it, vi } from 'vitest'
import { virtualClock } from '@stagepass/testing/virtualClock'
import { heapUsed } from './heapUsed.test.kit.js'
import { createBff } from '../index.js'
import { RequestContext } from '../request/RequestContext.js'
import { systemPlatform } from '../base/platform.js'
import { createBreaker } from '../usage/createBreaker.js'
import { createLimits, MAX_COUNTED_USERS } from '../usage/createLimits.js'
import { readOptions } from '../settings/readOptions.js'
import { NO_LIMITS } from '../usage/usageRules.js'
import { createUsage } from '../usage/createUsage.js'
import { createUsageStore, MAX_COUNTED_IN_MEMORY } from '../usage/createUsageStore.js'

const MINT = { json: { usage_type: 'stt' } }

describe('S27 maps are bounded', () => {
  const limits = createLimits({
    settings: readOptions({
      apiKey: 'k',
      baseUrl: 'https://a.example',
      streamingUrl: 'wss://a.example',
      authorize: () => null,
      limits: { tokensPerMinute: 1, meetingsPerMinute: 1 },
    }),
    breaker: createBreaker(systemPlatform.clock, 1_000),
    userName: ({ user }) => user,
    register: { isSuspect: () => false },
    onForgotten: () => undefined,
  })
  const context = new RequestContext('r', 1_000, systemPlatform, undefined)
  const countToken = (user: string) => limits.count('tokensPerMinute', { user }, context)

  it('S27 after 100,000 users no more than the bound are remembered', async () => {
    await countToken('first')
    await expect(countToken('first')).rejects.toMatchObject({ code: 'RATE_LIMITED' })
    const heapBefore = heapUsed()
    for (let user = 0; user < 100_000; user++) await countToken(`user-${user}`)
    const heapOf100k = heapUsed() - heapBefore
    // The newest users are still counted, and the oldest begin again from zero.
    for (const user of [99_999, 100_000 - MAX_COUNTED_USERS + 2])
      await expect(countToken(`user-${user}`)).rejects.toMatchObject({ code: 'RATE_LIMITED' })
    await countToken('first')
    expect(heapOf100k / MAX_COUNTED_USERS).toBeLessThan(5_000)
  })

  it('S27 the minutes of 200,000 users need no more memory than the bound, and no counted user gets a new day', async () => {
    const clock = virtualClock()
    const usage = createUsage({
      store: createUsageStore({ redis: undefined, account: 'main', clock }),
      breaker: (call) => call(),
      secret: undefined,
      userName: ({ user }) => user,
      platform: { ...systemPlatform, clock, wallNow: () => Date.parse('2030-01-01T12:00:00Z') + clock.now() },
      emit: undefined,
    })
    const reserve = async (user: number) => {
      const limits = { ...NO_LIMITS, 'user day': 5 * 60_000 }
      const request = { requestId: 'r', user: `user ${user}`, product: 'stt' as const, minutes: 5 }
      const reservation = await usage.reserve({ ...request, limits })
      if (reservation) await usage.keep(reservation)
    }
    const codeOf = async (user: number): Promise<unknown> =>
      reserve(user).then(
        () => 'fine',
        ({ code }: { code?: unknown }) => code,
      )
    const heapBefore = heapUsed()
    for (let user = 0; user < MAX_COUNTED_IN_MEMORY; user++) await reserve(user)
    const codes = new Set<unknown>()
    for (let user = MAX_COUNTED_IN_MEMORY; user < 200_000; user++) codes.add(await codeOf(user))
    expect([...codes]).toEqual(['USAGE_UNAVAILABLE'])
    expect(usage.isDegraded()).toBe(true)
    // The first user has used the whole day.
    expect(await codeOf(0)).toBe('USAGE_EXHAUSTED')
    const heapOf200k = heapUsed() - heapBefore
    expect(heapOf200k / MAX_COUNTED_IN_MEMORY).toBeLessThan(2_000)
    // Three days later there is space again.
    clock.jump(3 * 86_400_000)
    expect(await codeOf(200_000)).toBe('fine')
    await usage.close()
  })

  it(
    'S27 S58 after 20,000 customers with a key each, 20,000 more need no more memory',
    { timeout: 300_000 },
    async () => {
      const clock = virtualClock()
      const bff = createBff({
        platform: { clock },
        baseUrl: 'https://voice.example',
        streamingUrl: 'wss://voice.example',
        authorize: () => null,
        logger: false,
        transport: {
          async send({ path }) {
            const expires_at = new Date(Date.now() + 300_000).toISOString()
            const data = {
              session_key: `st_${Math.random()}`,
              expires_at,
              type: 'session',
              usage_type: 'stt',
              status: 'active',
              key_id: 1,
            }
            const text = JSON.stringify(path.includes('session') ? { code: 0, data } : [])
            return { status: 200, text, date: undefined, retryAfter: undefined }
          },
          handshake: () => () => {},
          close: () => Promise.resolve(),
        },
      })
      const serve = async (first: number): Promise<number> => {
        for (let nth = first; nth < first + 20_000; nth++) {
          const key = `vk_of_customer_${nth}`
          const user = bff.as({
            user: `ada of ${nth}`,
            account: `customer-${nth}`,
            apiKey: key,
            meetings: { credential: key },
          })
          await user.sessionToken('stt')
          await user.tags()
        }
        return heapUsed()
      }
      const before = heapUsed()
      const of20k = await serve(0)
      // An account is not forgotten while the service still counts one of its requests.
      clock.jump(10_000)
      const of40k = await serve(20_000)
      expect((of20k - before) / 20_000).toBeLessThan(15_000)
      // The oldest are forgotten.
      expect((of40k - of20k) / 20_000).toBeLessThan(500)
      await bff.close()
    },
  )

  it('S27 a user may have the name of a property', async () => {
    for (const user of ['__proto__', 'constructor', 'hasOwnProperty', 'toString']) {
      await countToken(user)
      await limits.count('meetingsPerMinute', { user }, context)
      await expect(countToken(user)).rejects.toMatchObject({ code: 'RATE_LIMITED' })
    }
  })

  it('S27 nothing of a request is kept after its end', async () => {
    await using stack = await startStack({ bff: { limits: { tokensPerMinute: Infinity } } })
    for (let user = 0; user < 10; user++) {
      stack.grant = { user: `user-${user}`, meetings: { credential: `vm_${user}` } }
      await stack.fetch('/session-token', MINT)
      await stack.fetch('/meetings')
    }
    expect(stack.bff.gauge()).toMatchObject({ inFlight: 0, waiting: 0 })
  })
})

const parsers = [
  ['without a parser', () => undefined],
  ['behind express.json()', (app: express.Express) => app.use(express.json())],
] as const

describe.each(parsers)('S28 a client that goes away, %s', (_name, app) => {
  const leave = async (stack: Stack, path: string, init?: Parameters<Stack['fetch']>[1]) => {
    const leaving = new AbortController()
    const sent = stack.fetch(path, { ...init, signal: leaving.signal }).catch(() => 'left')
    await vi.waitFor(() => expect(stack.upstream.requests).toHaveLength(1))
    leaving.abort()
    expect(await sent).toBe('left')
    await vi.waitFor(() => expect(stack.upstream.requests[0]?.aborted).toBe(true))
    await vi.waitFor(() => expect(stack.bff.gauge().inFlight).toBe(0))
  }

  it.each([
    ['/session-token', MINT, 'session-token'],
    ['/meetings', undefined, 'meetings'],
    ['/meetings/1', undefined, 'meeting'],
    ['/tags', undefined, 'tags'],
  ] as const)('S28 aborts the upstream call of %s', async (path, init, route) => {
    await using stack = await startStack({ app })
    stack.upstream.use(hang())
    await leave(stack, path, init)
    expect(stack.events).toContainEqual(
      expect.objectContaining({
        type: 'request.abandoned',
        route,
        user: 'ada',
        durationMs: expect.any(Number),
      }),
    )
    expect(stack.events.map(({ type }) => type)).not.toContain('request.finished')
  })

  it('S28 does not abort for a client that is still there', async () => {
    await using stack = await startStack({ app })
    stack.upstream.use(delay(50))
    expect((await stack.fetch('/session-token', MINT)).status).toBe(200)
    expect(stack.upstream.requests[0]?.aborted).toBe(false)
    expect(stack.events.map(({ type }) => type)).not.toContain('request.abandoned')
  })
})

it('S28 ends a handshake check, its socket too', async () => {
  await using stack = await startStack()
  stack.upstream.use(hang({ on: 'handshake' }))
  const leaving = new AbortController()
  const check = { json: { usage_type: 'stt', session_key: 'st_1' }, signal: leaving.signal }
  const sent = stack.fetch('/handshake-check', check).catch(() => 'left')
  await vi.waitFor(() => expect(stack.upstream.requests).toHaveLength(1))
  leaving.abort()
  expect(await sent).toBe('left')
  await vi.waitFor(() => expect(stack.upstream.requests[0]?.aborted).toBe(true))
})

it('S28 after a client that breaks off in the middle of its body nothing is kept', async () => {
  await using stack = await startStack()
  const socket = connect(Number(new URL(stack.origin).port), '127.0.0.1')
  socket.write(
    'POST /api/voice/session-token HTTP/1.1\r\nhost: a\r\nx-stagepass: 1\r\ncontent-type: application/json\r\ncontent-length: 50\r\n\r\n{',
  )
  await vi.waitFor(() => expect(stack.bff.gauge().inFlight).toBe(1))
  socket.destroy()
  await vi.waitFor(() => expect(stack.bff.gauge().inFlight).toBe(0))
  expect(stack.events.at(-1)).toMatchObject({ type: 'request.abandoned', route: 'session-token' })
})

it('S28 a client that left before its request was handled causes no call', async () => {
  let arrived = (): void => undefined
  const there = new Promise<void>((resolve) => (arrived = resolve))
  let passedOn = (): void => undefined
  const done = new Promise<void>((resolve) => (passedOn = resolve))
  await using stack = await startStack({
    // The look-up of the session takes longer than the client waits.
    app: (app) =>
      app.use((_req, res, next) => {
        arrived()
        res.once('close', () => setImmediate(() => (next(), passedOn())))
      }),
  })
  const leaving = new AbortController()
  const sent = stack.fetch('/session-token', { ...MINT, signal: leaving.signal }).catch(() => 'left')
  await there
  leaving.abort()
  expect(await sent).toBe('left')
  await done
  await vi.waitFor(() => expect(stack.bff.gauge().inFlight).toBe(0))
  expect(stack.upstream.requests).toEqual([])
})

it('S28 many clients that leave cause no call and no unhandled rejection', async () => {
  const rejections: unknown[] = []
  const note = (reason: unknown) => rejections.push(reason)
  process.on('unhandledRejection', note)
  try {
    await using stack = await startStack({ bff: { deadlineMs: 200 } })
    stack.upstream.use(hang({ times: 10 }))
    const check = { json: { usage_type: 'vt', session_key: 'x' } }
    const asks = [MINT, {}, {}, {}, check].flatMap((init, index) => {
      const path = ['/session-token', '/meetings', '/tags', '/meetings/x', '/handshake-check'][index] ?? ''
      return Array.from({ length: 6 }, (_, nth) => {
        const leaving = new AbortController()
        const settled = stack.fetch(path, { ...init, signal: leaving.signal }).catch(() => 'left' as const)
        return { settled, leave: () => nth % 3 === 0 && leaving.abort() }
      })
    })
    await vi.waitFor(() => expect(stack.upstream.requests.length).toBeGreaterThan(2))
    for (const { leave } of asks) leave()
    const answers = await Promise.all(asks.map(({ settled }) => settled))
    expect(answers.filter((reply) => reply !== 'left' && reply.status === 500)).toEqual([])
    await vi.waitFor(() => expect(stack.bff.gauge().inFlight).toBe(0))
    await new Promise(setImmediate)
    expect(rejections).toEqual([])
  } finally {
    process.off('unhandledRejection', note)
  }
})

describe('S29 one deadline', () => {
  /** A BFF whose `authorize` and secret have used 390 of 400 ms by the time that the upstream is called. */
  const startLate = async () => {
    const clock = virtualClock()
    const stack = await startStack({
      bff: {
        deadlineMs: 400,
        platform: { clock, random: () => 0.5 },
        authorize: () => (clock.jump(200), { user: 'ada' }),
        apiKey: () => (clock.jump(190), stack.upstream.apiKey),
      },
    })
    return { stack, clock }
  }

  it('S29 covers authorize, secret and call together', async () => {
    const { stack, clock } = await startLate()
    await using _ = stack
    stack.upstream.use(hang())
    const sent = stack.fetch('/session-token', MINT)
    await vi.waitFor(() => expect(stack.upstream.requests).toHaveLength(1))
    clock.jump(9)
    expect(stack.bff.gauge().inFlight).toBe(1)
    clock.jump(1)
    expect(await (await sent).json()).toMatchObject({ error_code: 'UPSTREAM_TIMEOUT' })
  })

  it('S29 covers the retries: there is no pause that would be longer', async () => {
    const { stack } = await startLate()
    await using _ = stack
    stack.upstream.use(fail('CACHE_UNAVAILABLE'))
    const response = await stack.fetch('/session-token', MINT)
    expect(await response.json()).toMatchObject({ error_code: 'CACHE_UNAVAILABLE' })
    expect(stack.upstream.requests).toHaveLength(1)
  })

  it("S29 the service's last error has precedence over the deadline that ended the next try", async () => {
    const clock = virtualClock()
    await using stack = await startStack({ bff: { deadlineMs: 400, platform: { clock, random: () => 0 } } })
    stack.upstream.use(hang())
    stack.upstream.use(fail('CACHE_UNAVAILABLE', { times: 1 }))
    const sent = stack.fetch('/session-token', MINT)
    await vi.waitFor(() => expect(stack.upstream.requests).toHaveLength(2))
    clock.jump(400)
    expect(await (await sent).json()).toMatchObject({ error_code: 'CACHE_UNAVAILABLE', retryable: true })
  })

  it('S29 covers the queue: a request that would wait longer is refused at once', async () => {
    await using stack = await startStack({ bff: { deadlineMs: 3_000, meetings: { reserve: 24 } } })
    expect((await stack.fetch('/meetings')).status).toBe(200)
    const response = await stack.fetch('/meetings?limit=1')
    expect(await response.json()).toMatchObject({ error_code: 'BUDGET_EXHAUSTED', retryable: true })
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(3)
    expect(stack.upstream.requests).toHaveLength(1)
  })

  it('S29 leaves no timer behind', async () => {
    const timers: { cancelled: boolean }[] = []
    const clock = {
      now: () => performance.now(),
      after(delayMs: number, task: () => void) {
        const timer = { cancelled: false }
        const id = setTimeout(() => ((timer.cancelled = true), task()), delayMs)
        timers.push(timer)
        return () => (clearTimeout(id), void (timer.cancelled = true))
      },
    }
    await using stack = await startStack({ bff: { platform: { clock, random: () => 0 } } })
    stack.upstream.use(fail('CACHE_UNAVAILABLE', { times: 1 }))
    await stack.fetch('/session-token', MINT)
    await stack.fetch('/tags')
    await stack.bff.close()
    expect(timers.length).toBeGreaterThan(1)
    expect(timers.filter(({ cancelled }) => !cancelled)).toEqual([])
  })
})
