import { createEmulator, respond, fail } from '@stagepass/emulator'
import { startStack } from '@stagepass/testing'
import { describe, expect, it, vi } from 'vitest'
import { BffError } from '../base/BffError.js'
import { createBff as createFetchBff } from '../hosts/fetch/index.js'
import { type BffOptions, createBff } from '../index.js'
import { virtualClock } from '@stagepass/testing/virtualClock'
import { sameText } from '../base/sameText.js'
import { createSecretReader, SECRET_FRESH_MS } from './createSecretReader.js'
import { type Secret, secretProblem } from '../base/Secret.js'

const MINT = { json: { usage_type: 'stt' } }
const good = {
  baseUrl: 'https://api.example.com',
  streamingUrl: 'wss://stream.example.com',
  authorize: () => null,
}

describe('S13 secrets that a header cannot contain', () => {
  const bad = [' vk7', 'vk7 ', 'vk7\n', 'vk\r7', 'vk\u00007', 'vk7\u007f', 'vké7', 'vk\u200b7', '\tvk7', '']

  it.each(bad)('S13 %j is refused at creation, in a message without it', (apiKey) => {
    const create = () => createBff({ ...good, apiKey })
    expect(create).toThrow(
      /^Failed to create the BFF: "apiKey" cannot be used: it .*\. Pass the key as the developer portal shows it, or a function that returns it; is its environment variable set\?$/,
    )
    expect(create).not.toThrow(apiKey || 'nothing to find')
  })

  it.each([...bad, null, 7])('S13 %j is refused from a function, at the call', async (apiKey) => {
    await using stack = await startStack({ bff: { apiKey: () => apiKey as string } })
    const response = await stack.fetch('/session-token', MINT)
    const problem = { status: 503, error_code: 'SECRET_UNAVAILABLE', retryable: true }
    expect(await response.json()).toMatchObject(problem)
    expect(stack.upstream.requests).toEqual([])
    const event = { type: 'secret.failed', secret: 'apiKey', problem: expect.stringMatching(/^it /) }
    expect(stack.events).toContainEqual(event)
  })

  it('S13 a missing key names its remedy', () => {
    expect(() => createBff({ ...good, apiKey: undefined })).toThrow(
      'Failed to create the BFF: "apiKey" cannot be used: it is missing. Pass the key as the developer portal shows it, or a function that returns it; is its environment variable set?',
    )
    expect(() => createBff({ ...good, apiKey: 7 as unknown as BffOptions['apiKey'] })).toThrow(
      'it is a number, not a string',
    )
  })

  const REASONS: readonly (readonly [string, string])[] = [
    [
      'vk7\n',
      'it begins or ends with a line break, as the text of a file does: remove it, such as with trim()',
    ],
    [' vk7', 'it begins or ends with white space: remove it, such as with trim()'],
    ['"vk7"', 'it is in quotation marks, which docker --env-file keeps: write it without them'],
    ["'vk7", 'it begins or ends with a quotation mark: write it without'],
    ...['Bearer vk7', 'bearer vk7', 'api-key vk7', 'Authorization: api-key vk7'].map(
      (key) =>
        [
          key,
          'it begins with the scheme of a header ("Bearer", "api-key"): write only what follows, because the BFF adds the scheme',
        ] as const,
    ),
  ]

  it.each(REASONS)('S13 %j is refused with what was seen, and what to write', async (key, problem) => {
    expect(() => createBff({ ...good, apiKey: key })).toThrow(`"apiKey" cannot be used: ${problem}. Pass`)
    const lines: string[] = []
    const print = (line: string) => lines.push(line)
    await using stack = await startStack({
      bff: { apiKey: () => key, logger: { warn: print, error: print } },
    })
    await stack.fetch('/session-token', MINT)
    stack.grant = { user: 'ada', meetings: { credential: key } }
    await stack.fetch('/tags')
    stack.grant = { user: 'ada', meetings: { credential: () => key } }
    await stack.fetch('/tags')
    expect(stack.upstream.requests).toEqual([])
    expect(stack.events).toContainEqual({ type: 'secret.failed', secret: 'apiKey', problem })
    expect(lines).toEqual([
      expect.stringContaining(`SECRET_UNAVAILABLE: "apiKey" cannot be used: ${problem}.`),
      expect.stringContaining(
        `AUTHORIZE_FAILED: The grant's "meetings.credential" cannot be used: ${problem}.`,
      ),
      expect.stringContaining(`SECRET_UNAVAILABLE: "meetings.credential" cannot be used: ${problem}.`),
    ])
    expect(lines.join()).not.toContain('vk7')
  })

  it('S13 accepts what a header can contain', () => {
    for (const secret of ['k', 'vk_live_1+/=', 'two words', 'bearer', 'api-key-1', 'tokens', '!~'])
      expect(secretProblem(secret)).toBeUndefined()
  })
})

