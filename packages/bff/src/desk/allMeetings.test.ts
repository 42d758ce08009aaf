import { respond } from '@stagepass/emulator'
import { startStack } from '@stagepass/testing'
import { virtualClock } from '@stagepass/testing/virtualClock'
import { expect, it, vi } from 'vitest'
import { isBffError } from '../base/BffError.js'
import { createBff } from '../index.js'
import { allMeetings } from './allMeetings.js'

const rows = (count: number) => Array.from({ length: count }, (_, index) => ({ id: `m${index}` }))

async function setUp(count = 250, limits = {}) {
  const clock = virtualClock()
  const stack = await startStack({
    emulator: { meetings: rows(count) },
    bff: { limits, platform: { clock, random: () => 0.5 }, meetings: { cacheMs: 0 } },
  })
  const user = stack.bff.as({ user: 'ada', meetings: { credential: stack.upstream.meetingsCredential } })
  return { ...stack, clock, user, [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose]() }
}

/** Reads until the end, and lets time pass while the list waits. */
async function readAll(list: AsyncIterable<{ id: string }>, pass: () => void = () => {}): Promise<string[]> {
  const ids: string[] = []
  const done = (async () => {
    for await (const { id } of list) ids.push(id)
  })()
  let isDone = false
  void done.finally(() => (isDone = true)).catch(() => undefined)
  await vi.waitFor(() => {
    pass()
    expect(isDone).toBe(true)
  })
  await done
  return ids
}

it('gives all meetings, each once, by pages of 100 that are read as they are needed', async () => {
  await using stack = await setUp()
  const list = stack.user.allMeetings({ fields: ['title'] })
  const first = await list.next()
  expect(Object.keys(first.value ?? {})).toEqual(['id', 'title'])
  expect(stack.upstream.counts.list).toBe(1)
  const rest = await readAll(list)
  expect(new Set(rest).size).toBe(249)
  expect(stack.upstream.requests.map(({ query }) => query['limit'])).toEqual(['100', '100', '100'])
})

it('a meeting that moves to the next page while the list is read is given once', async () => {
  await using stack = await setUp(3)
  const list = stack.user.allMeetings({ pageSize: 2 })
  const first = await list.next()
  stack.upstream.meetings.add({ id: 'new', started_at: '2099-01-01T00:00:00.000Z' })
  const ids = [first.value?.id, ...(await readAll(list))]
  expect([ids.length, new Set(ids).size]).toEqual([3, 3])
})

it('waits as long as the user limit says, and while the service fails for a moment', async () => {
  await using stack = await setUp(500, { meetingsPerMinute: 2 })
  stack.upstream.use(respond({ status: 503 }, { on: 'list', times: 1 }))
  const startedAt = stack.clock.now()
  const ids = await readAll(stack.user.allMeetings(), () => stack.clock.jump(1_000))
  expect(new Set(ids).size).toBe(500)
  // One failure and five pages, two in a minute.
  expect(stack.clock.now() - startedAt).toBeGreaterThan(120_000)
})

it('ends with an error that cannot pass, and after ten failures in a row', async () => {
  await using stack = await setUp(1)
  await expect(stack.user.allMeetings({ pageSize: 0 }).next()).rejects.toMatchObject({ field: 'pageSize' })
  stack.upstream.use(respond({ status: 503 }, { on: 'list' }))
  const failing = readAll(stack.user.allMeetings(), () => stack.clock.jump(3_000))
  await expect(failing).rejects.toSatisfy((error) => isBffError(error, 'UPSTREAM_ERROR'))
})

it('ends with the signal while it waits, and leaves no timer', async () => {
  await using stack = await setUp(2, { meetingsPerMinute: 1 })
  const leaving = new AbortController()
  const list = stack.user.allMeetings({ pageSize: 1 }, { signal: leaving.signal })
  await list.next()
  const { timers } = stack.clock
  const next = list.next().catch((reason: unknown) => reason)
  await vi.waitFor(() => expect(stack.events).toContainEqual(expect.objectContaining({ status: 429 })))
  await vi.waitFor(() => expect(stack.clock.timers).toBe(timers + 1))
  leaving.abort('left')
  expect(await next).toBe('left')
  expect(stack.clock.timers).toBe(timers)
})

it('a service whose cursors lead in a circle ends the list', async () => {
  let requests = 0
  const page = (id: string, next_cursor: string) => ({ meetings: [{ id }], next_cursor })
  await using bff = createBff({
    apiKey: 'k',
    baseUrl: 'https://api.example.com',
    streamingUrl: 'wss://stream.example.com',
    authorize: () => null,
    meetings: { cacheMs: 0 },
    transport: {
      send: async () => ({
        status: 200,
        text: JSON.stringify([page('a', 'c1'), page('b', 'c2'), page('c', 'c1')][requests++ % 3]),
        contentType: 'application/json',
      }),
      handshake: () => Promise.reject(new Error('not used')),
      close: async () => undefined,
    } as never, // only what a list needs
  })
  const list = bff.as({ user: 'ada', meetings: { credential: 'c' } }).allMeetings()
  expect(await readAll(list)).toEqual(['a', 'b', 'c'])
  expect(requests).toBe(3)
})

it('a service that gives new cursors for ever, and no new meeting, is an error after 1,000 pages', async () => {
  let pages = 0
  const read = readAll(
    allMeetings(async () => {
      pages += 1
      return { meetings: [{ id: pages < 900 ? 'a' : 'b' }], next_cursor: `c${pages}` }
    }, virtualClock()),
  )
  await expect(read).rejects.toSatisfy((error) => isBffError(error, 'UPSTREAM_MALFORMED'))
  expect(pages).toBe(1_900)
})
