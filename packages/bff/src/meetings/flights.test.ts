import { type Budget, BudgetRefusal, type Slot } from '@stagepass/budget'
import { virtualClock } from '@stagepass/testing/virtualClock'
import { expect, it } from 'vitest'
import { accountOf } from '../accounts/accountOf.test.kit.js'
import { BffError } from '../base/BffError.js'
import { Cancelled } from '../request/Cancelled.js'
import { RequestContext } from '../request/RequestContext.js'
import { readOptions } from '../settings/readOptions.js'
import type { Upstream } from '../upstream/createUpstream.js'
import { MAX_WAITERS } from './boundWaiters.js'
import { createPages } from './createPages.js'

/* Pages on an upstream and a budget that the test answers for: one request at a time, in each of its ends. */

const SLOT: Slot = { release: () => {}, [Symbol.asyncDispose]: async () => {} }
const PAGE = { body: { meetings: [{ id: 'm1' }], next_cursor: null } }
const DEADLINE_MS = 8_000

type MeetingsRequest = Parameters<Upstream['sendMeetings']>[1]
type MeetingsAnswer = Awaited<ReturnType<Upstream['sendMeetings']>>

/** A request to the upstream that the test ends. */
interface Sent extends MeetingsRequest {
  readonly end: (answer: MeetingsAnswer) => void
  readonly fail: (reason: unknown) => void
}

function setUp() {
  const clock = virtualClock()
  const settings = readOptions({
    apiKey: 'k',
    baseUrl: 'https://a.example',
    streamingUrl: 'wss://a.example',
    deadlineMs: DEADLINE_MS,
    authorize: () => null,
    platform: { clock, random: () => 0 },
  })
  const sent: Sent[] = []
  const spans: string[] = []
  const limited: (number | undefined)[] = []
  let renewals = 0
  let refusal: BudgetRefusal | undefined
  const budget = {
    acquire: async () => {
      if (refusal) throw refusal
      return SLOT
    },
    rateLimited: (retryAfterMs: number | undefined) => void limited.push(retryAfterMs),
    gauge: () => ({ frozenMs: 5_000 }),
  }
  const account = accountOf(undefined, {
    clock,
    createBudget: () => budget as unknown as Budget,
    createReader: (_name, secret) => ({
      secret,
      read: () => 'one',
      renew: async () => {
        renewals += 1
        return undefined
      },
    }),
  })
  const upstream = {
    sendMeetings: (_credential: string, request: MeetingsRequest) =>
      new Promise<MeetingsAnswer>((end, fail) => sent.push({ ...request, end, fail })),
  } as unknown as Upstream
  const pages = createPages(settings, upstream, (work) => work, undefined)
  const span = {
    begin: (part: string) => {
      spans.push(`begin ${part}`)
      return { end: () => void spans.push(`end ${part}`) }
    },
    end: () => {},
  }
  /** A request, with its context, as a route makes it. */
  const read = (q = '') => {
    const context = new RequestContext('r1', DEADLINE_MS, settings.platform, undefined, span)
    clock.after(DEADLINE_MS, () => context.cancel('deadline'))
    const page = pages.read({
      operation: 'meetings',
      path: '/meetings',
      canonical: [q],
      fields: ['title', 'participants'],
      words: undefined,
      account,
      grant: { account: undefined, credential: 'one', ownership: undefined, fields: undefined, weight: 1 },
      user: 'ada',
      context,
      noCache: false,
    })
    page.catch(() => {})
    return { context, page }
  }
  return {
    clock,
    pages,
    sent,
    spans,
    limited,
    read,
    renewals: () => renewals,
    refuse: (reason: BudgetRefusal['reason'], retryAfterMs: number) => {
      refusal = new BudgetRefusal(reason, retryAfterMs)
    },
  }
}

/** What the promise was rejected with. */
const thrownBy = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )

it('an upstream request is cancelled when it has had the time of a whole request', async () => {
  const { clock, read, sent } = setUp()
  const first = read()
  await clock.advance(4_000)
  // It comes later, so it may wait longer than the request that it joins.
  const second = read()
  await clock.advance(4_000)
  expect(await thrownBy(first.page)).toMatchObject({ reason: 'deadline' })
  expect(sent[0]?.context.cancelled?.reason).toBe('deadline')
  sent[0]?.fail(sent[0].context.cancelled)
  // It asks again, because it has time left.
  await clock.settle()
  expect(sent).toHaveLength(2)
  sent[1]?.end(PAGE)
  expect(await second.page).toEqual({
    json: '{"meetings":[{"id":"m1"}],"next_cursor":null}',
    shared: false,
  })
})