it.each<[form: string, of: (secret: string) => Secret]>([
  ['a text', (secret) => secret],
  ['a function', (secret) => () => secret],
  ['a function that returns white space around it', (secret) => () => ` ${secret}\n`],
])('S60 a secret that came as %s is in no line of the log, if code of the host throws it', async (_, of) => {
  const secrets = ['kx93-of-the-customer', 'm7q-of-the-user']
  const lines: string[] = []
  const print = (line: string) => void lines.push(line)
  let hasExpired = false
  await using stack = await startStack({
    bff: {
      logger: { warn: print, error: print },
      authorize: () => {
        if (hasExpired) throw new Error(`no session for ${secrets.join(' and ')}`)
        const [apiKey = '', credential = ''] = secrets.map(of)
        return { user: 'ada', account: 'acme', apiKey, meetings: { credential } }
      },
    },
  })
  await stack.fetch('/session-token', MINT)
  await stack.fetch('/tags')
  hasExpired = true
  await stack.fetch('/tags')
  expect(lines.at(-1)).toContain('no session for [hidden] and [hidden]')
})

describe('S24 comparing secrets', () => {
  it('S24 compares the same number of characters, wherever the difference is and however long the secret is', () => {
    const looks = (secret: string): number => {
      let count = 0
      const counted = (text: string) =>
        ({
          length: text.length,
          charCodeAt: (at: number) => ((count += 1), text.charCodeAt(at)),
        }) as unknown as string
      sameText(counted('sk_0123456789'), counted(secret))
      return count
    }
    const secrets = [
      'sk_0123456789',
      'Xk_0123456789',
      'sk_012X456789',
      'sk_012345678X',
      '',
      's',
      'sk_0123456789 and more',
    ]
    for (const secret of secrets) expect([secret, looks(secret)]).toEqual([secret, 26])
  })

  it.each([
    ['a', 'a', true],
    ['', '', true],
    ['a', 'b', false],
    ['a', '', false],
    ['', 'a', false],
    ['a', 'aa', false],
    ['aa', 'a', false],
    ['a\0', 'a', false],
    ['\0', '', false],
  ])('S24 %j and %j: %s', (one, other, same) => {
    expect(sameText(one, other)).toBe(same)
  })
})

