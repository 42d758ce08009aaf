import { delay, fail, hang } from '@stagepass/emulator'
import { type Stack, startStack } from '@stagepass/testing'
import express from 'express'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { type Ask, ask, callsOf, envelope, handMade, json, type Reply, stackOn } from './kit.js'

const token = { json: { usage_type: 'stt' } }

/** A request that the test can leave. */
function leavable(url: string, init: Ask = {}): { leave: () => void; settled: Promise<Reply | 'left'> } {
  let leave = (): void => undefined
  const settled = ask(url, {
    ...init,
    onRequest: (request) => {
      leave = () => request.destroy()
    },
  }).catch(() => 'left' as const)
  return { leave: () => leave(), settled }
}

const aborted = (stack: Stack) => stack.upstream.requests.filter((request) => request.aborted).length

describe('session tokens', () => {
  it('are never kept: two requests one after another are two tokens', async () => {
    await using stack = await startStack()
    const first = await ask(`${stack.url}/session-token`, token)
    const second = await ask(`${stack.url}/session-token`, token)
    expect(first.body.session_key).not.toBe(second.body.session_key)
    expect(stack.upstream.counts.token).toBe(2)
  })
  it('are never shared between users in flight', async () => {
    await using stack = await startStack({
      bff: { authorize: (req) => ({ user: String(req.headers['x-user']) }) },
    })
    stack.upstream.use(delay(100, { on: 'token' }))
    const replies = await Promise.all(
      Array.from({ length: 6 }, (_, i) =>
        ask(`${stack.url}/session-token`, { ...token, headers: { 'x-user': `u${i}` } }),
      ),
    )
    expect(new Set(replies.map(({ body }) => body.session_key)).size).toBe(6)
    expect(stack.upstream.counts.token).toBe(6)
  })
  it('are not shared by users whose names collide with delimiters', async () => {
    await using stack = await startStack({
      bff: { authorize: (req) => ({ user: decodeURIComponent(String(req.headers['x-user'])) }) },
    })
    stack.upstream.use(delay(100, { on: 'token' }))
    const asks: [string, object][] = [
      ['ada', { usage_type: 'stt', session_id: 'x' }],
      ['ada|stt', { usage_type: 'stt', session_id: 'x' }],
      ['ada:stt', { usage_type: 'stt' }],
      ['ada:stt:', { usage_type: 'stt' }],
      ['ada', { usage_type: 'stt', session_id: '' }],
      ['ada', { usage_type: 'stt' }],
      ['ada","stt', { usage_type: 'stt' }],
      ['ada\u0000stt', { usage_type: 'stt' }],
      ['ada', { usage_type: 'stt', session_id: 'undefined' }],
      ['ada', { usage_type: 'stt', expiration_ttl: 60, session_id: 'x' }],
      ['ada', { usage_type: 'stt', session_id: '60x' }],
    ]
    const replies = await Promise.all(
      asks.map(([user, body]) =>
        ask(`${stack.url}/session-token`, { json: body, headers: { 'x-user': encodeURIComponent(user) } }),
      ),
    )
    const keys = replies.map(({ body }) => body.session_key)
    expect(replies.map(({ status }) => status)).toEqual(asks.map(() => 200))
    expect(new Set(keys).size).toBe(asks.length)
  })
  it('of one user, product, ttl and session id may share one call in flight', async () => {
    await using stack = await startStack()
    stack.upstream.use(delay(100, { on: 'token' }))
    const replies = await Promise.all(
      Array.from({ length: 5 }, () => ask(`${stack.url}/session-token`, token)),
    )
    expect(replies.every(({ status }) => status === 200)).toBe(true)
    expect(stack.upstream.counts.token).toBeLessThanOrEqual(5)
  })
  it('of different products, ttls or session ids are different calls', async () => {
    await using stack = await startStack()
    stack.upstream.use(delay(100, { on: 'token' }))
    const bodies = [
      { usage_type: 'stt' },
      { usage_type: 'tts' },
      { usage_type: 'stt', expiration_ttl: 10 },
      { usage_type: 'stt', session_id: 'a' },
      { usage_type: 'stt', session_id: 'b' },
    ]
    const replies = await Promise.all(bodies.map((body) => ask(`${stack.url}/session-token`, { json: body })))
    expect(new Set(replies.map(({ body }) => body.session_key)).size).toBe(bodies.length)
  })
})

