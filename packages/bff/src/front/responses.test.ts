import { inspect } from 'node:util'
import { BFF_ERRORS, codesOf, DEADLINE_HEADER, TOKEN_ERRORS } from '@stagepass/contract'
import { Problem } from '@stagepass/contract/schemas'
import { respond, drop, fail, hang, malformed } from '@stagepass/emulator'
import { type Stack, startStack } from '@stagepass/testing'
import { describe, expect, it, vi } from 'vitest'
import { ask, tokenBody } from '../ask.test.kit.js'
import { createLog } from '../telemetry/createLog.js'
import { systemPlatform } from '../base/platform.js'
import { createRedactor } from '../upstream/createRedactor.js'

const MINT = { json: { usage_type: 'stt' } }

describe('S17 every answer', () => {
  const check = { json: { usage_type: 'stt', session_key: 'st_1' } }
  const large = { json: { usage_type: 'x'.repeat(5_000) } }
  const requests: [string, (stack: Stack) => Promise<Response>][] = [
    ['a token', (stack) => stack.fetch('/session-token', MINT)],
    ['meetings', (stack) => stack.fetch('/meetings')],
    ['tags', (stack) => stack.fetch('/tags')],
    ['health', (stack) => stack.fetch('/health')],
    ['a validation error', (stack) => stack.fetch('/session-token', { json: {} })],
    ['a handshake check', (stack) => stack.fetch('/handshake-check', check)],
    ['a 401', (stack) => ((stack.grant = null), stack.fetch('/tags'))],
    ['HEAD', (stack) => stack.fetch('/tags', { method: 'HEAD' })],
    ['a 413', (stack) => stack.fetch('/session-token', large)],
    ['a 415', (stack) => stack.fetch('/session-token', { method: 'POST', body: 'x' })],
    [
      'a 429',
      async (stack) => {
        await stack.remount({ limits: { tokensPerMinute: 1 } })
        await stack.fetch('/session-token', MINT)
        return stack.fetch('/session-token', MINT)
      },
    ],
    ['a 502', (stack) => (stack.upstream.use(malformed('empty')), stack.fetch('/tags'))],
    ['a 404', (stack) => stack.fetch('/nowhere')],
    ['a 405', (stack) => stack.fetch('/tags', { method: 'DELETE' })],
    ['a blocked request', (stack) => stack.fetch('/tags', { headers: { 'x-stagepass': '0' } })],
    ['draining', async (stack) => (await stack.bff.close(), stack.fetch('/health'))],
    ['shut down', async (stack) => (await stack.bff.close(), stack.fetch('/tags'))],
  ]
  it.each(requests)('S17 %s forbids storing and sniffing, and has no ETag', async (_what, send) => {
    await using stack = await startStack()
    const { headers } = await send(stack)
    expect(Object.fromEntries(headers)).toMatchObject({
      'cache-control': 'no-store, no-transform',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'content-type': expect.stringMatching(/^application\/(problem\+)?json; charset=utf-8$/),
      'content-length': expect.any(String),
    })
    expect(headers.has('etag')).toBe(false)
    expect(headers.has('set-cookie')).toBe(false)
  })

  it.each([
    [20_000, '20000'],
    [10_000, null],
    [3_000, null],
  ])(
    'says how long it works on a request, if that is longer than the default: %i',
    async (deadlineMs, said) => {
      await using stack = await startStack({ bff: { deadlineMs } })
      const grant = { user: 'ada', meetings: { credential: 'c' } }
      const responses = [
        await stack.fetch('/tags'),
        await stack.fetch('/session-token', { json: {} }),
        await stack.bff.as(grant).fetch('/tags'),
      ]
      expect(responses.map(({ headers }) => headers.get(DEADLINE_HEADER))).toEqual([said, said, said])
    },
  )

  it('S17 If-None-Match gets a complete response', async () => {
    await using stack = await startStack()
    const response = await stack.fetch('/tags', { headers: { 'if-none-match': '*' } })
    expect(response.status).toBe(200)
  })
})

/** A value in each encoding in which it could be hidden. */
function formsOf(secret: string): string[] {
  const base64 = Buffer.from(secret).toString('base64').replaceAll('=', '')
  return [
    secret,
    encodeURIComponent(secret),
    Buffer.from(secret).toString('hex').replace(/../g, '%$&'),
    base64,
    Buffer.from(secret).toString('base64url'),
    // In the base64 of a whole header value the letters are shifted.
    Buffer.from(`api-key ${secret}`).toString('base64').slice(12, -4),
    Buffer.from(`Bearer ${secret}`).toString('base64').slice(12, -4),
    Buffer.from(secret).toString('hex'),
    secret.slice(0, secret.length / 2),
    secret.slice(secret.length / 2),
  ]
}

