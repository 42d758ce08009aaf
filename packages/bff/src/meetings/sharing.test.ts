import { answer, delay, drop, fail, hang } from '@stagepass/emulator'
import { type Stack, startStack } from '@stagepass/testing'
import { describe, expect, it, vi } from 'vitest'
import type { Grant } from '../index.js'
import { virtualClock } from '../budget/core/virtualClock.test.kit.js'

const settled = (count: number, stack: Stack) =>
  vi.waitFor(() => expect(stack.upstream.requests.length).toBe(count), { timeout: 5_000, interval: 5 })

/** Sends as a user of this grant; the grants of a test travel in a header. */
function startShared(): Promise<{
  stack: Stack
  as: (grant: Grant, path: string, headers?: Record<string, string>) => Promise<Response>
}> {
  const grants = new Map<string, Grant>()
  return startStack({ bff: { authorize: (req) => grants.get(String(req.headers['authorization'])) } }).then(
    (stack) => ({
      stack,
      as(grant, path, headers = {}) {
        const id = String(grants.size)
        grants.set(id, grant)
        return stack.fetch(path, { headers: { ...headers, authorization: id } })
      },
    }),
  )
}

describe('S21 what may share a call in flight', () => {
  type Ask = (stack: Stack) => [Partial<Grant['meetings']>, string]
  const main: Ask = () => [{}, '/meetings?q=plan&limit=5']
  const pairs: [string, Ask, number][] = [
    ['another user with the same grant and query shares', main, 1],
    ['the same query in another order shares', () => [{}, '/meetings?limit=5&q=plan'], 1],
    [
      'defaults written out share',
      () => [{}, '/meetings?q=plan&limit=5&ownership=all&sort_by=date&order=newest'],
      1,
    ],
    [
      'the default fields in another order share',
      () => [{}, '/meetings?q=plan&limit=5&fields=ownership,tags,source,status,duration,started_at,title'],
      1,
    ],
    [
      'a grant of exactly the default fields shares',
      () => [
        { fields: ['title', 'started_at', 'duration', 'status', 'source', 'tags', 'ownership'] },
        '/meetings?q=plan&limit=5',
      ],
      1,
    ],
    [
      'another credential does not',
      (stack) => [{ credential: stack.upstream.credentials.second }, '/meetings?q=plan&limit=5'],
      2,
    ],
    ['a forced ownership does not', () => [{ ownership: 'mine' }, '/meetings?q=plan&limit=5'], 2],
    ['another ownership does not', () => [{}, '/meetings?q=plan&limit=5&ownership=mine'], 2],
    ['fewer granted fields do not', () => [{ fields: ['title'] }, '/meetings?q=plan&limit=5'], 2],
    ['a search of spaces does not', () => [{}, '/meetings?q=%20plan&limit=5'], 2],
    ['another search does not', () => [{}, '/meetings?q=plan2&limit=5'], 2],
    ['a delimiter inside a value does not', () => [{}, '/meetings?q=plan%26limit%3D5'], 2],
    ['a JSON delimiter inside a value does not', () => [{}, '/meetings?q=plan%22%2C%225&limit=5'], 2],
    ['tags do not collide with a comma in another place', () => [{}, '/meetings?q=plan&limit=5&tags=a,b'], 2],
    ['a cursor does not', () => [{}, '/meetings?q=plan&limit=5&cursor=plan'], 2],
    ['another operation does not', () => [{}, '/tags'], 2],
  ]
  it.each(pairs)('S21 %s', async (_what, other, calls) => {
    const { stack, as } = await startShared()
    await using _ = stack
    stack.upstream.use(delay(60))
    const grantOf = (user: string, own: Partial<Grant['meetings']>): Grant => ({
      user,
      meetings: { credential: stack.upstream.meetingsCredential, ...own },
    })
    const [own, path] = main(stack)
    const [theirs, theirPath] = other(stack)
    const responses = await Promise.all([
      as(grantOf('ada', own), path),
      as(grantOf('bob', theirs), theirPath),
    ])
    expect(responses[0]?.status).toBe(200)
    expect(stack.upstream.requests).toHaveLength(calls)
  })

  it('S21 each sees what its own grant shows, also in the same moment', async () => {
    const { stack, as } = await startShared()
    await using _ = stack
    stack.upstream.use(delay(60))
    const { credentials } = stack.upstream
    const [wide, narrow, other] = await Promise.all(
      [
        as({ user: 'a', meetings: { credential: credentials.main } }, '/meetings'),
        as({ user: 'b', meetings: { credential: credentials.main, fields: ['title'] } }, '/meetings'),
        as({ user: 'c', meetings: { credential: credentials.other } }, '/meetings'),
      ].map(async (sent) => (await (await sent).json()) as { meetings: { id: string }[] }),
    )
    expect(Object.keys(wide?.meetings[0] ?? {})).toHaveLength(8)
    expect(Object.keys(narrow?.meetings[0] ?? {}).toSorted()).toEqual(['id', 'title'])
    const ids = new Set(wide?.meetings.map(({ id }) => id))
    expect(other?.meetings.filter(({ id }) => ids.has(id))).toEqual([])
  })

  it('S21 no-cache skips no call in flight', async () => {
    const { stack, as } = await startShared()
    await using _ = stack
    stack.upstream.use(delay(60))
    const grant = { user: 'ada', meetings: { credential: stack.upstream.meetingsCredential } }
    await Promise.all([as(grant, '/tags'), as(grant, '/tags', { 'cache-control': 'no-cache' })])
    expect(stack.upstream.requests).toHaveLength(1)
    expect(stack.bff.gauge().saved).toMatchObject({ shared: 1 })
  })
})