it('the last one who leaves cancels the upstream request, and what follows it is not forgotten with it', async () => {
  const { clock, read, sent } = setUp()
  const first = read()
  await clock.settle()
  first.context.cancel('client-closed')
  expect(await thrownBy(first.page)).toMatchObject({ reason: 'client-closed' })
  expect(sent[0]?.context.cancelled?.reason).toBe('no-waiters')

  const second = read()
  await clock.settle()
  sent[0]?.fail(sent[0].context.cancelled)
  await clock.settle()
  const third = read()
  await clock.settle()
  expect(sent).toHaveLength(2)
  sent[1]?.end(PAGE)
  expect(await Promise.all([second.page, third.page])).toMatchObject([{ shared: false }, { shared: true }])
})

it('says whether a page needed a request of its own', async () => {
  const { clock, pages, read, sent, spans } = setUp()
  const first = read()
  await clock.settle()
  sent[0]?.end(PAGE)
  expect(await first.page).toMatchObject({ shared: false })
  expect(await read().page).toMatchObject({ shared: true })
  expect(pages.saved).toEqual({ shared: 0, cached: 1 })
  expect(spans).toEqual(['begin budget', 'end budget'])
})

it('S23 refuses one more than may wait for a page', async () => {
  const { clock, read, sent } = setUp()
  const waiting = Array.from({ length: MAX_WAITERS.ofPage }, () => read().page)
  await clock.settle()
  expect(await thrownBy(read().page)).toMatchObject({ code: 'BUDGET_EXHAUSTED' })
  sent[0]?.end(PAGE)
  expect(await Promise.all(waiting)).toHaveLength(MAX_WAITERS.ofPage)
})

it('S23 a page that is nested too deeply is a malformed one', async () => {
  const { clock, read, sent } = setUp()
  const { page } = read()
  await clock.settle()
  let role: unknown = 'deep'
  for (let depth = 0; depth < 100_000; depth += 1) role = [role]
  const participants = [{ first_name: 'Ada', role }]
  sent[0]?.end({ body: { meetings: [{ id: 'm1', participants }], next_cursor: null } })
  const thrown = await thrownBy(page)
  expect(thrown).toMatchObject({
    code: 'UPSTREAM_MALFORMED',
    details: { seen: { cause: 'large', more: 'levels than can be written' } },
  })
  expect((thrown as BffError).cause).toBeInstanceOf(RangeError)
})

it.each([
  ['the pause of the service', 5_000, 1_000, 5_000],
  ['the queue', 5_000, 9_000, 9_000],
  ['the pause that the budget knows, if the service names none', undefined, 1_000, 5_000],
])(
  'after a 429, a slot that does not come is told with the time of %s',
  async (_what, pauseMs, queueMs, toldMs) => {
    const { clock, limited, read, refuse, sent } = setUp()
    const { page } = read()
    await clock.settle()
    refuse('too-late', queueMs)
    sent[0]?.end({ error: new BffError('UPSTREAM_RATE_LIMITED'), retryAfterMs: pauseMs })
    expect(await thrownBy(page)).toMatchObject({
      code: 'UPSTREAM_RATE_LIMITED',
      details: {
        retryAfterMs: toldMs,
        seen: { cause: 'meetings', wait: ` (Retry-After: ${toldMs / 1_000} s)` },
      },
    })
    expect(limited).toEqual([pauseMs])
  },
)

it('after a 429, a BFF that closes says that it closes', async () => {
  const { clock, read, refuse, sent } = setUp()
  const { page } = read()
  await clock.settle()
  refuse('closing', 1_000)
  sent[0]?.end({ error: new BffError('UPSTREAM_RATE_LIMITED'), retryAfterMs: 1_000 })
  expect(await thrownBy(page)).toMatchObject({ name: 'BudgetRefusal', reason: 'closing' })
})

it.each([
  ['another error of the service', new BffError('UPSTREAM_ERROR'), 0],
  ['an error of ours', Object.assign(new Error('a bug'), { code: 'MEETINGS_CREDENTIAL_REJECTED' }), 0],
  ['a rejected credential', new BffError('MEETINGS_CREDENTIAL_REJECTED'), 1],
])('asks for a credential again after %s, or not', async (_what, error, renewals) => {
  const test = setUp()
  const { page } = test.read()
  await test.clock.settle()
  test.sent[0]?.fail(error)
  expect(await thrownBy(page)).toMatchObject({ message: error.message })
  expect(test.renewals()).toBe(renewals)
})

it('ends what is under way when it closes, and keeps no page', async () => {
  const { clock, pages, read, sent } = setUp()
  const kept = read('kept')
  await clock.settle()
  sent[0]?.end(PAGE)
  await kept.page
  const running = read('running')
  await clock.settle()
  pages.close()
  expect(sent[1]?.context.cancelled?.reason).toBe('shutdown')
  running.context.cancel('shutdown')
  expect(await thrownBy(running.page)).toBeInstanceOf(Cancelled)
  void read('kept')
  await clock.settle()
  expect(sent).toHaveLength(3)
})