it('S18 each secret is only where it belongs', async () => {
  const API_KEY = 'vk_planted+key/0123456789='
  const CREDENTIAL = 'vm_planted+credential/abcdef='
  const TOKEN = 'st_planted+token/9876543210='
  const seen: { where: string; text: string }[] = []
  const note = (where: string, value: unknown) => {
    const text =
      typeof value === 'string' ? value : inspect(value, { depth: 12, showHidden: true, getters: true })
    seen.push({ where, text }, { where, text: JSON.stringify(value) ?? '' })
  }
  const noteAnswer = async (where: string, response: Response) => {
    note(where, [...response.headers])
    note(where, await response.text())
  }
  const envelope = { message: TOKEN, req_id: API_KEY }
  const minted = { status: 200, body: tokenBody({ session_key: TOKEN }, envelope) }

  await using stack = await startStack({
    emulator: { keys: [{ key: API_KEY }], credentials: [{ credential: CREDENTIAL }] },
    // The console is the default.
    bff: { apiKey: () => Promise.resolve(API_KEY), deadlineMs: 600, logger: undefined },
  })
  const logged: unknown[][] = []
  const spies = (['log', 'info', 'warn', 'error', 'debug'] as const).map((name) => {
    const original = console[name]
    console[name] = (...line: unknown[]) => void logged.push(line)
    return () => (console[name] = original)
  })
  stack.grant = { user: 'ada', meetings: { credential: () => CREDENTIAL } }

  // The only place of the session token.
  stack.upstream.use(respond(minted, { times: 1 }))
  const token = await stack.fetch('/session-token', MINT)
  note('headers of the token', [...token.headers])
  expect((await token.json()) as object).toMatchObject({ session_key: TOKEN })

  const message = `Bearer ${CREDENTIAL} ${API_KEY}`
  const leaks = { error: CREDENTIAL, message, error_code: API_KEY, code: 1, req_id: `${API_KEY}/x` }
  const faults = [
    respond(
      { status: 401, body: { ...leaks, error_code: 'AUTH_API_KEY_INVALID' } },
      { on: ['token', 'meetings'] },
    ),
    respond({ status: 400, body: leaks, headers: { 'x-leak': API_KEY, 'retry-after': API_KEY } }),
    respond({ status: 503, body: leaks }),
    respond({ status: 200, body: tokenBody({ session_key: TOKEN, usage_type: TOKEN }, envelope) }),
    respond({ status: 302, headers: { location: `/?key=${API_KEY}` } }),
    malformed('bad-json'),
    malformed('html'),
    drop(),
    drop({ when: 'mid-response' }),
    hang(),
  ]
  for (const fault of faults) {
    const undo = stack.upstream.use(fault)
    await noteAnswer('token', await stack.fetch('/session-token', MINT))
    for (const path of [`/meetings?q=${'x'.repeat(seen.length + 1)}`, '/meetings/1', '/tags'])
      await noteAnswer(path, await stack.fetch(path))
    undo()
  }
  const check = { json: { usage_type: 'stt', session_key: TOKEN } }
  for (const by of ['status', 'frame', 'close'] as const) {
    const undo = stack.upstream.use(fail('unauthorized', { refuseBy: by }))
    await noteAnswer('check', await stack.fetch('/handshake-check', check))
    undo()
  }
  const wrong = { json: { usage_type: 'x', session_key: TOKEN } }
  const unknown = { json: { usage_type: 'stt', [TOKEN]: TOKEN } }
  await noteAnswer('echo', await stack.fetch('/handshake-check', wrong))
  await noteAnswer('echo', await stack.fetch('/session-token', unknown))
  const encoded = encodeURIComponent(TOKEN)
  for (const path of [`/meetings?${encoded}=1`, `/tags?${encoded}=1`, `/meetings/${encoded}`])
    await noteAnswer('echo', await stack.fetch(path))

  stack.grant = {
    user: 'bob',
    meetings: { credential: () => Promise.reject(new Error(`vault said ${CREDENTIAL}`)) },
  }
  await noteAnswer('vault', await stack.fetch('/tags'))
  stack.grant = { user: 'ada', meetings: { credential: `${CREDENTIAL}\n` } }
  await noteAnswer('bad grant', await stack.fetch('/tags'))
  await stack.remount({ apiKey: () => `${API_KEY}\r\n` })
  await noteAnswer('bad key', await stack.fetch('/session-token', MINT))
  await stack.remount({ apiKey: API_KEY, authorize: () => Promise.reject(new Error(API_KEY)) })
  await noteAnswer('authorize', await stack.fetch('/session-token', MINT))

  note('the BFF', stack.bff)
  note('gauge', stack.bff.gauge())
  for (const event of stack.events) note(`event ${event.type}`, inspect(event))
  for (const event of stack.events) note(`event ${event.type}`, JSON.stringify(event))
  await stack.bff.close()
  note('the closed BFF', stack.bff)
  for (const restore of spies) restore()
  note('console', logged)
  // For each problem one line a minute was printed. These are the other lines.
  const print = (line: string): void => note('line', line)
  for (const event of stack.events) {
    const { note: remember, redact } = createRedactor()
    for (const secret of [API_KEY, CREDENTIAL]) remember(secret)
    createLog({ warn: print, error: print }, systemPlatform.clock, redact)(event)
  }

  const found = [API_KEY, CREDENTIAL, TOKEN].flatMap((secret) =>
    formsOf(secret).flatMap((form) =>
      seen.filter(({ text }) => text.includes(form)).map(({ where }) => ({ where, form })),
    ),
  )
  expect(found).toEqual([])
  expect(seen.length).toBeGreaterThan(200)
  const codes = logged.map(([line]) => /^\[stagepass\] (\w+)/.exec(String(line))?.[1])
  expect(new Set(codes)).toEqual(
    new Set([
      'AUTH_API_KEY_INVALID',
      'AUTHORIZE_FAILED',
      'MEETINGS_CREDENTIAL_REJECTED',
      'SECRET_UNAVAILABLE',
      'UPSTREAM_ERROR',
      'UPSTREAM_MALFORMED',
      'UPSTREAM_TIMEOUT',
      'UPSTREAM_UNREACHABLE',
      'VALIDATION_ERROR',
    ]),
  )
})