describe('shared meetings reads', () => {
  const asUsers = (stack: Stack, grants: object[], path: string) => {
    return Promise.all(grants.map((_, i) => ask(stack.url + path, { headers: { 'x-user': String(i) } })))
  }
  const stackWith = async (grants: (stack: () => Stack) => object[]) => {
    const holder: { stack?: Stack } = {}
    const list = () => grants(() => holder.stack as Stack)
    const stack = await startStack({
      bff: {
        meetings: { cacheMs: 0 },
        authorize: (req) => ({
          user: `u${String(req.headers['x-user'])}`,
          ...list()[Number(req.headers['x-user'])],
        }),
      },
    })
    holder.stack = stack
    return stack
  }

  it('are one call for equal credential, ownership, fields and query', async () => {
    await using stack = await stackWith((s) =>
      Array.from({ length: 5 }, () => ({ meetings: { credential: s().upstream.meetingsCredential } })),
    )
    stack.upstream.use(delay(100))
    const replies = await asUsers(stack, Array.from({ length: 5 }), '/meetings?limit=3&fields=title')
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    expect(stack.upstream.counts.list).toBe(1)
  })

  it('are never one call where credential, ownership or fields differ', async () => {
    await using stack = await stackWith((s) => {
      const { main, second, other } = s().upstream.credentials
      return [
        { meetings: { credential: main } },
        { meetings: { credential: second } },
        { meetings: { credential: other } },
        { meetings: { credential: main, ownership: 'mine' } },
        { meetings: { credential: main, ownership: 'shared' } },
        { meetings: { credential: main, fields: ['title'] } },
        { meetings: { credential: main, fields: ['title', 'participants'] } },
      ]
    })
    stack.upstream.use(delay(150))
    const replies = await asUsers(stack, Array.from({ length: 7 }), '/meetings?limit=5')
    expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 7 }, () => 200))
    const [main, , other, mine, shared, title] = replies
    expect(other?.text).not.toBe(main?.text)
    const rows = (reply: Reply | undefined) => (reply?.body.meetings ?? []) as { ownership?: string }[]
    const words = (reply: Reply | undefined) => new Set(rows(reply).map(({ ownership }) => ownership))
    expect([...words(mine)]).toEqual(['owned'])
    expect([...words(shared)]).toEqual(['shared'])
    expect(Object.keys(rows(title)[0] ?? {}).toSorted()).toEqual(['id', 'title'])
    const authorizations = new Set(stack.upstream.requests.map(({ headers }) => headers.authorization))
    expect(authorizations.size).toBe(3)
  })

  it('do not confuse queries with delimiter tricks', async () => {
    await using upstream = await handMade(async ({ res, url }) => {
      await new Promise((resolve) => setTimeout(resolve, 100))
      json(res, 200, { meetings: [{ id: url }], next_cursor: null })
    })
    await using stack = await stackOn(upstream)
    const queries = [
      'q=a%26tags%3Db',
      'q=a&tags=b',
      'q=a',
      'q=a%2Cb',
      'tags=a,b',
      'tags=a%252Cb',
      'cursor=a',
      'q=A',
      'q=%20a',
    ]
    const replies = await Promise.all(queries.map((query) => ask(`${stack.url}/meetings?${query}`)))
    const ids = replies.map(({ body }) => (body.meetings as { id: string }[])[0]?.id)
    expect(new Set(ids).size).toBe(queries.length)
  })

  it('treat the same query in another order as equal', async () => {
    await using stack = await startStack({ bff: { meetings: { cacheMs: 0 } } })
    stack.upstream.use(delay(100))
    await Promise.all([
      ask(`${stack.url}/meetings?limit=3&q=a`),
      ask(`${stack.url}/meetings?q=a&limit=3`),
      ask(`${stack.url}/meetings?q=a&limit=3&fields=title,duration`),
      ask(`${stack.url}/meetings?q=a&limit=3&fields=duration,title`),
    ])
    expect(stack.upstream.counts.list).toBeLessThanOrEqual(2)
  })
})

