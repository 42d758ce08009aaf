import { AsyncLocalStorage } from 'node:async_hooks'
import { once } from 'node:events'
import { request } from 'node:http'
import { hang } from '@stagepass/emulator'
import { startStack } from '@stagepass/testing'
import type { NextFunction, Request, Response } from 'express'
import { describe, expect, it, vi } from 'vitest'
import { ask, handMade, json, stackOn } from './kit.js'

const token = { json: { usage_type: 'stt' } }

describe('answers', () => {
  it('guards the answer to a preflight of a listed origin too', async () => {
    await using stack = await startStack({ bff: { allowedOrigins: ['https://app.example'] } })
    const reply = await ask(`${stack.url}/tags`, {
      method: 'OPTIONS',
      headers: { 'x-stagepass': null, origin: 'https://app.example', 'access-control-request-method': 'GET' },
    })
    expect(reply.status).toBe(204)
    expect(reply.headers).toMatchObject({
      'cache-control': 'no-store, no-transform',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    })
  })

  it('leaves a request alone that the host has answered meanwhile, and ends its call', async () => {
    const errors: unknown[] = []
    await using stack = await startStack({
      app: (app) => {
        app.use((_req, res, next) => {
          setTimeout(() => res.status(503).end('too slow'), 100)
          next()
        })
      },
      bff: { deadlineMs: 700 },
    })
    stack.app.use((error: unknown, _req: Request, _res: Response, _next: NextFunction) => errors.push(error))
    stack.upstream.use(hang({ on: 'token' }))
    const reply = await ask(`${stack.url}/session-token`, token)
    expect(reply.status).toBe(503)
    await expect.poll(() => stack.bff.gauge().inFlight, { timeout: 2_000 }).toBe(0)
    await new Promise((resolve) => setImmediate(resolve))
    expect(errors).toEqual([])
  })
})

describe('a client that left before its request got here', () => {
  for (const path of ['/session-token', '/tags']) {
    it(`costs no call and holds nothing on ${path}`, async () => {
      let arrived = (): void => undefined
      const there = new Promise<void>((resolve) => {
        arrived = resolve
      })
      await using stack = await startStack({
        app: (app) =>
          app.use((_req, res, next) => {
            // A session look-up that takes longer than the client waits.
            arrived()
            res.once('close', () => setImmediate(next))
          }),
      })
      const calls = new Promise<void>((resolve) => {
        stack.intercept((_req, _res, next) => {
          next()
          resolve()
        })
      })
      const body = path === '/tags' ? '' : '{"usage_type":"stt"}'
      const outgoing = request(stack.url + path, {
        method: body ? 'POST' : 'GET',
        headers: {
          'x-stagepass': '1',
          ...(body && { 'content-type': 'application/json', 'content-length': String(body.length) }),
        },
      })
      outgoing.on('error', () => undefined)
      outgoing.end(body)
      await there
      outgoing.destroy()
      await calls
      await expect.poll(() => stack.bff.gauge().inFlight).toBe(0)
      expect(stack.upstream.counts).toMatchObject({ token: 0, tags: 0 })
    })
  }
})

it('survives a body in pieces where the host has set an encoding on the request', async () => {
  const crashed = vi.fn<(error: Error) => void>()
  const before = process.listeners('uncaughtException')
  process.removeAllListeners('uncaughtException')
  process.on('uncaughtException', crashed)
  try {
    await using stack = await startStack({
      app: (app) =>
        app.use((req, _res, next) => {
          req.setEncoding('utf8')
          next()
        }),
      bff: { deadlineMs: 500 },
    })
    const outgoing = request(`${stack.url}/session-token`, {
      method: 'POST',
      headers: { 'x-stagepass': '1', 'content-type': 'application/json', 'transfer-encoding': 'chunked' },
    })
    outgoing.write('{"usage_')
    await new Promise((resolve) => setTimeout(resolve, 50))
    outgoing.end('type":"stt"}')
    const [res] = (await once(outgoing, 'response')) as [{ statusCode: number }]
    expect(res.statusCode).toBe(200)
    expect(crashed).not.toHaveBeenCalled()
  } finally {
    process.off('uncaughtException', crashed)
    for (const listener of before) process.on('uncaughtException', listener)
  }
})

