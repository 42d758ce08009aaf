import { fail, respond } from '@stagepass/emulator'
import { startStack, type Stack } from '@stagepass/testing'
import { expect, it } from 'vitest'
import { type VirtualClock, virtualClock } from '@stagepass/testing/virtualClock'

interface CacheTest extends AsyncDisposable {
  readonly stack: Stack
  readonly clock: VirtualClock
  /** Requests that reached the upstream. */
  calls(): number
  read(path?: string, init?: RequestInit): Promise<string>
}

async function setUp(cacheMs?: number): Promise<CacheTest> {
  const clock = virtualClock()
  const stack = await startStack({ bff: { meetings: { cacheMs }, platform: { clock, random: () => 0 } } })
  return {
    stack,
    clock,
    calls: () => stack.upstream.requests.filter(({ path }) => path.includes('meetings')).length,
    async read(path = '/meetings', init) {
      const answer = await stack.fetch(path, init)
      expect(answer.status).toBe(200)
      return answer.text()
    },
    [Symbol.asyncDispose]: () => stack.close(),
  }
}

it('serves a page again without a call while it is fresh, for every spelling of the query', async () => {
  await using test = await setUp()
  const first = await test.read('/meetings?limit=20&order=newest')
  await test.clock.advance(2_999)
  expect(await test.read()).toBe(first)
  expect(await test.read('/meetings?ownership=all')).toBe(first)
  expect(await test.read('/meetings?q=')).toBe(first)
  expect(test.calls()).toBe(1)
  expect(test.stack.bff.gauge().saved).toEqual({ shared: 0, cached: 3 })
})

it('serves a stale page at once and refreshes it with one call in the background', async () => {
  await using test = await setUp()
  await test.read()
  await test.clock.advance(3_500)
  await Promise.all([test.read(), test.read(), test.read()])
  await expect.poll(() => test.calls()).toBe(2)
  await test.read()
  expect(test.calls()).toBe(2)
})

it('reads a page again if it is too old to serve', async () => {
  await using test = await setUp()
  await test.read()
  await test.clock.advance(6_000)
  await test.read()
  expect(test.calls()).toBe(2)
  expect(test.stack.bff.gauge().saved.cached).toBe(0)
})

it('is bypassed by Cache-Control: no-cache, and stores the result', async () => {
  await using test = await setUp()
  await test.read()
  await test.read('/meetings', { headers: { 'cache-control': 'no-cache' } })
  expect(test.calls()).toBe(2)
  await test.read()
  expect(test.calls()).toBe(2)
})

it('S21 is shared only by users with equal grants', async () => {
  await using test = await setUp()
  const { stack } = test
  const { meetingsCredential: credential } = stack.upstream
  await test.read()
  stack.grant = { user: 'bob', meetings: { credential } }
  await test.read()
  expect(test.calls()).toBe(1)
  stack.grant = { user: 'cem', meetings: { credential, fields: ['title'] } }
  expect(await test.read()).not.toContain('duration')
  expect(test.calls()).toBe(2)
  stack.grant = { user: 'dora', meetings: { credential, ownership: 'mine' } }
  await test.read()
  expect(test.calls()).toBe(3)
  stack.grant = { user: 'ada', meetings: { credential: 'another' } }
  expect((await stack.fetch('/meetings')).status).toBe(502)
})

it('a refresh that fails removes nothing', async () => {
  await using test = await setUp()
  const first = await test.read()
  await test.clock.advance(3_500)
  test.stack.upstream.use(fail('INVALID_FIELDS', { times: 1 }))
  expect(await test.read()).toBe(first)
  await expect.poll(() => test.calls()).toBe(2)
  expect(await test.read()).toBe(first)
})

it('a refresh waits behind the requests of all users, even of the user whose request started it', async () => {
  await using test = await setUp()
  const { stack, clock } = test
  await test.read()
  await clock.advance(3_500)
  const busy = Array.from({ length: 12 }, (_, index) => test.read(`/meetings?q=${index}`))
  await expect.poll(() => stack.bff.gauge().waiting).toBe(3)
  // As a request of this user it would be served next, because the user has no other requests.
  stack.grant = { user: 'bob', meetings: { credential: stack.upstream.meetingsCredential } }
  await test.read()
  await expect.poll(() => clock.advance(100).then(() => test.calls()), { interval: 5 }).toBe(14)
  await Promise.all(busy)
  const searches = stack.upstream.requests.map(({ query }) => query['q'])
  expect(searches.at(-1)).toBeUndefined()
})

