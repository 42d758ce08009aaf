import { inspect } from 'node:util'
import { answer, fail, malformed } from '@stagepass/emulator'
import { startStack } from '@stagepass/testing'
import { describe, expect, it, vi } from 'vitest'
import { type Ask, ask, handMade, json, type Reply, stackOn, envelope } from './kit.js'

const token = { json: { usage_type: 'stt' } }

describe('headers of every answer', () => {
  const asks: [
    string,
    number,
    string,
    Ask,
    { grant?: null; closed?: true; limited?: true; broken?: true },
  ][] = [
    ['a token', 200, '/session-token', token, {}],
    ['a list', 200, '/meetings', {}, {}],
    ['tags', 200, '/tags', {}, {}],
    ['health', 200, '/health', {}, {}],
    ['HEAD of health', 200, '/health', { method: 'HEAD' }, {}],
    ['a handshake check', 200, '/handshake-check', { json: { usage_type: 'stt', session_key: 'x' } }, {}],
    ['a refused request', 400, '/meetings?limit=0', {}, {}],
    ['no grant', 401, '/tags', {}, { grant: null }],
    ['the gate', 403, '/tags', { headers: { 'x-stagepass': null } }, {}],
    ['an unknown path', 404, '/nothing', {}, {}],
    ['a wrong method', 405, '/tags', { method: 'PUT' }, {}],
    ['HEAD', 405, '/session-token', { method: 'HEAD' }, {}],
    ['a preflight', 403, '/tags', { method: 'OPTIONS', headers: { 'x-stagepass': null } }, {}],
    ['too large', 413, '/session-token', { json: { usage_type: 'x'.repeat(5_000) } }, {}],
    ['a wrong type', 415, '/session-token', { raw: 'x' }, {}],
    ['over the limit', 429, '/session-token', token, { limited: true }],
    ['an upstream error', 502, '/tags', {}, { broken: true }],
    ['draining', 503, '/tags', {}, { closed: true }],
    ['health while draining', 503, '/health', {}, { closed: true }],
  ]
  for (const [name, status, path, init, setting] of asks) {
    it(`stand on ${name} (${status})`, async () => {
      await using stack = await startStack({ bff: setting.limited ? { limits: { tokensPerMinute: 1 } } : {} })
      if (setting.limited) await ask(stack.url + path, init)
      if (setting.grant === null) stack.grant = null
      if (setting.broken) stack.upstream.use(malformed('empty'))
      if (setting.closed) await stack.bff.close()
      const reply = await ask(stack.url + path, init)
      expect(reply.status).toBe(status)
      expect(reply.headers['cache-control']).toBe('no-store, no-transform')
      expect(reply.headers['x-content-type-options']).toBe('nosniff')
      expect(reply.headers['referrer-policy']).toBe('no-referrer')
      expect(reply.headers).not.toHaveProperty('etag')
      expect(reply.headers).not.toHaveProperty('set-cookie')
      expect(reply.headers).not.toHaveProperty('last-modified')
    })
  }
  it('hold no ETag where the host turned it on, and no 304', async () => {
    await using stack = await startStack({ app: (app) => app.set('etag', 'strong') })
    const first = await ask(`${stack.url}/tags`, { headers: { 'if-none-match': '*' } })
    expect(first.status).toBe(200)
    expect(first.headers).not.toHaveProperty('etag')
  })
})

const API_KEY = 'Kx7/qP+Zw9=Vt3-planted-api-key.Jm2'
const CREDENTIAL = 'Gh5/sR+Yb8=Nc4-planted-meetings.Lp6'
const SESSION_KEY = 'Dt1/wE+Ua6=Xo9-planted-session.Bq8'

