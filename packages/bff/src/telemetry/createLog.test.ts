import { fail } from '@stagepass/emulator'
import { startStack, type StackOptions } from '@stagepass/testing'
import { virtualClock } from '@stagepass/testing/virtualClock'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ask } from '../ask.test.kit.js'
import { createLog } from './createLog.js'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

const MINT = { method: 'POST', body: '{"usage_type":"stt"}' }
const fromOwnPage = { 'sec-fetch-site': 'same-origin' }

/** Names of the lines that the server prints: level and code. */
async function start(bff: StackOptions['bff'] = {}) {
  const names: string[] = []
  const note = (level: string) => (line: string) =>
    names.push(`${level} ${/^\[stagepass\] ([\w.]+): /.exec(line)?.[1]}`)
  const logger = { warn: note('warn'), error: note('error') }
  return Object.assign(await startStack({ bff: { logger, ...bff } }), { names })
}

function logOf() {
  const lines: string[] = []
  const print = (line: string) => lines.push(line)
  return { lines, log: createLog({ warn: print, error: print }, virtualClock(), (text) => text) }
}

describe('the logger', () => {
  it('is the console by default', async () => {
    const lines: unknown[][] = []
    for (const level of ['warn', 'error'] as const)
      vi.spyOn(console, level).mockImplementation((...line) => void lines.push([level, ...line]))
    await using stack = await startStack({ bff: { logger: undefined, apiKey: 'wrong' } })
    await ask(stack, '/session-token', MINT)
    await ask(stack, '/nowhere')
    expect(lines).toEqual([
      ['error', expect.stringMatching(/^\[stagepass\] AUTH_API_KEY_INVALID: .+ \(request [\da-f-]{36}\)$/)],
      ['warn', expect.stringMatching(/^\[stagepass\] NOT_FOUND: /)],
    ])
  })

  it('prints nothing if it is false', async () => {
    const printed = (['warn', 'error'] as const).map((level) => vi.spyOn(console, level))
    await using stack = await startStack({ bff: { logger: false, apiKey: 'wrong' } })
    await ask(stack, '/session-token', MINT)
    for (const print of printed) expect(print).not.toHaveBeenCalled()
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('the disk is full')
      },
    ],
    ['rejects', () => Promise.reject(new Error('the disk is full'))],
  ])('harms nothing if it %s', async (_what, print) => {
    await using stack = await startStack({
      bff: { logger: { warn: print, error: print }, authorize: () => null },
    })
    expect((await ask(stack, '/tags')).status).toBe(401)
    expect(stack.events.at(-1)).toMatchObject({ type: 'request.finished', status: 401 })
    await new Promise(setImmediate)
  })

  it('is called as a method, as loggers of classes need it', async () => {
    class Logger {
      readonly lines: string[] = []
      warn(line: string) {
        this.lines.push(line)
      }
      error(line: string) {
        this.lines.push(line)
      }
    }
    const logger = new Logger()
    await using stack = await startStack({ bff: { logger, authorize: () => null } })
    await ask(stack, '/tags')
    expect(logger.lines).toHaveLength(1)
  })
})