it('a waiting refresh does not delay a request for the same page', async () => {
  await using test = await setUp()
  const { stack, clock } = test
  await test.read()
  await clock.advance(3_500)
  // The account is busy: ada has got ten slots at once, and more of her requests wait.
  const busy = Array.from({ length: 11 }, (_, index) => test.read(`/meetings?q=${index}`))
  await expect.poll(() => stack.bff.gauge().waiting).toBeGreaterThan(0)
  await test.read()
  stack.grant = { user: 'bob', meetings: { credential: stack.upstream.meetingsCredential } }
  const own = test.read('/meetings?q=own')
  await expect.poll(() => stack.bff.gauge().waiting).toBeGreaterThan(2)
  const again = test.read('/meetings', { headers: { 'cache-control': 'no-cache' } })
  let done = false
  const all = Promise.all([...busy, own, again]).then(() => (done = true))
  await expect.poll(() => clock.advance(100).then(() => done), { interval: 5 }).toBe(true)
  await all
  const lists = stack.upstream.requests.filter(({ path }) => path.includes('meetings'))
  // The first read, ada's eleven, bob's own, and one for the page that was both stale and requested.
  expect(lists).toHaveLength(14)
})

it('cacheMs: 0 turns it off', async () => {
  await using test = await setUp(0)
  await test.read()
  await test.read()
  expect(test.calls()).toBe(2)
})

it('S65 the pages of one account leave room for those of the others, and come back when old ones expire', async () => {
  await using test = await setUp(60_000)
  const { stack, clock } = test
  const { meetingsCredential: credential } = stack.upstream
  /** Reads these pages, and returns how many calls that cost. */
  const cost = async (account: string, pages: readonly number[]): Promise<number> => {
    const before = test.calls()
    stack.grant = { user: 'ada', meetings: { credential, account } }
    // The budget has slots again.
    await clock.advance(6_000)
    for (const page of pages) await test.read(`/meetings?q=${page}`)
    return test.calls() - before
  }
  const upTo = (end: number) => Array.from({ length: end }, (_, page) => page)
  const row = { id: 'm', title: 'x'.repeat(1_000_000) }
  const body = JSON.stringify({ meetings: [row], next_cursor: null })
  const stop = stack.upstream.use(respond({ status: 200, body }))
  // Eight of them fit into the share.
  expect(await cost('large', upTo(10))).toBe(10)
  expect(await cost('large', upTo(8))).toBe(0)
  expect(await cost('large', [8])).toBe(1)
  stop()
  expect(await cost('small', upTo(10))).toBe(10)
  expect(await cost('small', upTo(10))).toBe(0)
  expect(await cost('large', upTo(8))).toBe(0)
  await clock.advance(120_000)
  expect(await cost('large', [8])).toBe(1)
  expect(await cost('large', [8])).toBe(0)
})

it('reports a page without a call as shared', async () => {
  await using test = await setUp()
  await test.read()
  await test.read()
  await expect
    .poll(() =>
      test.stack.events.flatMap((event) => (event.type === 'request.finished' ? [event.shared] : [])),
    )
    .toEqual([false, true])
})

it("calls the credential's function again only after a rejection, and then once", async () => {
  await using test = await setUp()
  const { stack } = test
  const { meetingsCredential } = stack.upstream
  let asked = 0
  const credential = async (): Promise<string> => {
    asked += 1
    return asked === 1 ? meetingsCredential : 'an unknown credential'
  }
  stack.grant = { user: 'ada', meetings: { credential } }
  stack.upstream.use(fail('INVALID_FIELDS', { times: 1 }))
  expect((await stack.fetch('/meetings?q=1')).ok).toBe(false)
  expect([asked, test.calls()]).toEqual([1, 1])
  stack.upstream.use(fail('CREDENTIAL_INVALID', { times: 1 }))
  expect((await stack.fetch('/meetings?q=2')).status).toBe(502)
  expect([asked, test.calls()]).toEqual([2, 3])
})

it('continues with the credential that replaced the rejected one', async () => {
  await using test = await setUp()
  const { stack } = test
  let asked = 0
  const credential = async (): Promise<string> => {
    asked += 1
    return asked === 1 ? 'an unknown credential' : stack.upstream.meetingsCredential
  }
  stack.grant = { user: 'ada', meetings: { credential } }
  await test.read()
  expect([asked, test.calls()]).toEqual([2, 2])
})