describe('a client that goes away', () => {
  for (const parser of [false, true]) {
    it(`aborts its token call ${parser ? 'with' : 'without'} express.json() in front`, async () => {
      await using stack = await startStack(parser ? { app: (app) => app.use(express.json()) } : {})
      stack.upstream.use(hang({ on: 'token' }))
      const { leave, settled } = leavable(`${stack.url}/session-token`, token)
      await expect.poll(() => stack.upstream.counts.token).toBe(1)
      leave()
      await settled
      await expect.poll(() => aborted(stack)).toBe(1)
    })
    it(`aborts its meetings call ${parser ? 'with' : 'without'} express.json() in front`, async () => {
      await using stack = await startStack(parser ? { app: (app) => app.use(express.json()) } : {})
      stack.upstream.use(hang({ on: 'list' }))
      const { leave, settled } = leavable(`${stack.url}/meetings`)
      await expect.poll(() => stack.upstream.counts.list).toBe(1)
      leave()
      await settled
      await expect.poll(() => aborted(stack)).toBe(1)
    })
  }
  it('aborts its handshake check', async () => {
    let opened = 0
    let closed = 0
    const silent = createTcpServer((socket) => {
      opened++
      socket.on('error', () => undefined)
      socket.on('close', () => closed++)
      socket.resume()
    })
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    try {
      const { port } = silent.address() as AddressInfo
      await using stack = await startStack({ bff: { streamingUrl: `ws://127.0.0.1:${port}` } })
      const { leave, settled } = leavable(`${stack.url}/handshake-check`, {
        json: { usage_type: 'stt', session_key: 'x' },
      })
      await expect.poll(() => opened).toBe(1)
      leave()
      await settled
      await expect.poll(() => closed).toBe(1)
    } finally {
      silent.close()
    }
  })
  it('ends no shared call while another waits for it', async () => {
    await using stack = await startStack()
    let release = (): void => undefined
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    await using upstream = await handMade(async ({ res }) => {
      await gate
      json(res, 200, { tags: ['t'] })
    })
    await stack.remount({ meetings: { baseUrl: upstream.url } })
    let arrived = 0
    stack.intercept((_req, _res, next) => {
      next()
      arrived++
    })
    const first = leavable(`${stack.url}/tags`)
    await expect.poll(() => upstream.seen.length).toBe(1)
    const second = ask(`${stack.url}/tags`)
    await expect.poll(() => arrived).toBe(2)
    first.leave()
    await first.settled
    await expect.poll(() => stack.events.filter(({ type }) => type === 'request.abandoned').length).toBe(1)
    release()
    expect(await second).toMatchObject({ status: 200, body: { tags: ['t'] } })
    expect(upstream.seen).toHaveLength(1)
  })
  it('ends a shared call when it was the last', async () => {
    await using stack = await startStack()
    stack.upstream.use(hang({ on: 'tags' }))
    const waiters = Array.from({ length: 3 }, () => leavable(`${stack.url}/tags`))
    await expect.poll(() => stack.upstream.counts.tags).toBe(1)
    for (const waiter of waiters) waiter.leave()
    await Promise.all(waiters.map(({ settled }) => settled))
    await expect.poll(() => aborted(stack)).toBe(1)
    stack.upstream.reset()
    expect((await ask(`${stack.url}/tags`)).status).toBe(200)
  })
  it('leaves the queue of the budget', async () => {
    await using stack = await startStack({ bff: { meetings: { cacheMs: 0 }, deadlineMs: 30_000 } })
    const holder: Stack = stack
    const asks = Array.from({ length: 40 }, (_, i) => leavable(`${holder.url}/meetings?limit=${i + 1}`))
    await expect.poll(() => stack.upstream.counts.list).toBeGreaterThanOrEqual(10)
    for (const { leave } of asks) leave()
    await Promise.all(asks.map(({ settled }) => settled))
    const before = stack.upstream.counts.list
    await new Promise((resolve) => setTimeout(resolve, 600))
    expect(stack.upstream.counts.list).toBeLessThanOrEqual(before + 1)
  })
  it('one waiter after another: failures are shared but not kept', async () => {
    await using stack = await startStack()
    stack.upstream.use(fail('UNKNOWN_MEETING', { on: 'meeting', times: 1 }))
    const id = stack.upstream.meetings.all().find((row) => !row.processing && row.visibility === 'owned')?.id
    expect((await ask(`${stack.url}/meetings/${id}`)).status).toBe(404)
    expect((await ask(`${stack.url}/meetings/${id}`)).status).toBe(200)
  })
})

