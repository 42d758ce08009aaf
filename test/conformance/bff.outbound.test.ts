import { createServer as createTcpServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { delay, fail } from '@stagepass/emulator'
import { startStack } from '@stagepass/testing'
import { describe, expect, it } from 'vitest'
import { ask, callsOf, envelope, handMade, json, stackOn } from './kit.js'

const token = { json: { usage_type: 'stt' } }
const emptyList = { meetings: [], next_cursor: null }

describe('addresses', () => {
  const hostile = [
    'https://evil.example/x',
    '//evil.example/x',
    '/../../v2/sdk/tokens/session',
    '..%2f..%2fv2',
    '%2e%2e%2f',
    'a\r\nHost: evil.example',
    'a\nX-Injected: 1',
    'x@evil.example',
    '@evil.example',
    'a#fragment',
    'a?limit=100',
    'a&fields=participants',
    'a;b=c',
    '\\evil.example',
    'a%00b',
    '\u0000',
    'ü漢字😀',
    '+',
    '%',
    '%2B',
    '\'"<>`{}|^[]',
  ]
  for (const value of hostile) {
    it(`${JSON.stringify(value)} stays inert in a cursor, a search, tags and a meeting id`, async () => {
      await using upstream = await handMade(({ res, path }) =>
        json(res, 200, path.startsWith('/base/meetings/') ? { id: 'x' } : emptyList),
      )
      await using stack = await stackOn(upstream, {
        bff: { meetings: { baseUrl: `${upstream.url}/base`, cacheMs: 0 } },
      })
      const encoded = encodeURIComponent(value)
      for (const role of ['cursor', 'q', 'tags'] as const) {
        const before = upstream.seen.length
        const reply = await ask(`${stack.url}/meetings?${role}=${encoded}`)
        expect([200, 400], `${role}: ${reply.text}`).toContain(reply.status)
        if (reply.status === 400) continue
        const call = upstream.seen[before]
        expect(call?.path).toBe('/base/meetings')
        expect(call?.query.get(role)).toBe(value)
        expect([...(call?.query.keys() ?? [])].filter((key) => key === role)).toHaveLength(1)
        expect(call?.query.has('limit') ? call.query.get('limit') : '').not.toBe('100')
        expect(call?.headers).not.toHaveProperty('x-injected')
        expect(call?.headers.host).toBe(new URL(upstream.url).host)
      }
      const before = upstream.seen.length
      const reply = await ask(`${stack.url}/meetings/${encoded}`)
      expect([200, 400]).toContain(reply.status)
      for (const call of upstream.seen.slice(before)) {
        const segments = call.url.split('?')[0]?.split('/')
        expect(segments?.slice(0, 3)).toEqual(['', 'base', 'meetings'])
        expect(segments).toHaveLength(4)
        expect(decodeURIComponent(segments?.[3] ?? '')).toBe(value)
        expect(call.headers.host).toBe(new URL(upstream.url).host)
      }
    })
  }

  it('an over-long meeting id is 400', async () => {
    await using stack = await startStack()
    const reply = await ask(`${stack.url}/meetings/${'x'.repeat(5_000)}`)
    expect(reply).toBeProblem({ status: 400, code: 'VALIDATION_ERROR', retryable: false })
    expect(callsOf(stack)).toBe(0)
  })

  it('a session id of CR, LF and quotes arrives as it is, in the JSON', async () => {
    await using upstream = await handMade(({ res }) => json(res, 200, envelope('stt')))
    await using stack = await stackOn(upstream)
    const sessionId = 'a\r\nX-Injected: 1"}{'
    const reply = await ask(`${stack.url}/session-token`, {
      json: { usage_type: 'stt', session_id: sessionId },
    })
    expect(reply.status).toBe(200)
    expect(JSON.parse(upstream.seen[0]?.text ?? '')).toMatchObject({ metadata: { session_id: sessionId } })
    expect(upstream.seen[0]?.headers).not.toHaveProperty('x-injected')
  })

  for (const key of ['a\r\nX-Injected: 1', 'a b', 'ü', '\u0000', 'a"b', 'x'.repeat(1_000)]) {
    it(`the session key ${JSON.stringify(key).slice(0, 30)} of a handshake check injects nothing`, async () => {
      await using stack = await startStack()
      const reply = await ask(`${stack.url}/handshake-check`, {
        json: { usage_type: 'stt', session_key: key },
      })
      expect(reply.status === 400 || reply.body.ok === false).toBe(true)
      expect(JSON.stringify(stack.upstream.requests)).not.toContain('x-injected')
    })
  }
})

describe('outbound headers', () => {
  const browser = {
    cookie: 'sid=cookie-of-the-browser',
    authorization: 'Bearer login-of-the-user',
    'x-forwarded-for': '203.0.113.7',
    'x-forwarded-host': 'forwarded.example',
    'x-real-ip': '203.0.113.7',
    'x-api-key': 'browser-api-key',
    referer: 'https://app.example/secret-page',
    'user-agent': 'browser-agent',
    'accept-language': 'tlh',
    'x-custom': 'custom-header',
    'sec-fetch-site': 'same-origin',
    forwarded: 'for=203.0.113.7',
    'proxy-authorization': 'Basic x',
    te: 'trailers',
  }
  const MINE = [
    'cookie-of-the-browser',
    'login-of-the-user',
    '203.0.113.7',
    'forwarded.example',
    'browser-api-key',
    'secret-page',
    'browser-agent',
    'tlh',
    'custom-header',
    'same-origin',
  ]
  it('hold nothing of the browser, on token and meetings calls', async () => {
    await using upstream = await handMade(({ res, method, path }) =>
      json(
        res,
        200,
        method === 'POST'
          ? envelope('stt')
          : path === '/tags'
            ? { tags: [] }
            : path === '/meetings'
              ? emptyList
              : { id: 'x' },
      ),
    )
    await using stack = await stackOn(upstream)
    for (const [path, init] of [
      ['/session-token', token],
      ['/meetings', {}],
      ['/meetings/x', {}],
      ['/tags', {}],
    ] as const) {
      const reply = await ask(stack.url + path, { ...init, headers: browser })
      expect(reply.status).toBe(200)
    }
    expect(upstream.seen).toHaveLength(4)
    for (const call of upstream.seen) {
      const sent = JSON.stringify(call.rawHeaders) + call.url + call.text
      for (const word of MINE) expect(sent).not.toContain(word)
      expect(call.headers.host).toBe(new URL(upstream.url).host)
    }
  })
  it('hold nothing of the browser, on the handshake', async () => {
    await using stack = await startStack()
    const { headers: _, ...ok } = await ask(`${stack.url}/session-token`, token)
    await ask(`${stack.url}/handshake-check`, {
      json: { usage_type: 'stt', session_key: ok.body.session_key },
      headers: browser,
    })
    const handshake = stack.upstream.requests.at(-1)
    for (const word of MINE) expect(JSON.stringify(handshake)).not.toContain(word)
  })
  it('never send the API key to the meetings interface, nor the credential to the token endpoint', async () => {
    await using stack = await startStack()
    await ask(`${stack.url}/session-token`, token)
    await ask(`${stack.url}/meetings`)
    const [mint, list] = stack.upstream.requests
    expect(JSON.stringify(mint)).not.toContain(stack.upstream.meetingsCredential)
    expect(JSON.stringify(list)).not.toContain(stack.upstream.apiKey)
  })
})

describe('answers are rebuilt', () => {
  it('without upstream headers, key_id or unknown members of the envelope', async () => {
    await using upstream = await handMade(({ res }) =>
      json(
        res,
        200,
        {
          ...envelope('stt', { team: 'leaked-team', account: { id: 'leaked-account' } }),
          debug: 'leaked-debug',
        },
        {
          'set-cookie': 'leaked=1',
          'x-upstream': 'leaked-header',
          server: 'leaked-server',
          etag: '"leaked"',
          'access-control-allow-origin': '*',
        },
      ),
    )
    await using stack = await stackOn(upstream)
    const reply = await ask(`${stack.url}/session-token`, token)
    expect(reply.status).toBe(200)
    expect(reply.text + JSON.stringify(reply.headers)).not.toMatch(/leaked|4711|key_id/)
    expect(reply.headers).not.toHaveProperty('access-control-allow-origin')
  })
  it('without upstream headers on the meetings routes', async () => {
    await using upstream = await handMade(({ res, path }) =>
      json(
        res,
        200,
        path === '/tags'
          ? { tags: ['t'], extra: 'leaked' }
          : { id: 'm', meetings: [], secret: 'leaked', next_cursor: null },
        {
          'set-cookie': 'leaked=1',
          'x-upstream': 'leaked-header',
        },
      ),
    )
    await using stack = await stackOn(upstream)
    for (const path of ['/meetings', '/meetings/m', '/tags']) {
      const reply = await ask(stack.url + path)
      expect(reply.status).toBe(200)
      expect(reply.text + JSON.stringify(reply.headers)).not.toMatch(/leaked/)
    }
  })
  it('without what an upstream puts under prototype keys', async () => {
    await using upstream = await handMade(({ res }) =>
      res
        .writeHead(200, { 'content-type': 'application/json' })
        .end(
          '{"meetings":[{"id":"m","title":"T","__proto__":{"polluted":1}}],"next_cursor":null,"__proto__":{"total":3}}',
        ),
    )
    await using stack = await stackOn(upstream)
    const reply = await ask(`${stack.url}/meetings?fields=title`)
    expect(reply.text).toBe('{"meetings":[{"id":"m","title":"T"}],"next_cursor":null}')
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })
  it('with unknown values of known fields as they are', async () => {
    const row = { id: 'm', status: 'brand-new', duration: null, tags: [{ id: 1 }], source: 7, title: null }
    await using upstream = await handMade(({ res }) => json(res, 200, { meetings: [row], next_cursor: null }))
    await using stack = await stackOn(upstream)
    const reply = await ask(`${stack.url}/meetings`)
    expect(reply.body.meetings).toEqual([row])
  })
})

describe('the size of an answer', () => {
  it('is capped while it comes, chunked and without a length', async () => {
    let sent = 0
    await using upstream = await handMade(({ res }) => {
      res.writeHead(200, { 'content-type': 'application/json' })
      const chunk = Buffer.alloc(256 * 1024, 32)
      const push = () => {
        while (!res.destroyed && sent < 512 * 1024 * 1024) {
          sent += chunk.length
          if (!res.write(chunk)) {
            res.once('drain', push)
            return
          }
        }
      }
      push()
    })
    await using stack = await stackOn(upstream)
    const reply = await ask(`${stack.url}/tags`)
    expect(reply).toBeProblem({ status: 502, code: 'UPSTREAM_MALFORMED', retryable: false })
    expect(sent).toBeLessThan(64 * 1024 * 1024)
  })
  it('is capped for a compressed answer too', async () => {
    const { gzipSync } = await import('node:zlib')
    const bomb = gzipSync(Buffer.alloc(100 * 1024 * 1024, 32))
    await using upstream = await handMade(({ res }) =>
      res.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(bomb),
    )
    await using stack = await stackOn(upstream)
    const reply = await ask(`${stack.url}/tags`)
    expect(reply).toBeProblem({ status: 502, code: 'UPSTREAM_MALFORMED', retryable: false })
  })
  it('takes headers without end as a fault of the upstream', async () => {
    const server = createTcpServer((socket) => {
      socket.on('error', () => undefined)
      socket.write('HTTP/1.1 200 OK\r\n')
      const push = () => {
        while (!socket.destroyed && socket.bytesWritten < 64 * 1024 * 1024) {
          if (!socket.write(`x-${Math.random()}: ${'y'.repeat(1_000)}\r\n`)) {
            socket.once('drain', push)
            return
          }
        }
      }
      push()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    try {
      await using stack = await startStack({ bff: { meetings: { baseUrl: url }, deadlineMs: 2_000 } })
      const reply = await ask(`${stack.url}/tags`)
      expect([502, 504]).toContain(reply.status)
      expect(reply.body.error_code).toMatch(/^UPSTREAM_/)
    } finally {
      server.close()
    }
  })
  it('takes what is not HTTP as a fault of the upstream', async () => {
    const server = createTcpServer((socket) => {
      socket.on('error', () => undefined)
      socket.end('SSH-2.0-OpenSSH_9.6\r\n')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    try {
      await using stack = await startStack({
        bff: { baseUrl: url, meetings: { baseUrl: url }, deadlineMs: 2_000 },
      })
      for (const [path, init] of [
        ['/tags', {}],
        ['/session-token', token],
      ] as const) {
        const reply = await ask(stack.url + path, init)
        expect(reply.status).toBe(502)
        expect(reply.body.error_code).toMatch(/^UPSTREAM_/)
      }
    } finally {
      server.close()
    }
  })
})

describe('secret providers', () => {
  it('are called single-flight', async () => {
    let calls = 0
    await using stack = await startStack()
    const apiKey = stack.upstream.apiKey
    await stack.remount({
      apiKey: async () => {
        calls++
        await new Promise((resolve) => setTimeout(resolve, 30))
        return apiKey
      },
    })
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        ask(`${stack.url}/session-token`, { json: { usage_type: 'stt', session_id: `s${i}` } }),
      ),
    )
    expect(replies.every(({ status }) => status === 200)).toBe(true)
    expect(calls).toBe(1)
  })
  for (const code of ['AUTH_API_KEY_INVALID', 'AUTH_API_KEY_EXPIRED'] as const) {
    it(`are asked again once on ${code}, and the call is replayed at most once`, async () => {
      let calls = 0
      await using stack = await startStack()
      const apiKey = stack.upstream.apiKey
      const old = code === 'AUTH_API_KEY_INVALID' ? stack.upstream.keys.invalid : stack.upstream.keys.expired
      await stack.remount({ apiKey: () => (calls++ === 0 ? old : apiKey) })
      const reply = await ask(`${stack.url}/session-token`, token)
      expect(reply.status).toBe(200)
      expect(calls).toBe(2)
      expect(stack.upstream.counts.token).toBe(2)
    })
    it(`do not loop where the new key is refused with ${code} too`, async () => {
      let calls = 0
      await using stack = await startStack({ bff: { apiKey: () => `key-${calls++}` } })
      stack.upstream.use(fail(code))
      const reply = await ask(`${stack.url}/session-token`, token)
      expect(reply).toBeProblem({ status: 502, code, retryable: false })
      expect(calls).toBe(2)
      expect(stack.upstream.counts.token).toBe(2)
    })
  }
  it('are not asked again on another code', async () => {
    let calls = 0
    await using stack = await startStack()
    const key = stack.upstream.keys.unlicensed
    await stack.remount({
      apiKey: () => {
        calls++
        return key
      },
    })
    await ask(`${stack.url}/session-token`, token)
    expect(calls).toBe(1)
    expect(stack.upstream.counts.token).toBe(1)
  })
  it('of the meetings credential are asked again where it is refused', async () => {
    let calls = 0
    await using stack = await startStack()
    const good = stack.upstream.meetingsCredential
    const credential = () => (calls++ === 0 ? 'rotated-away' : good)
    stack.grant = { user: 'ada', meetings: { credential } }
    const reply = await ask(`${stack.url}/tags`)
    // The meetings interface shows no codes, so only the API key gets a second try.
    expect([200, 502]).toContain(reply.status)
    expect(calls).toBeLessThanOrEqual(2)
  })
  for (const value of ['a\nb', ' a', 'a ', '', 'ü', null, 7, {}]) {
    it(`that give ${JSON.stringify(value)} are 503 SECRET_UNAVAILABLE, with nothing sent`, async () => {
      await using stack = await startStack({ bff: { apiKey: () => value as never } })
      const reply = await ask(`${stack.url}/session-token`, token)
      expect(reply).toBeProblem({ status: 503, code: 'SECRET_UNAVAILABLE', retryable: true })
      expect(callsOf(stack)).toBe(0)
    })
  }
})

describe('one deadline', () => {
  it('covers a slow upstream, whatever the number of retries', async () => {
    await using stack = await startStack({ bff: { deadlineMs: 300, platform: { random: () => 0 } } })
    stack.upstream.use(delay(120, { on: 'token' }))
    stack.upstream.use(fail('CACHE_UNAVAILABLE'))
    const reply = await ask(`${stack.url}/session-token`, token)
    expect([503, 504]).toContain(reply.status)
    expect(stack.upstream.counts.token).toBeLessThanOrEqual(4)
  })
  it('covers authorize, the secret and the call together', async () => {
    await using stack = await startStack()
    const key = stack.upstream.apiKey
    await stack.remount({
      deadlineMs: 300,
      authorize: () => new Promise((resolve) => setTimeout(() => resolve({ user: 'ada' }), 200)),
      apiKey: () => new Promise((resolve) => setTimeout(() => resolve(key), 200)),
    })
    const reply = await ask(`${stack.url}/session-token`, token)
    expect(reply).toBeProblem({ status: 503, code: 'SECRET_UNAVAILABLE', retryable: true })
    expect(callsOf(stack)).toBe(0)
  })
})