describe('S25 a secret provider', () => {
  const readerOf = (secret: () => string | Promise<string>, events: unknown[] = []) => {
    const clock = virtualClock()
    const emit = (event: unknown) => void events.push(event)
    const reader = createSecretReader({
      name: 'apiKey',
      secret,
      timeoutMs: 100,
      clock,
      emit,
      hold: (work) => work,
      note: () => undefined,
    })
    return { clock, events, reader, read: async () => reader.read(new AbortController().signal) }
  }

  it('S25 is called single-flight', async () => {
    let calls = 0
    await using stack = await startStack({
      bff: {
        apiKey: async () => {
          calls += 1
          await vi.waitFor(() => expect(stack.bff.gauge().inFlight).toBe(10))
          return stack.upstream.apiKey
        },
      },
    })
    const responses = await Promise.all(Array.from({ length: 10 }, () => stack.fetch('/session-token', MINT)))
    expect(responses.every(({ status }) => status === 200)).toBe(true)
    expect(calls).toBe(1)
  })

  it('S25 has a time limit', async () => {
    const { clock, read, events } = readerOf(() => new Promise(() => undefined))
    const reading = read()
    await Promise.resolve()
    clock.jump(100)
    await expect(reading).rejects.toMatchObject({ code: 'SECRET_UNAVAILABLE' })
    expect(events).toEqual([
      { type: 'secret.failed', secret: 'apiKey', problem: 'its function took longer than 100 ms' },
    ])
  })

  it('S25 is called again after a failure', async () => {
    const values = [Promise.reject(new Error('down')), 'key']
    const { read } = readerOf(() => values.shift() ?? '')
    await expect(read()).rejects.toBeInstanceOf(BffError)
    expect(await read()).toBe('key')
  })

  it('S25 its value is used for a minute, and then until a new one has arrived', async () => {
    let calls = 0
    const { clock, read } = readerOf(async () => `key-${(calls += 1)}`)
    expect(await read()).toBe('key-1')
    clock.jump(SECRET_FRESH_MS - 1)
    expect([await read(), calls]).toEqual(['key-1', 1])
    clock.jump(1)
    expect(await read()).toBe('key-1')
    await vi.waitFor(async () => expect(await read()).toBe('key-2'))
    expect(calls).toBe(2)
  })

  it('S25 a call that began before the refusal may have the old value, so it is called once more', async () => {
    const { signal } = new AbortController()
    const answers: (() => void)[] = []
    let vault = 'old'
    const { clock, reader, events } = readerOf(() => {
      const value = vault
      return new Promise((resolve) => answers.push(() => resolve(value)))
    })
    const answer = async () => {
      await vi.waitFor(() => expect(answers).toHaveLength(1))
      answers.pop()?.()
    }
    const first = reader.read(signal)
    await answer()
    expect(await first).toBe('old')
    clock.jump(SECRET_FRESH_MS)
    // The call of this minute reads the vault just before the rotation.
    expect(await reader.read(signal)).toBe('old')
    await vi.waitFor(() => expect(answers).toHaveLength(1))
    vault = 'new'
    const renewed = Promise.all([reader.renew('old', signal), reader.renew('old', signal)])
    await answer()
    await answer()
    expect(await renewed).toEqual(['new', 'new'])
    expect(answers).toEqual([])
    expect(events).toContainEqual({ type: 'secret.renewed', secret: 'apiKey', changed: true })
  })

  it('S25 its last value is used while it fails, and the function is called once a minute', async () => {
    const failed = { type: 'secret.failed', secret: 'apiKey', problem: 'its function threw' }
    const values = ['key']
    const events: unknown[] = []
    const { clock, read } = readerOf(() => {
      const value = values.shift()
      if (value === undefined) throw new Error('vault down')
      return value
    }, events)
    await read()
    expect(clock.timers).toBe(0)
    for (const failures of [1, 2]) {
      clock.jump(SECRET_FRESH_MS)
      expect(await read()).toBe('key')
      await clock.settle()
      expect(await read()).toBe('key')
      await clock.settle()
      expect(events).toEqual(Array.from({ length: failures }, () => failed))
    }
  })

  it.each(['AUTH_API_KEY_INVALID', 'AUTH_API_KEY_EXPIRED'] as const)(
    'S25 is called again once at %s, and the request is sent again',
    async (code) => {
      const given: string[] = []
      await using stack = await startStack({
        bff: {
          apiKey: () => {
            const key = given.length === 0 ? stack.upstream.keys.expired : stack.upstream.apiKey
            given.push(key)
            return key
          },
        },
      })
      stack.upstream.use(fail(code, { times: 1 }))
      expect((await stack.fetch('/session-token', MINT)).status).toBe(200)
      expect(given).toHaveLength(2)
      expect(stack.upstream.requests).toHaveLength(2)
      expect(stack.events).toContainEqual({ type: 'secret.rejected', secret: 'apiKey', errorCode: code })
    },
  )

  it.each([
    ['at first', 0],
    ['after a refusal', 1],
  ])('S25 a deadline that ends while it is called %s names the secret', async (_when, refusals) => {
    const clock = virtualClock()
    let calls = 0
    await using stack = await startStack({
      bff: {
        deadlineMs: 2_000,
        platform: { clock, random: () => 0 },
        // Half of the time is over before the function is called.
        authorize: () => new Promise((resolve) => clock.after(1_000, () => resolve({ user: 'ada' }))),
        apiKey: () => ((calls += 1) > refusals ? new Promise(() => {}) : stack.upstream.keys.expired),
      },
    })
    const { timers } = clock
    const response = stack.fetch('/session-token', MINT)
    await vi.waitFor(() => expect(clock.timers).toBeGreaterThan(timers + 1))
    clock.jump(1_000)
    await vi.waitFor(() => expect(calls).toBe(refusals + 1))
    clock.jump(1_000)
    expect(await (await response).json()).toMatchObject({ status: 503, error_code: 'SECRET_UNAVAILABLE' })
  })

  it('S25 without a listener and a log, it is called again after a failure and after a refusal too', async () => {
    await using upstream = await createEmulator()
    const values = [undefined, upstream.keys.expired, upstream.apiKey]
    const bff = createFetchBff({
      ...upstream.bffOptions,
      apiKey: () => values.shift() ?? Promise.reject(new Error('down')),
      logger: false,
      authorize: () => ({ user: 'ada' }),
    })
    const mint = async () => {
      const headers = { 'x-stagepass': '1', 'content-type': 'application/json' }
      const init = { method: 'POST', headers, body: JSON.stringify(MINT.json) }
      return (await bff.fetch(new Request('https://app.example/session-token', init))).status
    }
    expect([await mint(), await mint()]).toEqual([503, 200])
    await bff.close()
  })

  it('S25 at most one repetition, whatever it returns', async () => {
    let calls = 0
    await using stack = await startStack({ bff: { apiKey: () => `wrong-${(calls += 1)}` } })
    const response = await stack.fetch('/session-token', MINT)
    const problem = { status: 502, error_code: 'AUTH_API_KEY_INVALID', retryable: false }
    expect(await response.json()).toMatchObject(problem)
    expect([calls, stack.upstream.requests.length]).toEqual([2, 2])
  })

  it('S25 no repetition if it returns the same value, for a plain string or for another code', async () => {
    let calls = 0
    await using stack = await startStack({ bff: { apiKey: () => ((calls += 1), 'wrong') } })
    expect((await stack.fetch('/session-token', MINT)).status).toBe(502)
    expect([calls, stack.upstream.requests.length]).toEqual([2, 1])
    await stack.remount({ apiKey: 'wrong' })
    expect((await stack.fetch('/session-token', MINT)).status).toBe(502)
    expect(stack.upstream.requests).toHaveLength(2)
    await stack.remount({ apiKey: () => ((calls += 1), stack.upstream.keys.unlicensed) })
    expect((await stack.fetch('/session-token', MINT)).status).toBe(502)
    expect([calls, stack.upstream.requests.length]).toEqual([3, 3])
  })

  it('S25 many requests that are refused at once cause one call', async () => {
    let calls = 0
    await using stack = await startStack({
      bff: { apiKey: async () => ((calls += 1) === 1 ? stack.upstream.keys.expired : stack.upstream.apiKey) },
    })
    const responses = await Promise.all(Array.from({ length: 8 }, () => stack.fetch('/session-token', MINT)))
    expect(responses.every(({ status }) => status === 200)).toBe(true)
    expect(calls).toBe(2)
  })

  it('S25 a meetings credential is renewed, and its request repeated, in the same way', async () => {
    await using stack = await startStack()
    const given: string[] = []
    const credential = () => {
      given.push(given.length === 0 ? 'vm_old' : stack.upstream.meetingsCredential)
      return given.at(-1) ?? ''
    }
    stack.grant = { user: 'ada', meetings: { credential } }
    expect((await stack.fetch('/meetings')).status).toBe(200)
    expect(stack.upstream.requests.map(({ status }) => status)).toEqual([401, 200])
    expect(given).toHaveLength(2)
    // The function is the same one, so its new value is remembered.
    expect((await stack.fetch('/tags')).status).toBe(200)
    expect(given).toHaveLength(2)
  })

  it('S25 a refused credential that stays refused is final', async () => {
    await using stack = await startStack()
    stack.upstream.use(respond({ status: 403 }))
    const response = await stack.fetch('/meetings')
    const problem = { status: 502, error_code: 'MEETINGS_CREDENTIAL_REJECTED', retryable: false }
    expect(await response.json()).toMatchObject(problem)
    expect(stack.upstream.requests).toHaveLength(1)
  })
})