describe('S60 what "authorize" throws', () => {
  const SECRETS = {
    apiKey: 'vk_planted+key/0123456789=',
    credential: 'vm_planted+credential/abcdef=',
    userSecret: 'us_planted+secret/0123456789abcdef==',
    renewed: 'vr_planted+renewed/0123456789=',
  }
  const all = Object.values(SECRETS)
  const told = all.flatMap((secret) => [secret, encodeURIComponent(secret), btoa(`api-key ${secret}`)])

  const inMessage = (): Error => new TypeError(told.join(' '))
  const inName = (): Error => Object.assign(new Error('x'), { name: SECRETS.apiKey })
  const inStack = (): Error =>
    Object.assign(new Error('x'), { stack: `Error: x\n    at ${told.join(' ')} (file.js:1:1)` })
  const inCauses = (): Error =>
    new Error(`${SECRETS.apiKey} failed`, { cause: new Error(told.join(), { cause: told.join('|') }) })
  const ofOurClass = (): Error => Object.assign(new Error(told.join(' ')), { name: 'AuthorizeError' })

  it.each(Object.entries({ inMessage, inName, inStack, inCauses, ofOurClass }))(
    'S60 shows no secret that the BFF knows, in development either: %s',
    async (_where, toThrow) => {
      const lines: string[] = []
      const print = (line: string): void => void lines.push(line)
      let fails = false
      let key = SECRETS.apiKey
      await using stack = await startStack({
        emulator: {
          keys: [{ key: SECRETS.renewed }],
          credentials: [{ credential: SECRETS.credential }],
        },
        bff: {
          // The first value is refused, and the function is called again.
          apiKey: () => {
            const value = key
            key = SECRETS.renewed
            return value
          },
          userSecret: SECRETS.userSecret,
          logger: { warn: print, error: print },
          authorize: () => {
            if (fails) throw toThrow()
            return { user: 'ada', meetings: { credential: SECRETS.credential } }
          },
        },
      })
      stack.upstream.use(fail('AUTH_API_KEY_INVALID', { times: 1 }))
      stack.upstream.use(respond({ status: 200, body: tokenBody({}) }, { on: 'token' }))
      stack.upstream.use(fail('AUTH_API_KEY_INVALID', { times: 1, on: 'token' }))
      const minted = await stack.fetch('/session-token', MINT)
      expect(minted.status).toBe(200)
      expect((await stack.fetch('/meetings')).status).toBe(200)
      fails = true
      vi.stubEnv('NODE_ENV', 'development')
      const failed = await stack.fetch('/tags')
      vi.unstubAllEnvs()
      expect(failed.status).toBe(503)
      expect(stack.events.at(-2)?.type).toBe('authorize.failed')
      expect(lines).toHaveLength(1)
      expect(lines[0]).toContain('[hidden]')
      const printed = [
        ...lines,
        await failed.text(),
        JSON.stringify([...failed.headers]),
        ...stack.events.flatMap((event) => [inspect(event, { depth: 12 }), JSON.stringify(event)]),
      ].join('\n')
      expect(all.flatMap(formsOf).filter((form) => printed.includes(form))).toEqual([])
    },
  )
})

