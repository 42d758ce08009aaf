import { CLIENT_ERRORS } from '../errors/clientErrors.js'
import { DEADLINE_HEADER } from '@stagepass/contract'
import { malformed } from '@stagepass/emulator'
import { describe, expect, it, vi } from 'vitest'
import { clientOf, createVoiceClient } from './createVoiceClient.js'
import { setupVoice } from '../testing/setupVoice.test.kit.js'
import { createVirtualPlatform } from '../virtual/createVirtualPlatform.test.kit.js'
import { sourceOf } from '../token/sourceOf.test.kit.js'
import { meetingOptions } from '../meetings/meetingOptions.js'
import { meetingsOptions } from '../meetings/meetingsOptions.js'
import { tagsOptions } from '../meetings/tagsOptions.js'
import { tokenSource } from '../token/tokensOf.js'
import { useUsage } from '../usage/useUsage.js'

describe('options', () => {
  it('says what to do if the address is missing', () => {
    expect(() => createVoiceClient({ url: '' })).toThrow(
      /Failed to create the voice client: url is empty, or has a query or a fragment\. Give the path/,
    )
    // @ts-expect-error -- plain JavaScript may leave it out
    expect(() => createVoiceClient({})).toThrow(/url is empty, or has/)
  })

  it.each(['/api/voice?tenant=1', '/api/voice#x'])(
    'refuses an address with a query or a fragment: %s',
    (url) => {
      expect(() => createVoiceClient({ url })).toThrow(
        'url is empty, or has a query or a fragment. Give the path',
      )
    },
  )

  it('names the products if one is unknown', () => {
    const voice = createVoiceClient({ url: '/api/voice' })
    // @ts-expect-error -- not a product
    expect(() => tokenSource(voice, '__proto__')).toThrow(/Use one of stt, tts, viva, vt/)
  })
})

describe('requests', () => {
  it('have our header, new ones of the application, no cookies for other origins, and no override of ours', async () => {
    let asked = 0
    const calls: RequestInit[] = []
    await using setup = await setupVoice({
      client: {
        headers: async () => ({ authorization: `Bearer ${++asked}`, 'x-stagepass': 'no' }),
        fetch: (input, init) => {
          calls.push(init ?? {})
          return fetch(input, init)
        },
      },
    })
    const seen: unknown[] = []
    setup.stack.intercept((req, _res, next) => {
      seen.push([req.method, req.get('x-stagepass'), req.get('authorization'), req.get('cache-control')])
      next()
    })
    await clientOf(setup.voice).request({ route: '/tags' })
    await clientOf(setup.voice).request({ route: '/session-token', json: { usage_type: 'stt' } })
    await clientOf(setup.voice).request({ route: '/tags', noCache: true })
    expect(seen).toEqual([
      ['GET', '1', 'Bearer 1', undefined],
      ['POST', '1', 'Bearer 2', undefined],
      ['GET', '1', 'Bearer 3', 'no-cache'],
    ])
    expect(
      calls.every(({ credentials, redirect }) => credentials === 'same-origin' && redirect === 'manual'),
    ).toBe(true)
  })

  it('send a session id of each user, if the application has one', async () => {
    await using setup = await setupVoice({
      bff: { authorize: (req) => ({ user: req.get('x-stagepass-user') ?? '' }) },
      client: { sessionId: (user) => user && `support-${user}` },
    })
    for (const user of ['ada', 'ben']) {
      setup.voice.setUser(user)
      await sourceOf(setup.voice, 'stt').get()
    }
    expect(setup.stack.upstream.requests.map(({ body }) => body)).toMatchObject([
      { metadata: { session_id: 'support-ada' } },
      { metadata: { session_id: 'support-ben' } },
    ])
  })

  it('for a token count its life from before the request was sent', async () => {
    const platform = createVirtualPlatform()
    await using setup = await setupVoice({
      client: {
        platform,
        fetch: async (input, init) => {
          const answer = await fetch(input, init)
          await platform.advance(5_000)
          return answer
        },
      },
    })
    const sentAt = platform.now()
    const live = await sourceOf(setup.voice, 'stt').get({ ttlMinutes: 5 })
    expect(platform.now() - sentAt).toBe(5_000)
    expect(live.deadline).toBeLessThanOrEqual(sentAt + 300_000)
    expect(live.deadline).toBeGreaterThan(sentAt + 290_000)
  })

  it('ignore a trailing slash in the address', async () => {
    await using setup = await setupVoice()
    const voice = createVoiceClient({ url: `${setup.stack.url}//` })
    await clientOf(voice).request({ route: '/tags' })
    expect(setup.asked).toEqual(['/tags'])
  })
})