it('S22 every token request mints a token of its own, of the same user too', async () => {
  await using stack = await startStack()
  stack.upstream.use(delay(40))
  const mint = async () =>
    (
      (await (await stack.fetch('/session-token', { json: { usage_type: 'stt' } })).json()) as {
        session_key: string
      }
    ).session_key
  const keys = await Promise.all([mint(), mint(), mint()])
  expect(new Set([...keys, await mint()]).size).toBe(4)
})

describe('S23 a shared call', () => {
  it('S23 goes on for those who stay, and ends when the last has left', async () => {
    await using stack = await startStack()
    const undo = stack.upstream.use(hang())
    const first = new AbortController()
    const second = new AbortController()
    const leaving = stack.fetch('/meetings', { signal: first.signal }).catch(() => 'left')
    await settled(1, stack)
    const staying = stack.fetch('/meetings', { signal: second.signal }).catch(() => 'left')
    await vi.waitFor(() => expect(stack.bff.gauge().inFlight).toBe(2))
    first.abort()
    await leaving
    await vi.waitFor(() => expect(stack.bff.gauge().inFlight).toBe(1))
    expect(stack.upstream.requests[0]?.aborted).toBe(false)
    second.abort()
    await staying
    await vi.waitFor(() => expect(stack.upstream.requests[0]?.aborted).toBe(true))

    // Nobody boards a call that was given up.
    undo()
    expect((await stack.fetch('/meetings')).status).toBe(200)
  })

  it('S23 one who leaves rejects nobody else', async () => {
    await using stack = await startStack()
    stack.upstream.use(delay(80))
    const first = new AbortController()
    const leaving = stack.fetch('/meetings', { signal: first.signal }).catch(() => 'left')
    await settled(1, stack)
    const staying = stack.fetch('/meetings')
    await vi.waitFor(() => expect(stack.bff.gauge().inFlight).toBe(2))
    first.abort()
    expect(await leaving).toBe('left')
    expect((await staying).status).toBe(200)
    expect(stack.upstream.requests).toHaveLength(1)
  })

  it('S23 has the time of the one who has the most of it', async () => {
    const clock = virtualClock()
    await using stack = await startStack({ bff: { deadlineMs: 3_000, platform: { clock, random: () => 0 } } })
    stack.upstream.use(answer({ status: 429, headers: { 'retry-after': '2' } }, { times: 1 }))
    stack.upstream.use(delay(300, { times: 1 }))
    const first = stack.fetch('/meetings')
    await settled(1, stack)
    clock.jump(1_500)
    const second = stack.fetch('/meetings')
    await vi.waitFor(() => expect(stack.bff.gauge().inFlight).toBe(2))
    await vi.waitFor(() => expect(stack.bff.gauge().frozenMs).toBeGreaterThan(0))
    clock.jump(1_500)
    expect((await first).status).toBe(503)
    clock.jump(1_000)
    expect((await second).status).toBe(200)
  })

  it('S23 a failure goes to those who wait and is not kept', async () => {
    await using stack = await startStack()
    stack.upstream.use(answer({ status: 500 }, { times: 1 }))
    stack.upstream.use(delay(40, { times: 1 }))
    const [a, b] = await Promise.all([stack.fetch('/meetings'), stack.fetch('/meetings')])
    expect([a.status, b.status]).toEqual([502, 502])
    expect(stack.upstream.requests).toHaveLength(1)
    expect((await stack.fetch('/meetings')).status).toBe(200)
  })

  it('S23 a credential that was renewed is not lent to those who shared the old one', async () => {
    const { stack, as } = await startShared()
    await using _ = stack
    stack.upstream.use(delay(40))
    const old = 'vm_of_both'
    const values = [old, stack.upstream.meetingsCredential]
    const renewing = () => values.shift() ?? ''
    const [mine, theirs] = await Promise.all([
      as({ user: 'ada', meetings: { credential: renewing } }, '/meetings'),
      as({ user: 'bob', meetings: { credential: old } }, '/meetings'),
    ])
    expect([mine.status, theirs.status]).toEqual([200, 502])
    expect(stack.events).toContainEqual({
      type: 'secret.renewed',
      secret: 'meetings.credential',
      changed: true,
    })
  })
})