describe('planted secrets', () => {
  const run = async (upstreamAnswers: 'well' | 'echo') => {
    const output: string[] = []
    await using upstream = await handMade(({ res, method, path, headers, url }) => {
      if (upstreamAnswers === 'echo') {
        // The worst upstream: it repeats what it was sent, in every place that could be passed on.
        const echo = `${headers.authorization} ${url} ${SESSION_KEY}`
        const status = path === '/tags' ? 500 : path === '/meetings' ? 400 : method === 'POST' ? 401 : 409
        json(
          res,
          status,
          {
            code: 1,
            error_code: 'AUTH_API_KEY_INVALID',
            message: echo,
            error: echo,
            req_id: echo,
            data: echo,
          },
          { 'x-echo': API_KEY, 'www-authenticate': API_KEY },
        )
        return
      }
      if (method === 'POST') json(res, 200, envelope('stt', { session_key: SESSION_KEY }))
      else if (path === '/tags') json(res, 200, { tags: [] })
      else json(res, 200, { id: 'm', meetings: [], next_cursor: null })
    })
    await using stack = await stackOn(upstream, {
      bff: { apiKey: API_KEY, limits: { tokensPerMinute: 6 }, deadlineMs: 300 },
    })
    stack.grant = { user: 'ada', meetings: { credential: CREDENTIAL } }
    const tokens: Reply[] = []
    const others: Reply[] = []
    tokens.push(await ask(`${stack.url}/session-token`, token))
    for (const path of ['/meetings', '/meetings/m', '/tags', '/health', '/nothing', '/meetings?limit=0'])
      others.push(await ask(stack.url + path))
    others.push(
      await ask(`${stack.url}/handshake-check`, { json: { usage_type: 'stt', session_key: SESSION_KEY } }),
      await ask(`${stack.url}/handshake-check`, {
        json: { usage_type: 'stt', session_key: SESSION_KEY, x: 1 },
      }),
      await ask(`${stack.url}/handshake-check?session_key=${encodeURIComponent(SESSION_KEY)}`, {
        json: { usage_type: 'stt', session_key: SESSION_KEY },
      }),
      await ask(`${stack.url}/session-token`, { json: { usage_type: SESSION_KEY } }),
      await ask(`${stack.url}/session-token`, { json: { usage_type: 'stt', [SESSION_KEY]: 1 } }),
      await ask(`${stack.url}/meetings/${encodeURIComponent(API_KEY)}?${encodeURIComponent(CREDENTIAL)}=1`),
    )
    for (const options of [{}, { showHidden: true, depth: 20 }, { depth: 20, getters: true }] as const)
      output.push(inspect(stack.bff, options))
    output.push(JSON.stringify(stack.bff) ?? '', String(stack.bff))
    for (const event of stack.events) {
      output.push(JSON.stringify(event), inspect(event, { depth: 20 }))
      const { cause } = event as { cause?: unknown }
      if (cause) output.push(inspect(cause, { depth: 20 }))
    }
    return { tokens, others, output: output.join('\n'), events: stack.events.length }
  }

  it('stand nowhere but the session key in the 200 of its own route', async () => {
    const { tokens, others, output, events } = await run('well')
    expect(tokens[0]?.body.session_key).toBe(SESSION_KEY)
    expect(events).toBeGreaterThan(5)
    for (const secret of [API_KEY, CREDENTIAL]) expect(tokens[0]?.text ?? '').toBeWithout(secret)
    for (const reply of tokens) expect(JSON.stringify(reply.headers)).toBeWithout(SESSION_KEY)
    for (const secret of [API_KEY, CREDENTIAL]) {
      for (const reply of others.slice(0, -1))
        expect(reply.text + JSON.stringify(reply.headers)).toBeWithout(secret)
      expect(output).toBeWithout(secret)
    }
    expect(output).toBeWithout(SESSION_KEY)
    for (const reply of others.filter((_, index) => index !== 10))
      expect(reply.text + JSON.stringify(reply.headers)).toBeWithout(SESSION_KEY)
  })

  it('are not passed on by an upstream that repeats them', async () => {
    const { tokens, others, output } = await run('echo')
    for (const secret of [API_KEY, CREDENTIAL, SESSION_KEY]) {
      for (const reply of [...tokens, ...others.slice(0, 6)])
        expect(reply.text + JSON.stringify(reply.headers)).toBeWithout(secret)
      expect(output).toBeWithout(secret)
    }
  })

  it('are not in the error that creation throws', async () => {
    const { createBff } = await import('@stagepass/bff')
    for (const broken of [
      { apiKey: `${API_KEY}\n` },
      { apiKey: API_KEY, baseUrl: `https://${encodeURIComponent(API_KEY)}@voice.example` },
      { apiKey: API_KEY, baseUrl: `https://voice.example/?key=${encodeURIComponent(API_KEY)}` },
      { apiKey: API_KEY, authorize: undefined },
    ]) {
      let thrown: unknown
      try {
        createBff({
          baseUrl: 'https://voice.example',
          streamingUrl: 'wss://voice.example',
          authorize: () => null,
          ...(broken as { apiKey: string }),
        })
      } catch (error) {
        thrown = error
      }
      expect(thrown).toBeInstanceOf(Error)
      expect(inspect(thrown, { depth: 20, showHidden: true })).toBeWithout(API_KEY)
    }
  })

  it('are not printed to the console', async () => {
    const printed: string[] = []
    const keep = (...values: unknown[]): true => {
      printed.push(...values.map((value) => inspect(value, { depth: 20 })))
      return true
    }
    const spies = [
      ...[process.stdout, process.stderr].map((stream) => vi.spyOn(stream, 'write').mockImplementation(keep)),
      ...(['log', 'info', 'warn', 'error', 'debug', 'trace'] as const).map((method) =>
        vi.spyOn(console, method).mockImplementation(keep),
      ),
    ]
    try {
      await run('echo')
    } finally {
      for (const spy of spies) spy.mockRestore()
    }
    for (const secret of [API_KEY, CREDENTIAL, SESSION_KEY]) expect(printed.join('')).toBeWithout(secret)
  })
})

describe('upstream text', () => {
  const TEXT = 'upstream-sentence-for-nobody'
  for (const status of [400, 401, 403, 404, 409, 418, 429, 500, 502]) {
    it(`of a ${status} reaches no browser`, async () => {
      await using stack = await startStack({ bff: { deadlineMs: 300 } })
      for (const body of [
        { code: 1, error_code: TEXT, message: TEXT, req_id: TEXT, error: TEXT },
        { code: 1, error_code: 'PAYMENT_PAST_DUE', message: TEXT, req_id: 'req-1', detail: TEXT },
        TEXT,
        { error: { message: TEXT } },
      ]) {
        const undo = stack.upstream.use(answer({ status, body, headers: { 'x-text': TEXT } }))
        for (const [path, init] of [
          ['/session-token', token],
          ['/meetings', {}],
          ['/meetings/x', {}],
          ['/tags', {}],
        ] as const) {
          const reply = await ask(stack.url + path, init)
          expect(reply.status).toBeGreaterThanOrEqual(400)
          const { req_id: _, ...rest } = reply.body
          expect(JSON.stringify(rest) + JSON.stringify(reply.headers)).not.toContain(TEXT)
        }
        undo()
      }
    })
  }
  it('titles are our own sentences', async () => {
    await using stack = await startStack()
    const { BFF_TITLES } = await import('@stagepass/contract/titles')
    for (const code of ['PAYMENT_PAST_DUE', 'AUTH_API_KEY_INVALID', 'PRODUCT_NOT_ALLOWED'] as const) {
      const undo = stack.upstream.use(fail(code))
      const reply = await ask(`${stack.url}/session-token`, token)
      expect(reply.body.title).toBe(BFF_TITLES[code])
      undo()
    }
  })
})
