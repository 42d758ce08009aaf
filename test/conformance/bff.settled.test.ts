import { answer, delay } from '@stagepass/emulator'
import { startStack } from '@stagepass/testing'
import { describe, expect, it } from 'vitest'
import { ask, callsOf, envelope, handMade, json, stackOn } from './kit.js'

const token = { json: { usage_type: 'stt' } }
const BLOCKED = { status: 403, code: 'CROSS_SITE_BLOCKED', retryable: false }

describe('the gate comes before 404 and 405', () => {
  for (const [method, path] of [
    ['GET', '/nothing'],
    ['DELETE', '/meetings'],
    ['GET', '/session-token'],
    ['PUT', '/tags'],
    ['POST', '/'],
  ] as const) {
    it(`blocks ${method} ${path} without the header`, async () => {
      await using stack = await startStack()
      expect(await ask(stack.url + path, { method, headers: { 'x-stagepass': null } })).toBeProblem(BLOCKED)
    })
    it(`answers ${method} ${path} without a grant with 401`, async () => {
      await using stack = await startStack()
      stack.grant = null
      expect(await ask(stack.url + path, { method })).toBeProblem({
        status: 401,
        code: 'UNAUTHENTICATED',
        retryable: false,
      })
    })
  }
})

describe('x-stagepass must be 1', () => {
  for (const value of ['', '0', '2', 'true', '01', '1.0', '1, 1', '11', ['1', '1']]) {
    it(`blocks ${JSON.stringify(value)}`, async () => {
      await using stack = await startStack()
      expect(await ask(`${stack.url}/tags`, { headers: { 'x-stagepass': value } })).toBeProblem(BLOCKED)
      expect(callsOf(stack)).toBe(0)
    })
  }
})

it('answers HEAD with 405 on every route and mints nothing', async () => {
  await using stack = await startStack()
  for (const path of ['/session-token', '/meetings', '/meetings/x', '/tags', '/handshake-check'])
    expect((await ask(stack.url + path, { method: 'HEAD' })).status).toBe(405)
  expect(callsOf(stack)).toBe(0)
})

describe('req_id', () => {
  const withReqId = async (reqId: unknown) => {
    await using stack = await startStack()
    stack.upstream.use(
      answer(
        {
          status: 403,
          body: { code: 1, error_code: 'PAYMENT_PAST_DUE', message: 'm', req_id: reqId },
        },
        { on: 'token' },
      ),
    )
    return await ask(`${stack.url}/session-token`, token)
  }
  for (const reqId of ['req-1', 'A.b:c_d-9', 'x'.repeat(128)]) {
    it(`passes ${reqId.slice(0, 20)} of ${reqId.length}`, async () => {
      const reply = await withReqId(reqId)
      expect(reply.body).toMatchObject({ error_code: 'PAYMENT_PAST_DUE', req_id: reqId })
    })
  }
  for (const reqId of ['x'.repeat(129), 'a b', '<script>', 'a\nb', 'ü', '', 'a/b', 'Bearer abc==']) {
    it(`drops ${JSON.stringify(reqId).slice(0, 20)} of ${reqId.length}`, async () => {
      const reply = await withReqId(reqId)
      expect(reply.body).not.toHaveProperty('req_id')
      expect(reply.body.error_code).toBe('PAYMENT_PAST_DUE')
    })
  }
})