it('S18 the search above finds a secret if there is one', () => {
  const secret = 'vk_planted+key/0123456789='
  const forms = formsOf(secret)
  const hidden = [encodeURIComponent(secret), btoa(`api-key ${secret}`), btoa(secret), 'vk_planted+key']
  for (const text of [`x${secret}`, ...hidden]) expect(forms.some((form) => text.includes(form))).toBe(true)
})

it('S20 no upstream text reaches a browser, except for a request id that looks like one', async () => {
  await using stack = await startStack()
  const text = '<b>Call +1 555 0100</b>'
  const UUID = '0B9C2A54-1d3e-4f60-8a71-92b3c4d5e6f7'
  const cases = [
    [UUID, UUID],
    [UUID.replaceAll('-', ''), UUID.replaceAll('-', '')],
    [`${UUID}0`, undefined],
    ['req_12', undefined],
    ['7', undefined],
    [text, undefined],
    [7, undefined],
    ['', undefined],
  ] as const
  for (const [req_id, expected] of cases) {
    const body = { code: 1, error_code: 'BALANCE_EXHAUSTED', message: text, detail: text, req_id }
    stack.upstream.use(respond({ status: 403, body }, { times: 1 }))
    const problem = Problem.parse(await (await stack.fetch('/session-token', MINT)).json())
    expect(problem.req_id).toBe(expected)
    expect(problem.title).toBe(BFF_ERRORS.BALANCE_EXHAUSTED.title)
    expect(JSON.stringify(problem)).not.toContain('+1 555')
  }
})

describe('problems', () => {
  it('type is a URN with the code', async () => {
    await using stack = await startStack()
    const problem = (await (await stack.fetch('/nowhere')).json()) as Problem
    expect(problem.type).toBe('urn:stagepass:error:NOT_FOUND')
  })

  it('each has its own id, which is also in its event', async () => {
    await using stack = await startStack()
    const ids = await Promise.all(
      [1, 2, 3].map(async () => Problem.parse(await (await stack.fetch('/nowhere')).json()).request_id),
    )
    expect(new Set(ids).size).toBe(3)
    const told = stack.events.flatMap((event) => (event.type === 'request.finished' ? [event.requestId] : []))
    expect(told.toSorted()).toEqual(ids.toSorted())
  })

  it('maskAccountErrors hides the account in responses, but not in events', async () => {
    await using stack = await startStack({ bff: { maskAccountErrors: true } })
    for (const code of codesOf(TOKEN_ERRORS).filter(
      (one) => TOKEN_ERRORS[one].status === 401 || TOKEN_ERRORS[one].status === 403,
    )) {
      const shown = code === 'PRODUCT_NOT_ALLOWED' ? code : 'SERVICE_UNAVAILABLE'
      stack.upstream.use(fail(code, { times: 1 }))
      const response = await stack.fetch('/session-token', MINT)
      const { status, retryable } = BFF_ERRORS[shown]
      expect([response.status, await response.json()]).toEqual([
        status,
        expect.objectContaining({ error_code: shown, status, retryable, title: BFF_ERRORS[shown].title }),
      ])
      expect(stack.events.at(-1)).toMatchObject({ type: 'request.finished', status, errorCode: code })
    }
  })

  it('headers that the host has already set are kept', async () => {
    await using stack = await startStack({
      app: (app) => app.use((_req, res, next) => (res.setHeader('X-Frame-Options', 'DENY'), next())),
    })
    const { headers } = await ask(stack, '/tags')
    const expected = { 'x-frame-options': 'DENY', 'cache-control': 'no-store, no-transform' }
    expect(headers).toMatchObject(expected)
  })
})

describe('headers that HTTP asks for', () => {
  it('a 401 has a challenge that opens no window of the browser', async () => {
    await using stack = await startStack()
    stack.grant = null
    const { status, headers } = await stack.fetch('/tags')
    expect([status, headers.get('www-authenticate')]).toEqual([401, 'Session realm="stagepass"'])
  })

  it.each([
    [{ 'content-type': 'text/plain' }, 'accept', 'application/json'],
    [{ 'content-encoding': 'gzip' }, 'accept-encoding', 'identity'],
  ])('a 415 says what is accepted: %j', async (sent, name, accepted) => {
    await using stack = await startStack()
    const { status, headers } = await stack.fetch('/session-token', { ...MINT, headers: sent })
    expect([status, headers.get(name)]).toEqual([415, accepted])
  })
})
