import { type Product, PRODUCTS } from '@stagepass/contract'
import { startStack } from '@stagepass/testing'
import { answer, fail, hang } from '@stagepass/emulator'
import { describe, expect, it } from 'vitest'
import { ask, callsOf, envelope, handMade, json, stackOn } from './kit.js'

const PATHS: Record<Product, string> = { stt: '/stt', tts: '/tts', viva: '/voice-isolation', vt: '/vt' }

describe('POST /session-token', () => {
  for (const product of ['stt', 'tts', 'viva', 'vt'] as const) {
    it(`answers a session token of ${product} with exactly the seven members`, async () => {
      await using stack = await startStack()
      const reply = await ask(`${stack.url}/session-token`, { json: { usage_type: product } })
      expect(reply.status).toBe(200)
      expect(Object.keys(reply.body).toSorted()).toEqual([
        'expires_at',
        'expires_in_ms',
        'session_key',
        'status',
        'stream_url',
        'type',
        'usage_type',
      ])
      expect(reply.body).toMatchObject({ usage_type: product, type: 'session', status: 'LICENSE_VALID' })
      expect(reply.body.stream_url).toBe(stack.upstream.streamingUrl + PATHS[product])
      expect(reply.headers['content-type']).toMatch(/^application\/json/)
    })

    it(`gives a token that opens the socket of ${product} upstream`, async () => {
      await using stack = await startStack()
      const reply = await ask(`${stack.url}/session-token`, { json: { usage_type: product } })
      const check = await ask(`${stack.url}/handshake-check`, {
        json: { usage_type: product, session_key: reply.body.session_key },
      })
      expect(check.status).toBe(200)
      expect(check.body).toEqual({ ok: true })
    })
  }

  it('passes an open set of token status words', async () => {
    await using stack = await startStack({ emulator: { tokenStatus: 'active' } })
    const reply = await ask(`${stack.url}/session-token`, { json: { usage_type: 'stt' } })
    expect(reply.body.status).toBe('active')
  })

  it('sends expiration_ttl and metadata.session_id upstream in the contract shape', async () => {
    await using upstream = await handMade(({ res }) => json(res, 200, envelope('stt')))
    await using stack = await stackOn(upstream)
    await ask(`${stack.url}/session-token`, {
      json: { usage_type: 'stt', expiration_ttl: 30, session_id: 'support-7' },
    })
    const [call] = upstream.seen
    expect(call).toMatchObject({ method: 'POST', url: '/v2/sdk/tokens/session' })
    expect(call?.headers.authorization).toBe(`api-key ${stack.upstream.apiKey}`)
    expect(call?.headers['content-type']).toMatch(/^application\/json/)
    expect(JSON.parse(call?.text ?? '')).toEqual({
      usage_type: 'stt',
      expiration_ttl: 30,
      metadata: { session_id: 'support-7' },
    })
  })

  it('appends the token path to a base address that has a path', async () => {
    await using upstream = await handMade(({ res }) => json(res, 200, envelope('stt')))
    await using stack = await stackOn(upstream, { bff: { baseUrl: `${upstream.url}/eu/voice` } })
    await ask(`${stack.url}/session-token`, { json: { usage_type: 'stt' } })
    expect(upstream.seen[0]?.url).toBe('/eu/voice/v2/sdk/tokens/session')
  })

  it('bears a base address that ends in a slash', async () => {
    await using upstream = await handMade(({ res }) => json(res, 200, envelope('stt')))
    await using stack = await stackOn(upstream, {
      bff: { baseUrl: `${upstream.url}/`, streamingUrl: 'ws://127.0.0.1:9/live/' },
    })
    const reply = await ask(`${stack.url}/session-token`, { json: { usage_type: 'stt' } })
    expect(upstream.seen[0]?.url).toBe('/v2/sdk/tokens/session')
    expect(reply.body.stream_url).toBe('ws://127.0.0.1:9/live/stt')
  })

  it('accepts a content type with a charset', async () => {
    await using stack = await startStack()
    const reply = await ask(`${stack.url}/session-token`, {
      raw: '{"usage_type":"stt"}',
      headers: { 'content-type': 'application/json; charset=utf-8' },
    })
    expect(reply.status).toBe(200)
  })
})