const answers = [
  ['a page of HTML', 200, 'text/html', '<!doctype html>', { code: 'NOT_STAGEPASS', retryable: false }],
  ['nothing', 200, 'text/plain', '', { code: 'NOT_STAGEPASS', retryable: false }],
  ['a number', 200, 'application/json', '7', { code: 'NOT_STAGEPASS', retryable: false }],
  [
    'a 404 of a host',
    404,
    'text/html',
    'Cannot POST',
    { code: 'NOT_STAGEPASS', status: 404, retryable: false },
  ],
  [
    'a code of a newer BFF',
    418,
    'application/problem+json',
    '{"error_code":"TEAPOT","retryable":true}',
    { code: 'TEAPOT', status: 418, retryable: true },
  ],
  [
    'a code that is a word of the language',
    400,
    'application/json',
    '{"error_code":"__proto__"}',
    { code: 'NOT_STAGEPASS', status: 400, retryable: false },
  ],
  [
    'a problem with parts of the wrong kind',
    503,
    'application/problem+json',
    '{"error_code":"SHUTTING_DOWN","retryable":"yes","req_id":7,"retry_after_ms":"9"}',
    { code: 'SHUTTING_DOWN', retryable: true, reqId: undefined, retryAfterMs: undefined },
  ],
] as const

describe('answers', () => {
  it.each(answers)('that are %s become a VoiceError', async (_name, status, type, body, expected) => {
    await using setup = await setupVoice()
    setup.stack.intercept((_req, res) => void res.status(status).type(type).send(body))
    await expect(clientOf(setup.voice).request({ route: '/tags' })).rejects.toMatchObject({
      name: 'VoiceError',
      ...expected,
    })
    expect(setup.events).toEqual([
      expect.objectContaining({ type: 'request.failed', route: '/tags', code: expected.code }),
    ])
  })

  it.each([
    ['7', 7_000],
    ['Thu, 01 Jan 2026 00:00:09 GMT', 9_000],
    ['Wed, 31 Dec 2025 23:00:00 GMT', 0],
    ['soon', undefined],
  ])(
    'with Retry-After %s are to be repeated after %s ms, by the clock of the server',
    async (header, retryAfterMs) => {
      await using setup = await setupVoice()
      setup.stack.intercept((_req, res) => {
        res.sendDate = false
        res.set({ date: 'Thu, 01 Jan 2026 00:00:00 GMT', 'retry-after': header }).status(503).send('busy')
      })
      await expect(clientOf(setup.voice).request({ route: '/tags' })).rejects.toMatchObject({ retryAfterMs })
    },
  )

  it('with a token that the BFF could not read are malformed', async () => {
    await using setup = await setupVoice()
    setup.stack.upstream.use(malformed('wrong-shape', { on: 'token' }))
    await expect(sourceOf(setup.voice, 'stt').get()).rejects.toMatchObject({
      code: 'UPSTREAM_MALFORMED',
    })
  })

  it('with an incomplete token are malformed', async () => {
    await using setup = await setupVoice()
    let body: object
    setup.stack.intercept((_req, res) => void res.json(body))
    const token = {
      session_key: 'x',
      type: 'session',
      usage_type: 'stt',
      expires_in_ms: 300_000,
      expires_at: '2099-01-01T00:00:00Z',
      stream_url: 'wss://stream.example/stt',
    }
    for (const wrong of [
      { session_key: 7 },
      { session_key: '' },
      { expires_in_ms: '300000' },
      { expires_in_ms: -1 },
      { stream_url: undefined },
      { expires_at: 'soon' },
      { expires_at: undefined },
    ]) {
      body = { ...token, ...wrong }
      const code = sourceOf(setup.voice, 'stt')
        .get()
        .catch((error: unknown) => Object(error).code)
      expect([wrong, await code]).toEqual([wrong, 'MALFORMED_RESPONSE'])
    }
    body = { ...token, req_id: 7, usage_receipt: 7 }
    expect(await sourceOf(setup.voice, 'stt').get()).toMatchObject({ token: { reqId: undefined } })
  })

  it('without what the route promises are malformed, with an event', async () => {
    await using setup = await setupVoice()
    setup.stack.intercept((_req, res) => void res.json({}))
    const { voice, queryClient, events } = setup
    const { result } = setup.render(() => useUsage())
    await vi.waitFor(() => expect(result.current.error?.code).toBe('MALFORMED_RESPONSE'))
    const malformedCode = { code: 'MALFORMED_RESPONSE' }
    await expect(queryClient.fetchQuery(tagsOptions(voice))).rejects.toMatchObject(malformedCode)
    await expect(queryClient.fetchQuery(meetingOptions(voice, '1'))).rejects.toMatchObject(malformedCode)
    await expect(queryClient.fetchInfiniteQuery(meetingsOptions(voice))).rejects.toMatchObject(malformedCode)
    const failed = events.flatMap((event) =>
      event.type === 'request.failed' ? [[event.route, event.code]] : [],
    )
    expect(failed).toEqual(
      ['/usage', '/tags', '/meetings/:id', '/meetings'].map((route) => [route, malformedCode.code]),
    )
  })

  it.each([
    ['a router', 200, 'text/html', ' responded with 200 and a page of HTML: the fallback page'],
    ['a page that refuses', 403, 'text/html', ' responded with 403 and a page of HTML, not of'],
    ['a host without the mount', 404, 'text/html', ' (404 text/html). Compare'],
    ['another API', 404, 'application/json', ' (404 application/json). Compare'],
    ['something without a name', 200, '<b>', ' responded with 200 without a media type, which'],
  ])('of %s say what came from where, and what to check', async (_name, status, type, expected) => {
    await using setup = await setupVoice()
    setup.stack.intercept((_req, res) => {
      res.statusCode = status
      res.setHeader('content-type', type)
      res.end('{"message":"no"}'.slice(status === 404 ? 0 : 1))
    })
    const request = clientOf(setup.voice).request({
      route: '/meetings/:id',
      path: '/meetings/secret-plan?fields=title',
    })
    await expect(request).rejects.toMatchObject({
      code: 'NOT_STAGEPASS',
      message: CLIENT_ERRORS.NOT_STAGEPASS.title,
      hint: expect.stringContaining(`${setup.stack.url}/meetings/:id${expected}`) as string,
    })
  })
})