describe('expires_in_ms', () => {
  const mint = async (expiresAt: string, date: string | undefined, body: object = { usage_type: 'stt' }) => {
    await using upstream = await handMade(({ res }) => {
      res.sendDate = false
      json(res, 200, envelope('stt', { expires_at: expiresAt }), date === undefined ? {} : { date })
    })
    await using stack = await stackOn(upstream)
    return await ask(`${stack.url}/session-token`, { json: body })
  }
  const at = (ms: number) => new Date(ms).toISOString()
  const BASE = Date.parse('2026-11-20T12:00:00Z')

  it("is expires_at less the upstream's Date, whatever the server's own clock says", async () => {
    const reply = await mint(at(BASE + 30 * 60_000), new Date(BASE).toUTCString())
    expect(reply.status).toBe(200)
    expect(reply.body.expires_in_ms).toBe(30 * 60_000)
    expect(reply.body.expires_at).toBe(at(BASE + 30 * 60_000))
  })

  it('is counted by the clock of the server where the upstream has no Date', async () => {
    const expires = Date.now() + 30 * 60_000
    const reply = await mint(at(expires), undefined)
    expect(reply.body.expires_in_ms).toBeGreaterThan(29 * 60_000)
    expect(reply.body.expires_in_ms).toBeLessThanOrEqual(30 * 60_000)
  })

  it('is counted by the clock of the server where Date is unreadable', async () => {
    const reply = await mint(at(Date.now() + 30 * 60_000), 'soon')
    expect(reply.body.expires_in_ms).toBeGreaterThan(29 * 60_000)
    expect(reply.body.expires_in_ms).toBeLessThanOrEqual(30 * 60_000)
  })

  it('is never more than the TTL asked for', async () => {
    const reply = await mint(at(BASE + 50 * 60_000), new Date(BASE).toUTCString(), {
      usage_type: 'stt',
      expiration_ttl: 30,
    })
    expect(reply.body.expires_in_ms).toBe(30 * 60_000)
  })

  it('reads an expires_at with an offset', async () => {
    const reply = await mint('2026-11-20T14:30:00+02:00', new Date(BASE).toUTCString())
    expect(reply.body.expires_in_ms).toBe(30 * 60_000)
  })

  it('takes an expires_at that is no time as malformed', async () => {
    const reply = await mint('tomorrow', new Date(BASE).toUTCString())
    expect(reply).toBeProblem({ status: 502, code: 'UPSTREAM_MALFORMED', retryable: false })
  })

  it('is never negative', async () => {
    const reply = await mint(at(BASE - 60_000), new Date(BASE).toUTCString())
    expect(reply.status === 502 || reply.body.expires_in_ms === 0).toBe(true)
  })
})

describe('fields of the grant', () => {
  const list = (fields: string[] | undefined, path: string) =>
    (async () => {
      await using stack = await startStack()
      stack.grant = {
        user: 'ada',
        meetings: { credential: stack.upstream.meetingsCredential, fields },
      }
      const reply = await ask(stack.url + path)
      const rows = (reply.body.meetings ?? [reply.body]) as Record<string, unknown>[]
      const upstreamQuery = stack.upstream.requests.at(-1)?.query
      return { reply, rows, upstreamQuery }
    })()

  it('cuts what is asked for outside the grant', async () => {
    const { reply, rows, upstreamQuery } = await list(
      ['title', 'started_at'],
      '/meetings?limit=3&fields=title,participants',
    )
    expect(reply.status).toBe(200)
    for (const row of rows) expect(Object.keys(row).toSorted()).toEqual(['id', 'title'])
    expect(upstreamQuery?.fields).not.toMatch(/participants/)
  })

  it('leaves id alone where nothing else is granted', async () => {
    const { reply, rows } = await list(['title'], '/meetings?limit=3&fields=participants')
    expect(reply.status).toBe(200)
    for (const row of rows) expect(Object.keys(row)).toEqual(['id'])
  })

  it('cuts the default set too', async () => {
    const { rows } = await list(['title', 'started_at'], '/meetings?limit=3')
    for (const row of rows) expect(Object.keys(row).toSorted()).toEqual(['id', 'started_at', 'title'])
  })

  it('does not add what is outside the default set', async () => {
    const { rows } = await list(['title', 'participants'], '/meetings?limit=3')
    for (const row of rows) expect(Object.keys(row).toSorted()).toEqual(['id', 'title'])
  })

  it('answers id alone for a grant of no fields', async () => {
    const { reply, rows } = await list([], '/meetings?limit=3')
    expect(reply.status).toBe(200)
    for (const row of rows) expect(Object.keys(row)).toEqual(['id'])
  })

  it('cuts a single meeting', async () => {
    await using stack = await startStack()
    const id = stack.upstream.meetings.all().find((row) => !row.processing && row.visibility === 'owned')?.id
    stack.grant = {
      user: 'ada',
      meetings: { credential: stack.upstream.meetingsCredential, fields: ['title'] },
    }
    const reply = await ask(`${stack.url}/meetings/${id}?fields=title,participants`)
    expect(Object.keys(reply.body).toSorted()).toEqual(['id', 'title'])
  })
})