it('the budget of a 429 is one pause and one more try', async () => {
  await using stack = await startStack({ emulator: { retryAfter: true } })
  stack.upstream.use(answer({ status: 429, headers: { 'retry-after': '1' } }, { times: 1 }))
  expect((await stack.fetch('/meetings')).status).toBe(200)
  expect(stack.upstream.requests.map(({ status }) => status)).toEqual([429, 200])
  const [refused, served] = stack.upstream.requests.map(({ at }) => at)
  expect((served ?? 0) - (refused ?? 0)).toBeGreaterThanOrEqual(1_000)
  expect(stack.events).toContainEqual(
    expect.objectContaining({ type: 'upstream.rate-limited', retryAfterMs: 1_000 }),
  )
})

it('a pause longer than the deadline is told at once', async () => {
  await using stack = await startStack({ bff: { deadlineMs: 2_000 } })
  stack.upstream.use(answer({ status: 429, headers: { 'retry-after': '30' } }))
  const response = await stack.fetch('/meetings')
  expect(await response.json()).toMatchObject({ error_code: 'UPSTREAM_RATE_LIMITED', retryable: true })
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(30)
  expect(stack.upstream.requests).toHaveLength(1)
})

it('a 429 on the second try is the answer', async () => {
  await using stack = await startStack()
  stack.upstream.use(fail('RATE_LIMIT_EXCEEDED'))
  const response = await stack.fetch('/meetings')
  expect(await response.json()).toMatchObject({ status: 503, error_code: 'UPSTREAM_RATE_LIMITED' })
  expect(stack.upstream.requests).toHaveLength(2)
})

it('what was never written gives its slot of the budget back, and what was keeps it', async () => {
  await using stack = await startStack()
  stack.upstream.use(drop({ times: 1 }))
  expect((await stack.fetch('/meetings')).status).toBe(502)
  expect(stack.bff.gauge().used).toBe(1)
  await stack.upstream.close()
  expect((await stack.fetch('/meetings')).status).toBe(502)
  expect(stack.bff.gauge().used).toBe(1)
})