describe('GET /meetings', () => {
  it('answers meetings, next_cursor and total, and nothing else', async () => {
    await using stack = await startStack()
    const reply = await ask(`${stack.url}/meetings?limit=2`)
    expect(reply.status).toBe(200)
    expect(Object.keys(reply.body).toSorted()).toEqual(['meetings', 'next_cursor', 'total'])
    expect(reply.body.meetings).toHaveLength(2)
    expect(reply.body.next_cursor).toEqual(expect.any(String))
  })

  it('leaves total away where the upstream has none', async () => {
    await using stack = await startStack({ emulator: { total: false } })
    const reply = await ask(`${stack.url}/meetings?limit=2`)
    expect(Object.keys(reply.body).toSorted()).toEqual(['meetings', 'next_cursor'])
  })

  for (const endOfList of ['null', 'missing'] as const) {
    it(`answers next_cursor null on the last page where the upstream's is ${endOfList}`, async () => {
      await using stack = await startStack({ emulator: { endOfList } })
      const seen = new Set<string>()
      let cursor: unknown = ''
      for (let page = 0; page < 10 && cursor !== null; page++) {
        const query = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor as string)}`
        const reply = await ask(`${stack.url}/meetings?limit=50&fields=title${query}`)
        expect(reply.status).toBe(200)
        for (const meeting of reply.body.meetings as { id: string }[]) seen.add(meeting.id)
        cursor = reply.body.next_cursor
      }
      expect(cursor).toBe(null)
      expect(seen.size).toBeGreaterThan(50)
    })
  }

  it('sends every role upstream by its name and the credential as bearer', async () => {
    await using upstream = await handMade(({ res }) => json(res, 200, { meetings: [], next_cursor: null }))
    await using stack = await stackOn(upstream)
    const reply = await ask(
      `${stack.url}/meetings?limit=7&cursor=abc&ownership=mine&sort_by=duration&order=oldest&q=road%20map` +
        '&from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00Z&tags=t1,t2&fields=title,participants',
    )
    expect(reply.body).toEqual({ meetings: [], next_cursor: null })
    const [call] = upstream.seen
    expect(call).toMatchObject({ method: 'GET', path: '/meetings' })
    expect(call?.headers.authorization?.toLowerCase()).toBe(
      `bearer ${stack.upstream.meetingsCredential}`.toLowerCase(),
    )
    const query = Object.fromEntries(call?.query ?? [])
    expect(query).toMatchObject({
      limit: '7',
      cursor: 'abc',
      ownership: 'mine',
      sort_by: 'duration',
      order: 'oldest',
      q: 'road map',
      tags: 't1,t2',
    })
    expect(Date.parse(query.from ?? '')).toBe(Date.parse('2026-01-01T00:00:00Z'))
    expect(Date.parse(query.to ?? '')).toBe(Date.parse('2026-02-01T00:00:00Z'))
    expect(new Set(query.fields?.split(','))).toEqual(new Set(['title', 'participants']))
  })

  it('speaks the wire that meetings.wire names', async () => {
    await using upstream = await handMade(({ res, path }) =>
      json(
        res,
        200,
        path === '/v9/calls'
          ? { rows: [{ id: 'm1', title: 'One' }], next_cursor: null }
          : { id: 'm1', title: 'One' },
      ),
    )
    await using stack = await stackOn(upstream, {
      bff: {
        meetings: {
          wire: {
            listPath: '/v9/calls',
            meetingPath: '/v9/call/{id}/view',
            params: { limit: 'page_size', q: 'search', order: 'direction' },
            order: { oldest: 'asc' },
            items: 'rows',
          },
        },
      },
    })
    const list = await ask(`${stack.url}/meetings?limit=3&q=x&order=oldest&fields=title`)
    expect(list.body).toEqual({ meetings: [{ id: 'm1', title: 'One' }], next_cursor: null })
    expect(Object.fromEntries(upstream.seen[0]?.query ?? [])).toMatchObject({
      page_size: '3',
      search: 'x',
      direction: 'asc',
    })
    const one = await ask(`${stack.url}/meetings/m1?fields=title`)
    expect(one.body).toEqual({ id: 'm1', title: 'One' })
    expect(upstream.seen[1]?.path).toBe('/v9/call/m1/view')
  })

  it('answers id and the default set where fields is omitted, whatever else the upstream sends', async () => {
    const row = {
      id: 'm1',
      title: 'T',
      started_at: '2026-01-01T00:00:00.000Z',
      duration: 60,
      status: 'completed',
      source: 'zoom',
      tags: [],
      ownership: 'owned',
    }
    await using upstream = await handMade(({ res }) =>
      json(res, 200, {
        meetings: [
          { ...row, participants: [{ email: 'a@b' }], transcript: {}, notes: {}, owner_secret: 'x' },
        ],
        next_cursor: null,
        total: 1,
        internal: 'x',
      }),
    )
    await using stack = await stackOn(upstream)
    const reply = await ask(`${stack.url}/meetings`)
    expect(reply.body).toEqual({ meetings: [row], next_cursor: null, total: 1 })
  })

  it('answers id and the fields asked for, nothing else', async () => {
    await using upstream = await handMade(({ res }) =>
      json(res, 200, { meetings: [{ id: 'm1', title: 'T', duration: 1, status: 'x' }], next_cursor: null }),
    )
    await using stack = await stackOn(upstream)
    const reply = await ask(`${stack.url}/meetings?fields=title`)
    expect(reply.body.meetings).toEqual([{ id: 'm1', title: 'T' }])
  })

  it('answers participants when they are asked for', async () => {
    await using stack = await startStack()
    const reply = await ask(`${stack.url}/meetings?limit=1&fields=participants`)
    const [meeting] = reply.body.meetings as Record<string, unknown>[]
    expect(Object.keys(meeting ?? {}).toSorted()).toEqual(['id', 'participants'])
  })
})

describe('GET /meetings/:id', () => {
  it('answers the meeting with the default set', async () => {
    await using stack = await startStack()
    const id = stack.upstream.meetings
      .all()
      .find((row) => !row.processing && row.visibility === 'owned' && row.holder === undefined)?.id
    const reply = await ask(`${stack.url}/meetings/${id}`)
    expect(reply.status).toBe(200)
    expect(Object.keys(reply.body).toSorted()).toEqual(
      ['id', 'title', 'started_at', 'duration', 'status', 'source', 'tags', 'ownership'].toSorted(),
    )
    expect(reply.body.id).toBe(id)
  })

  it('answers the fields asked for', async () => {
    await using stack = await startStack()
    const id = stack.upstream.meetings.all().find((row) => !row.processing && row.visibility === 'owned')?.id
    const reply = await ask(`${stack.url}/meetings/${id}?fields=duration`)
    expect(Object.keys(reply.body).toSorted()).toEqual(['duration', 'id'])
  })

  it('percent-encodes an id of any characters', async () => {
    await using upstream = await handMade(({ res }) => json(res, 200, { id: 'a b/ü' }))
    await using stack = await stackOn(upstream)
    const reply = await ask(`${stack.url}/meetings/${encodeURIComponent('a b/ü?x=1&y#z')}`)
    expect(reply.status).toBe(200)
    expect(upstream.seen[0]?.url.split('?')[0]).toBe(`/meetings/${encodeURIComponent('a b/ü?x=1&y#z')}`)
  })
})

describe('GET /tags', () => {
  for (const tagsShape of ['object', 'array'] as const) {
    it(`answers { tags } where the upstream gives ${tagsShape === 'array' ? 'a bare array' : 'an object'}`, async () => {
      await using stack = await startStack({ emulator: { tagsShape } })
      const reply = await ask(`${stack.url}/tags`)
      expect(reply.status).toBe(200)
      expect(Object.keys(reply.body)).toEqual(['tags'])
      expect((reply.body.tags as unknown[]).length).toBeGreaterThan(0)
    })
  }
})

describe('POST /handshake-check', () => {
  const check = async (stack: Awaited<ReturnType<typeof startStack>>, product: Product) => {
    const token = await ask(`${stack.url}/session-token`, { json: { usage_type: product } })
    return ask(`${stack.url}/handshake-check`, {
      json: { usage_type: product, session_key: token.body.session_key },
    })
  }
  const RETRYABLE = {
    missing_authorization_header: false,
    invalid_api_key: false,
    unauthorized: true,
    concurrency_limit_exceeded: true,
  }
  for (const code of [
    'missing_authorization_header',
    'invalid_api_key',
    'unauthorized',
    'concurrency_limit_exceeded',
  ] as const) {
    for (const refuseBy of ['status', 'frame', 'close'] as const) {
      it(`reports ${code} refused by ${refuseBy}`, async () => {
        await using stack = await startStack()
        stack.upstream.use(fail(code, { refuseBy }))
        const reply = await check(stack, 'vt')
        expect(reply.status).toBe(200)
        expect(reply.body).toMatchObject({ ok: false, error_code: code, retryable: RETRYABLE[code] })
      })
    }
  }

  it('tries the handshake with a header, not in the query', async () => {
    await using stack = await startStack()
    await check(stack, 'viva')
    const handshake = stack.upstream.requests.find(({ path }) => path === PRODUCTS.viva.path)
    expect(handshake?.query).toEqual({})
    expect(handshake?.headers.authorization).toMatch(/^api-key \S+$/)
    expect(handshake?.headers.authorization).not.toContain(stack.upstream.apiKey)
  })

  it('leaves no socket open', async () => {
    await using stack = await startStack()
    const reply = await check(stack, 'stt')
    expect(reply.body).toEqual({ ok: true })
    await expect.poll(() => stack.upstream.sockets.length).toBe(0)
  })

  it('reports unauthorized for a token of another product', async () => {
    await using stack = await startStack()
    const token = await ask(`${stack.url}/session-token`, { json: { usage_type: 'stt' } })
    const reply = await ask(`${stack.url}/handshake-check`, {
      json: { usage_type: 'tts', session_key: token.body.session_key },
    })
    expect(reply.body).toMatchObject({ ok: false, error_code: 'unauthorized', retryable: true })
  })

  it('reports unauthorized for an expired token', async () => {
    await using stack = await startStack()
    const token = await ask(`${stack.url}/session-token`, { json: { usage_type: 'stt', expiration_ttl: 5 } })
    stack.upstream.clock.advance(5 * 60_000 + 1)
    const reply = await ask(`${stack.url}/handshake-check`, {
      json: { usage_type: 'stt', session_key: token.body.session_key },
    })
    expect(reply.body).toMatchObject({ ok: false, error_code: 'unauthorized' })
  })

  it('takes 401 and 403 without a body for a refused token', async () => {
    await using stack = await startStack()
    for (const status of [401, 403]) {
      const undo = stack.upstream.use(answer({ status }, { on: 'handshake' }))
      const reply = await check(stack, 'stt')
      expect(reply.status).toBe(200)
      expect(reply.body.ok).toBe(false)
      undo()
    }
  })

  it('answers a problem where the upstream cannot be reached', async () => {
    await using stack = await startStack({ bff: { streamingUrl: 'ws://127.0.0.1:1' } })
    const reply = await ask(`${stack.url}/handshake-check`, {
      json: { usage_type: 'stt', session_key: 'abc' },
    })
    expect(reply).toBeProblem({ status: 502, code: 'UPSTREAM_UNREACHABLE', retryable: true })
  })

  it('answers a problem where the handshake hangs past the deadline', async () => {
    await using stack = await startStack({ bff: { deadlineMs: 150 } })
    stack.upstream.use(hang({ on: 'handshake' }))
    const reply = await ask(`${stack.url}/handshake-check`, {
      json: { usage_type: 'stt', session_key: 'abc' },
    })
    expect(reply).toBeProblem({ status: 504, code: 'UPSTREAM_TIMEOUT', retryable: true })
  })

  it('counts as a token request of the user', async () => {
    await using stack = await startStack({ bff: { limits: { tokensPerMinute: 2 } } })
    const ok = await ask(`${stack.url}/session-token`, { json: { usage_type: 'stt' } })
    const body = { usage_type: 'stt', session_key: ok.body.session_key }
    expect((await ask(`${stack.url}/handshake-check`, { json: body })).status).toBe(200)
    const third = await ask(`${stack.url}/handshake-check`, { json: body })
    expect(third).toBeProblem({ status: 429, code: 'RATE_LIMITED', retryable: true, retryAfter: true })
  })

  it('stays within the products of the grant', async () => {
    await using stack = await startStack()
    stack.grant = { user: 'ada', products: ['tts'] }
    const reply = await ask(`${stack.url}/handshake-check`, {
      json: { usage_type: 'stt', session_key: 'abc' },
    })
    expect(reply).toBeProblem({ status: 403, code: 'FORBIDDEN', retryable: false })
    expect(callsOf(stack)).toBe(0)
  })
})

describe('GET /health', () => {
  it('answers 200 { status: "ok" } without any gate', async () => {
    await using stack = await startStack()
    stack.grant = null
    const reply = await ask(`${stack.url}/health`, {
      headers: { 'x-stagepass': null, 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
    })
    expect(reply.status).toBe(200)
    expect(reply.body).toEqual({ status: 'ok' })
  })

  it('answers 503 with the reason while draining', async () => {
    await using stack = await startStack()
    await stack.bff.close()
    const reply = await ask(`${stack.url}/health`, { headers: { 'x-stagepass': null } })
    expect(reply.status).toBe(503)
    expect(reply.body.status).not.toBe('ok')
    expect(reply.text).toMatch(/drain|shut/i)
  })

  it('calls nothing upstream', async () => {
    await using stack = await startStack()
    await ask(`${stack.url}/health`)
    expect(callsOf(stack)).toBe(0)
  })
})