describe('a forced ownership', () => {
  for (const forced of ['mine', 'shared'] as const) {
    const other = forced === 'mine' ? 'shared' : 'mine'
    it(`${forced} narrows all, and is what goes upstream`, async () => {
      await using stack = await startStack()
      stack.grant = {
        user: 'ada',
        meetings: { credential: stack.upstream.meetingsCredential, ownership: forced },
      }
      for (const query of ['', '?ownership=all', `?ownership=${forced}`]) {
        const reply = await ask(`${stack.url}/meetings${query}`)
        expect(reply.status).toBe(200)
        const words = new Set((reply.body.meetings as { ownership: string }[]).map((row) => row.ownership))
        expect([...words]).toEqual([forced === 'mine' ? 'owned' : 'shared'])
        expect(stack.upstream.requests.at(-1)?.query.ownership).toBe(forced)
      }
    })
    it(`${forced} answers 403 with the field to ${other}`, async () => {
      await using stack = await startStack()
      stack.grant = {
        user: 'ada',
        meetings: { credential: stack.upstream.meetingsCredential, ownership: forced },
      }
      const reply = await ask(`${stack.url}/meetings?ownership=${other}`)
      expect(reply).toBeProblem({ status: 403, code: 'FORBIDDEN', retryable: false, field: 'ownership' })
      expect(callsOf(stack)).toBe(0)
    })
  }
})

it('a meeting by id stays within a forced ownership', async () => {
  await using stack = await startStack()
  const shared = stack.upstream.meetings
    .all()
    .find((row) => !row.processing && row.visibility === 'shared')?.id
  stack.grant = {
    user: 'ada',
    meetings: { credential: stack.upstream.meetingsCredential, ownership: 'mine' },
  }
  const reply = await ask(`${stack.url}/meetings/${shared}?fields=title`)
  expect(reply.status).not.toBe(200)
})

it('serves meetings from baseUrl where meetings.baseUrl is not given', async () => {
  await using upstream = await handMade(({ res }) => json(res, 200, { tags: [] }))
  await using stack = await startStack({
    bff: { baseUrl: `${upstream.url}/all`, meetings: { baseUrl: undefined } },
  })
  const reply = await ask(`${stack.url}/tags`)
  expect(reply.status).toBe(200)
  expect(upstream.seen[0]?.url).toBe('/all/tags')
})

describe('transcripts and notes', () => {
  it('come only through extraFields', async () => {
    await using stack = await startStack({
      bff: { meetings: { wire: { extraFields: ['transcript', 'notes'] } } },
    })
    const id = stack.upstream.meetings.all().find((row) => !row.processing && row.visibility === 'owned')?.id
    const full = await ask(`${stack.url}/meetings/${id}?fields=transcript,notes`)
    expect(Object.keys(full.body).toSorted()).toEqual(['id', 'notes', 'transcript'])
    const plain = await ask(`${stack.url}/meetings/${id}`)
    expect(plain.body).not.toHaveProperty('transcript')
  })
  it('are limited by the fields of the grant', async () => {
    await using stack = await startStack({ bff: { meetings: { wire: { extraFields: ['transcript'] } } } })
    const id = stack.upstream.meetings.all().find((row) => !row.processing && row.visibility === 'owned')?.id
    stack.grant = {
      user: 'ada',
      meetings: { credential: stack.upstream.meetingsCredential, fields: ['title'] },
    }
    const reply = await ask(`${stack.url}/meetings/${id}?fields=transcript,title`)
    expect(Object.keys(reply.body).toSorted()).toEqual(['id', 'title'])
  })
})