describe('draining', () => {
  it('finishes what is under way and refuses what is new', async () => {
    await using stack = await startStack()
    stack.upstream.use(delay(200, { on: 'token' }))
    const under = ask(`${stack.url}/session-token`, token)
    await expect.poll(() => stack.upstream.counts.token).toBe(1)
    const closing = stack.bff.close()
    expect((await ask(`${stack.url}/health`)).status).toBe(503)
    expect(await ask(`${stack.url}/tags`)).toBeProblem({
      status: 503,
      code: 'SHUTTING_DOWN',
      retryable: true,
      retryAfter: true,
    })
    expect((await under).status).toBe(200)
    await closing
  })
  it('refuses waiters of the budget at once', async () => {
    await using stack = await startStack({ bff: { meetings: { cacheMs: 0 }, deadlineMs: 20_000 } })
    const pending = Array.from({ length: 25 }, (_, i) => ask(`${stack.url}/meetings?limit=${i + 1}`))
    await expect.poll(() => stack.upstream.counts.list).toBeGreaterThanOrEqual(10)
    const served = stack.upstream.counts.list
    await stack.bff.close()
    const replies = await Promise.all(pending)
    const refused = replies.filter(({ status }) => status !== 200)
    expect(refused.length).toBeGreaterThanOrEqual(25 - served - 2)
    for (const reply of refused)
      expect(reply).toBeProblem({ status: 503, code: 'SHUTTING_DOWN', retryable: true, retryAfter: true })
  })
  it('ends within the deadline where the upstream hangs, and gives the same promise twice', async () => {
    await using stack = await startStack({ bff: { deadlineMs: 300 } })
    stack.upstream.use(hang({ on: 'token' }))
    const under = ask(`${stack.url}/session-token`, token)
    await expect.poll(() => stack.upstream.counts.token).toBe(1)
    await Promise.all([stack.bff.close(), stack.bff.close()])
    expect((await under).status).toBeGreaterThanOrEqual(500)
  })
  it('keeps the gate: a stranger learns nothing of it', async () => {
    await using stack = await startStack()
    await stack.bff.close()
    expect((await ask(`${stack.url}/tags`, { headers: { 'x-stagepass': null } })).status).toBe(403)
  })
  it('works with await using', async () => {
    await using upstream = await handMade(({ res }) => json(res, 200, envelope('stt')))
    const { createBff } = await import('@stagepass/bff')
    await using bff = createBff({
      apiKey: 'k',
      baseUrl: upstream.url,
      streamingUrl: 'ws://127.0.0.1:9',
      authorize: () => ({ user: 'ada' }),
    })
    expect(bff[Symbol.asyncDispose]).toBeTypeOf('function')
  })
})

it('survives what a page can throw at it at once, with no unhandled rejection', async () => {
  const rejections: unknown[] = []
  const note = (reason: unknown) => rejections.push(reason)
  process.on('unhandledRejection', note)
  try {
    await using stack = await startStack({ bff: { deadlineMs: 200 } })
    stack.upstream.use(hang({ times: 10 }))
    const asks = Array.from({ length: 30 }, (_, i) =>
      leavable(
        `${stack.url}${['/session-token', '/meetings', '/tags', '/meetings/x', '/handshake-check'][i % 5]}`,
        i % 5 === 0 ? token : i % 5 === 4 ? { json: { usage_type: 'vt', session_key: 'x' } } : {},
      ),
    )
    await expect.poll(() => callsOf(stack)).toBeGreaterThan(2)
    for (const [index, { leave }] of asks.entries()) if (index % 3 === 0) leave()
    const settled = await Promise.all(asks.map(({ settled }) => settled))
    expect(settled.filter((reply) => reply !== 'left' && reply.status === 500)).toEqual([])
    await new Promise((resolve) => setImmediate(resolve))
    expect(rejections).toEqual([])
  } finally {
    process.off('unhandledRejection', note)
  }
})