describe('how often', () => {
  it('each problem once a minute', async () => {
    const clock = virtualClock()
    await using stack = await start({
      platform: { clock },
      apiKey: 'wrong',
      authorize: () => ({ user: 'a' }),
    })
    const mint = async () => void (await ask(stack, '/session-token', MINT))
    const refusal = async () => void (await ask(stack, '/meetings'))
    await mint()
    await mint()
    await refusal()
    expect(stack.names).toEqual(['error AUTH_API_KEY_INVALID', 'warn FORBIDDEN'])
    clock.jump(59_999)
    await mint()
    expect(stack.names).toHaveLength(2)
    clock.jump(1)
    await mint()
    await refusal()
    await mint()
    expect(stack.names.slice(2)).toEqual(['error AUTH_API_KEY_INVALID', 'warn FORBIDDEN'])
  })

  it('each request once: a later event does not repeat the problem', async () => {
    await using stack = await start({ origin: 'https://app.example' })
    const { code } = await ask(stack, '/tags', {
      headers: { ...fromOwnPage, origin: 'https://other.example' },
    })
    expect(code).toBe('CROSS_SITE_BLOCKED')
    expect(stack.names).toEqual(['warn host.misconfigured'])
  })

  it('invented values of a client do not add lines', async () => {
    await using stack = await start()
    for (const [nth, method] of ['PUT', 'PATCH', 'DELETE', 'HEAD', 'POST'].entries()) {
      await ask(stack, `/made-up-${nth}?x${nth}=1`)
      await ask(stack, `/tags?made_up_${'x'.repeat(nth)}=1`)
      await ask(stack, '/tags', { method })
    }
    expect(stack.names).toEqual(['warn NOT_FOUND', 'warn VALIDATION_ERROR', 'warn METHOD_NOT_ALLOWED'])
  })
})

describe('what an operator must act on, in production too', () => {
  it.each<[string, StackOptions['bff'], string]>([
    ['authorize throws', { authorize: () => Promise.reject(new TypeError('x')) }, 'error AUTHORIZE_FAILED'],
    ['authorize returns no grant object', { authorize: () => ({}) as never }, 'error AUTHORIZE_FAILED'],
    ['a key is refused', { apiKey: 'wrong' }, 'error AUTH_API_KEY_INVALID'],
    ['a secret cannot be read', { apiKey: () => Promise.reject(new Error('x')) }, 'error SECRET_UNAVAILABLE'],
    ['origin is wrong', { origin: 'https://app.example' }, 'warn host.misconfigured'],
  ])('%s', async (_what, bff, name) => {
    await using stack = await start(bff)
    vi.stubEnv('NODE_ENV', 'production')
    const headers = { ...fromOwnPage, origin: stack.origin }
    await ask(stack, '/session-token', { ...MINT, headers })
    expect(stack.names).toEqual([name])
  })

  it.each([
    'AUTH_API_KEY_EXPIRED',
    'AUTH_NO_LICENSE',
    'PRODUCT_NOT_ALLOWED',
    'PAYMENT_PAST_DUE',
    'BALANCE_EXHAUSTED',
    'SPEND_CAP_REACHED',
    'USAGE_LIMIT_EXCEEDED',
  ] as const)('%s, also if pages do not see the code', async (code) => {
    await using stack = await start({ maskAccountErrors: true })
    vi.stubEnv('NODE_ENV', 'production')
    stack.upstream.use(fail(code, { on: 'token' }))
    await ask(stack, '/session-token', MINT)
    expect(stack.names).toEqual([`error ${code}`])
  })

  it('a page of this site that was blocked: something removes the header', async () => {
    await using stack = await start()
    vi.stubEnv('NODE_ENV', 'production')
    await ask(stack, '/tags', { headers: { ...fromOwnPage, 'x-stagepass': undefined } })
    expect(stack.names).toEqual(['warn CROSS_SITE_BLOCKED'])
  })

  it('a key that was changed in time is not reported', async () => {
    let calls = 0
    await using stack = await start()
    const { apiKey } = stack.upstream
    await stack.remount({ apiKey: () => (calls++ === 0 ? stack.upstream.keys.expired : apiKey) })
    expect((await ask(stack, '/session-token', MINT)).status).toBe(200)
    expect(stack.events).toContainEqual(expect.objectContaining({ type: 'secret.rejected' }))
    expect(stack.names).toEqual([])
  })
})