it('reads a body that a parser in front passed over, leaving {}', async () => {
  await using stack = await startStack({
    app: (app) =>
      app.use((req, _res, next) => {
        // What body-parser 1 does for a type that it does not parse.
        ;(req as { body?: unknown }).body ??= {}
        next()
      }),
  })
  expect((await ask(`${stack.url}/session-token`, token)).status).toBe(200)
})

describe('a forced ownership', () => {
  const rows = [
    { id: 'mine', title: 'Mine', ownership: 'owned' },
    { id: 'theirs', title: 'Of somebody else', ownership: 'shared' },
  ]
  for (const query of ['', '?fields=title', '?fields=title,ownership']) {
    it(`holds in the list${query} where the upstream does not know the parameter's name`, async () => {
      // An interface that knows the parameter by another name ignores ours. (Assumptions: "Meetings wire".)
      await using upstream = await handMade(({ res, query }) => {
        const fields = query.get('fields')?.split(',') ?? ['title', 'ownership']
        json(res, 200, {
          meetings: rows.map((row) =>
            Object.fromEntries(
              Object.entries(row).filter(([name]) => name === 'id' || fields.includes(name)),
            ),
          ),
          next_cursor: null,
        })
      })
      await using stack = await stackOn(upstream)
      stack.grant = {
        user: 'ada',
        meetings: { credential: 'c', ownership: 'mine', fields: ['title', 'started_at'] },
      }
      const reply = await ask(`${stack.url}/meetings${query}`)
      expect(reply.status).toBe(200)
      expect(reply.text).not.toContain('theirs')
    })
  }
})

it('a credential function that answers by context gives nobody the meetings of another', async () => {
  const context = new AsyncLocalStorage<string>()
  // One function for all users, as a request-scoped vault client would be.
  const credential = () => context.getStore() ?? 'nobody'
  await using upstream = await handMade(({ res, headers }) =>
    json(res, 200, { meetings: [{ id: String(headers.authorization) }], next_cursor: null }),
  )
  await using stack = await stackOn(upstream, {
    app: (app) => app.use((req, _res, next) => context.run(`key-of-${String(req.headers['x-user'])}`, next)),
    bff: {
      meetings: { cacheMs: 0 },
      authorize: (req) => ({ user: String(req.headers['x-user']), meetings: { credential } }),
    },
  })
  const ada = await ask(`${stack.url}/meetings`, { headers: { 'x-user': 'ada' } })
  const bob = await ask(`${stack.url}/meetings`, { headers: { 'x-user': 'bob' } })
  expect(ada.text).toContain('key-of-ada')
  expect(bob.text).toContain('key-of-bob')
})

describe('the worst upstream', () => {
  const deep = `${'['.repeat(60_000)}${']'.repeat(60_000)}`
  for (const [path, body] of [
    ['/tags', `{"tags":[${deep}]}`],
    ['/meetings', `{"meetings":[{"id":"m","title":${deep}}],"next_cursor":null}`],
    ['/meetings/m', `{"id":"m","title":${deep}}`],
  ] as const) {
    it(`deep JSON on ${path} is its fault, not ours`, async () => {
      await using upstream = await handMade(({ res }) =>
        res.writeHead(200, { 'content-type': 'application/json' }).end(body),
      )
      await using stack = await stackOn(upstream)
      const reply = await ask(stack.url + path)
      expect(reply).toBeProblem({ status: 502, code: 'UPSTREAM_MALFORMED', retryable: false })
    })
  }
})

it('a session token sent in the wrong place is not repeated in answers or events', async () => {
  await using stack = await startStack()
  const minted = await ask(`${stack.url}/session-token`, token)
  const key = String(minted.body.session_key)
  const replies = [
    await ask(`${stack.url}/tags?${encodeURIComponent(key)}=1`),
    await ask(`${stack.url}/session-token`, { json: { usage_type: 'stt', [key]: 1 } }),
    await ask(`${stack.url}/meetings/${encodeURIComponent(key)}`),
  ]
  for (const reply of replies) expect(reply.text).not.toContain(key)
  expect(JSON.stringify(stack.events)).not.toContain(key)
})