describe('failures', () => {
  it('of the network are retryable', async () => {
    await using setup = await setupVoice()
    setup.stack.intercept((req) => void req.socket.destroy())
    await expect(clientOf(setup.voice).request({ route: '/tags' })).rejects.toMatchObject({
      code: 'NETWORK_ERROR',
      status: undefined,
      retryable: true,
      cause: expect.any(Error),
    })
  })

  it('of the application’s own headers are reported with their cause', async () => {
    const cause = new Error('not signed in')
    await using setup = await setupVoice({ client: { headers: () => Promise.reject(cause) } })
    await expect(clientOf(setup.voice).request({ route: '/tags' })).rejects.toMatchObject({
      code: 'NETWORK_ERROR',
      cause,
    })
    expect(setup.asked).toEqual([])
  })

  it('to answer in time are failures of the network, also if the function of headers never returns', async () => {
    const platform = createVirtualPlatform()
    await using setup = await setupVoice({
      client: { platform, timeoutMs: 3_000, headers: () => new Promise(() => {}) },
    })
    const asking = clientOf(setup.voice).request({ route: '/tags' })
    asking.catch(() => {})
    await platform.advance(3_000)
    await expect(asking).rejects.toMatchObject({ code: 'NETWORK_ERROR', cause: { name: 'TimeoutError' } })
    expect(platform.timers).toBe(0)
  })

  it.each([
    ['15000', 17_000],
    ['600000', 602_000],
    ['3000', 12_000],
    ['soon', 12_000],
  ])('wait for a BFF that works longer, as its responses say: %s', async (header, limit) => {
    const platform = createVirtualPlatform()
    let answers = true
    await using setup = await setupVoice({
      client: {
        platform,
        fetch: (_input, init) =>
          answers
            ? Promise.resolve(new Response('{}', { headers: { [DEADLINE_HEADER]: header } }))
            : new Promise((_, reject) => init?.signal?.addEventListener('abort', reject)),
      },
    })
    await clientOf(setup.voice).request({ route: '/tags' })
    answers = false
    let ended = false
    const asking = clientOf(setup.voice).request({ route: '/tags' })
    asking.catch(() => (ended = true))
    await platform.advance(limit - 1)
    expect(ended).toBe(false)
    await platform.advance(1)
    await expect(asking).rejects.toMatchObject({ code: 'NETWORK_ERROR', cause: { name: 'TimeoutError' } })
  })

  it('by the caller’s own abort are ABORTED, without an event', async () => {
    await using setup = await setupVoice()
    const abort = new AbortController()
    setup.stack.intercept(() => abort.abort())
    await expect(
      clientOf(setup.voice).request({ route: '/tags', signal: abort.signal }),
    ).rejects.toMatchObject({
      code: 'ABORTED',
    })
    expect(setup.events).toEqual([])
  })

  it('of a listener have no other effect, and reach the page’s error handler', async () => {
    const reported: unknown[] = []
    const original = globalThis.reportError
    globalThis.reportError = (error) => void reported.push(error)
    try {
      const boom = new Error('boom')
      await using setup = await setupVoice({
        client: {
          onEvent: () => {
            throw boom
          },
        },
      })
      const heard: string[] = []
      const undo = setup.voice.subscribe(({ type }) => heard.push(type))
      await sourceOf(setup.voice, 'stt').get()
      undo()
      await sourceOf(setup.voice, 'tts').get()
      expect(heard).toEqual(['token.minted'])
      expect(reported).toEqual([boom, boom])
    } finally {
      globalThis.reportError = original
    }
  })
})