describe('why requests were refused', () => {
  const requests = [
    ['/tags', { headers: { 'x-stagepass': undefined } }],
    ['/tags', { headers: { 'sec-fetch-site': 'cross-site' } }],
    ['/tags', { headers: { origin: 'https://other.example' } }],
    ['/session-token', { ...MINT, headers: { cookie: 'a=b' } }],
    ['/session-token', { method: 'POST', body: '{"usage_type":"vt"}' }],
    ['/tags', { headers: { 'x-stagepass-user': 'grace' } }],
    ['/nowhere', {}],
    ['/meetings/none', {}],
    ['/tags', { method: 'POST' }],
    ['/meetings?limit=0', {}],
    ['/session-token', { ...MINT, headers: { 'content-type': 'text/plain' } }],
    ['/session-token', { method: 'POST', body: `{"usage_type":"${'x'.repeat(5_000)}"}` }],
    ['/tags', {}],
    ['/tags', {}],
  ] as const

  const askAll = async (stack: Awaited<ReturnType<typeof start>>) => {
    const { meetingsCredential } = stack.upstream
    stack.grant = { user: 'ada', products: ['stt'], meetings: { credential: meetingsCredential } }
    for (const [path, options] of requests) expect((await ask(stack, path, options)).status).not.toBe(500)
    stack.grant = null
    await ask(stack, '/tags')
  }

  it('is printed in development', async () => {
    await using stack = await start({ limits: { meetingsPerMinute: 5 } })
    await askAll(stack)
    expect(stack.names).toEqual([
      'warn CROSS_SITE_BLOCKED',
      'warn CROSS_SITE_BLOCKED',
      'warn CROSS_SITE_BLOCKED',
      'warn CROSS_SITE_BLOCKED',
      'warn FORBIDDEN',
      'warn USER_CHANGED',
      'warn NOT_FOUND',
      'warn NOT_FOUND',
      'warn METHOD_NOT_ALLOWED',
      'warn VALIDATION_ERROR',
      'warn UNSUPPORTED_MEDIA_TYPE',
      'warn PAYLOAD_TOO_LARGE',
      'warn RATE_LIMITED',
      'warn UNAUTHENTICATED',
    ])
  })

  it('is not printed in production', async () => {
    await using stack = await start({ limits: { meetingsPerMinute: 5 } })
    vi.stubEnv('NODE_ENV', 'production')
    await askAll(stack)
    expect(stack.names).toEqual([])
  })

  it('is not printed where the environment cannot be read', () => {
    const { lines, log } = logOf()
    const { process } = globalThis
    const blocked = { type: 'gate.blocked', reason: 'header', sameOrigin: false } as const
    log({ ...blocked, requestId: 'r1' })
    Object.assign(globalThis, { process: undefined })
    try {
      log({ ...blocked, requestId: 'r2', reason: 'origin' })
    } finally {
      Object.assign(globalThis, { process })
    }
    expect(lines).toEqual([expect.stringContaining('(request r1)')])
  })
})

describe('what "authorize" threw', () => {
  function currentUser(): never {
    throw new TypeError("Cannot read properties\n of undefined (reading 'id')")
  }
  const lineOf = async (mode: string) => {
    const lines: string[] = []
    const print = (line: string) => lines.push(line)
    await using stack = await startStack({
      bff: { logger: { warn: print, error: print }, authorize: currentUser },
    })
    vi.stubEnv('NODE_ENV', mode)
    expect(await ask(stack, '/tags')).toMatchObject({ status: 503, code: 'AUTHORIZE_FAILED' })
    return lines.join('\n')
  }

  it('is in the line for a developer, with its place in the code', async () => {
    expect(await lineOf('development')).toMatch(
      /^\[stagepass\] AUTHORIZE_FAILED: "authorize" threw\. .+ TypeError: Cannot read properties of undefined \(reading 'id'\) at .*currentUser .*\(.+createLog\.test\.ts:\d+:\d+\) \(request /,
    )
  })

  it('is not in the line for an operator, except for its class', async () => {
    const line = await lineOf('production')
    expect(line).toContain('Its class is TypeError.')
    expect(line).not.toMatch(/Cannot read|createLog/)
  })
})