describe('cache', () => {
  it('answers a page again within cacheMs without a call', async () => {
    await using stack = await startStack()
    const first = await ask(`${stack.url}/meetings?limit=3`)
    const second = await ask(`${stack.url}/meetings?limit=3`)
    expect(second.body).toEqual(first.body)
    expect(stack.upstream.counts.list).toBe(1)
  })

  it('shares a page between users of equal credential, ownership and fields', async () => {
    await using stack = await startStack()
    await ask(`${stack.url}/meetings?limit=3`)
    stack.grant = { user: 'bob', meetings: { credential: stack.upstream.meetingsCredential } }
    expect((await ask(`${stack.url}/meetings?limit=3`)).status).toBe(200)
    expect(stack.upstream.counts.list).toBe(1)
  })

  it('is skipped by Cache-Control: no-cache', async () => {
    await using stack = await startStack()
    await ask(`${stack.url}/meetings?limit=3`)
    const reply = await ask(`${stack.url}/meetings?limit=3`, { headers: { 'cache-control': 'no-cache' } })
    expect(reply.status).toBe(200)
    expect(stack.upstream.counts.list).toBe(2)
  })

  it('is off with cacheMs 0', async () => {
    await using stack = await startStack({ bff: { meetings: { cacheMs: 0 } } })
    await ask(`${stack.url}/meetings?limit=3`)
    await ask(`${stack.url}/meetings?limit=3`)
    expect(stack.upstream.counts.list).toBe(2)
  })

  it('shares calls in flight, under no-cache too', async () => {
    await using stack = await startStack({ bff: { meetings: { cacheMs: 0 } } })
    stack.upstream.use(delay(150, { on: 'list' }))
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        ask(`${stack.url}/meetings?limit=3`, { headers: i % 2 ? { 'cache-control': 'no-cache' } : {} }),
      ),
    )
    expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200))
    expect(stack.upstream.counts.list).toBe(1)
  })

  it('does not keep failures', async () => {
    await using stack = await startStack()
    const undo = stack.upstream.use(answer({ status: 404 }, { on: 'meeting' }))
    const id = stack.upstream.meetings.all().find((row) => !row.processing && row.visibility === 'owned')?.id
    expect((await ask(`${stack.url}/meetings/${id}`)).status).toBe(404)
    undo()
    expect((await ask(`${stack.url}/meetings/${id}`)).status).toBe(200)
  })
})

it('a throwing onEvent harms no request', async () => {
  for (const onEvent of [
    () => {
      throw new Error('logger broke')
    },
    () => Promise.reject(new Error('logger broke')),
  ]) {
    await using stack = await startStack({ bff: { onEvent } })
    expect((await ask(`${stack.url}/session-token`, token)).status).toBe(200)
    expect((await ask(`${stack.url}/meetings?limit=0`)).status).toBe(400)
    expect((await ask(`${stack.url}/tags`, { headers: { 'x-stagepass': null } })).status).toBe(403)
  }
})

describe('meeting ids that must not reach a URL parser', () => {
  for (const id of [
    '%2e',
    '%2E',
    '%2e%2e',
    '%2E%2e',
    '.%2e',
    '%2e.',
    '%',
    '%zz',
    '%E0%A4%A',
    'abc%',
    '%ff',
  ]) {
    it(`answers 400 to ${id}`, async () => {
      await using stack = await startStack()
      const reply = await ask(`${stack.url}/meetings/${id}`)
      expect(reply).toBeProblem({ status: 400, code: 'VALIDATION_ERROR', retryable: false })
      expect(callsOf(stack)).toBe(0)
    })
  }
  for (const id of ['.', '..']) {
    it(`calls nothing for the bare segment ${id}`, async () => {
      await using stack = await startStack()
      const reply = await ask(`${stack.url}/meetings/${id}`)
      expect([400, 404]).toContain(reply.status)
      expect(callsOf(stack)).toBe(0)
    })
  }
})

describe('authorize and secret providers live within deadlineMs', () => {
  it('an authorize that answers in time is waited for', async () => {
    await using stack = await startStack({
      bff: {
        authorize: async () => {
          await new Promise((resolve) => setTimeout(resolve, 50))
          return { user: 'ada' }
        },
      },
    })
    expect((await ask(`${stack.url}/session-token`, token)).status).toBe(200)
  })
})
