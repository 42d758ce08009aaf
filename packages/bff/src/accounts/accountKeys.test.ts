import type { IncomingMessage } from 'node:http'
import type { ApiKeyInput } from '@stagepass/emulator'
import type { RedisEval } from '@stagepass/budget'
import { SessionTokenResponse } from '@stagepass/contract/schemas'
import { fail, respond } from '@stagepass/emulator'
import { startStack, type StackOptions } from '@stagepass/testing'
import { virtualClock } from '@stagepass/testing/virtualClock'
import { describe, expect, it, vi } from 'vitest'
import { createBff, type Grant } from '../index.js'
import { readGrant } from '../grant/readGrant.js'

const MINT = { json: { usage_type: 'stt' } }
const CUSTOMERS = ['acme', 'bolt', 'coil', 'dune', 'echo', 'flux', 'gale', 'hive', 'iris', 'juno']
const keyOf = (customer: string) => `vk_of_${customer}_0123456789`

/** A server that serves customers with a key each. The header `x-customer` stands for the session. */
function startFor(
  options: StackOptions['bff'] & { grant?: (customer: string) => Partial<Grant> },
  keys?: ApiKeyInput[],
) {
  const { grant, ...bff } = options
  return startStack({
    emulator: { keys: keys ?? CUSTOMERS.map((account) => ({ key: keyOf(account), account })) },
    bff: {
      authorize: ({ headers }: IncomingMessage) => {
        const customer = String(headers['x-customer'])
        return {
          user: `${customer}-ada`,
          account: customer,
          apiKey: () => keyOf(customer),
          ...grant?.(customer),
        }
      },
      ...bff,
    },
  })
}

const of = (customer: string) => ({ ...MINT, headers: { 'x-customer': customer } })
const codeOf = async (response: Response) => ((await response.json()) as { error_code?: string }).error_code

describe('S58 a key of each customer', () => {
  it('S58 300 mints of 10 customers at once: each with the key of its customer', async () => {
    await using stack = await startFor({})
    const customers = Array.from({ length: 300 }, (_, index) => CUSTOMERS[index % 10] ?? '')
    const responses = await Promise.all(customers.map((one) => stack.fetch('/session-token', of(one))))
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
    const used = stack.upstream.requests.map(({ headers }) => headers.authorization)
    for (const one of CUSTOMERS)
      expect(used.filter((value) => value === `api-key ${keyOf(one)}`)).toHaveLength(30)
    const finished = stack.events.filter(({ type }) => type === 'request.finished')
    for (const { user, account } of finished as { user: string; account: string }[])
      expect(user).toBe(`${account}-ada`)
    expect(finished).toHaveLength(300)
  })

  it('S58 one call of the function for all users of a customer at once, and none for another customer', async () => {
    const calls: string[] = []
    await using stack = await startFor({
      grant: (customer) => ({
        apiKey: async () => {
          calls.push(customer)
          await vi.waitFor(() => expect(stack.bff.gauge().inFlight).toBe(40))
          return keyOf(customer)
        },
      }),
    })
    await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        stack.fetch('/session-token', of(index % 2 ? 'acme' : 'bolt')),
      ),
    )
    expect(calls.toSorted()).toEqual(['acme', 'bolt'])
  })

  it('S58 a refused key is asked for again by the newest function of its own customer alone', async () => {
    const calls: string[] = []
    let requests = 0
    await using stack = await startFor(
      {
        grant: (customer) => {
          // Each request brings another closure. Only those of acme's second request and later know the new key.
          if (customer === 'acme') requests += 1
          const key = customer === 'acme' && requests === 1 ? 'vk_expired_0123456789' : keyOf(customer)
          return {
            apiKey: () => {
              calls.push(customer)
              return key
            },
          }
        },
      },
      [
        { key: 'vk_expired_0123456789', account: 'acme', state: 'expired' },
        { key: keyOf('acme'), account: 'acme' },
        { key: keyOf('bolt'), account: 'bolt' },
      ],
    )
    expect((await stack.fetch('/session-token', of('acme'))).status).toBe(502)
    calls.length = 0
    const both = await Promise.all(['acme', 'bolt'].map((one) => stack.fetch('/session-token', of(one))))
    expect(both.map(({ status }) => status)).toEqual([200, 200])
    expect(calls.toSorted()).toEqual(['acme', 'bolt'])
    expect(stack.events).toContainEqual({
      type: 'secret.renewed',
      secret: 'apiKey',
      account: 'acme',
      changed: true,
    })
  })

  it('S58 a secret store that hangs for one customer delays no other, and the line names the account', async () => {
    const lines: string[] = []
    const print = (line: string) => void lines.push(line)
    const clock = virtualClock()
    await using stack = await startFor({
      deadlineMs: 2_000,
      platform: { clock, random: () => 0.5 },
      logger: { warn: print, error: print },
      grant: (customer) => ({
        apiKey: () => (customer === 'acme' ? new Promise<string>(() => {}) : keyOf(customer)),
      }),
    })
    const slow = stack.fetch('/session-token', of('acme'))
    await vi.waitFor(() => expect(stack.bff.gauge().inFlight).toBe(1))
    expect((await stack.fetch('/session-token', of('bolt'))).status).toBe(200)
    clock.jump(2_000)
    expect((await slow).status).toBe(503)
    expect(lines).toEqual([
      expect.stringMatching(
        /^\[stagepass\] SECRET_UNAVAILABLE: "apiKey" cannot be used: .*\(account acme\)$/,
      ),
    ])
    expect((await stack.fetch('/health')).status).toBe(200)
  })

  it.each([
    ['expired', 502, 'AUTH_API_KEY_EXPIRED'],
    ['unlicensed', 502, 'AUTH_NO_LICENSE'],
    ['balanceExhausted', 403, 'BALANCE_EXHAUSTED'],
  ] as const)(
    'S58 a key in the state %s is the problem of its customer alone',
    async (state, status, code) => {
      const lines: string[] = []
      const print = (line: string) => void lines.push(line)
      await using stack = await startFor({ logger: { warn: print, error: print } }, [
        { key: keyOf('acme'), account: 'acme', state },
        { key: keyOf('bolt'), account: 'bolt' },
      ])
      const refused = await stack.fetch('/session-token', of('acme'))
      expect([refused.status, await codeOf(refused)]).toEqual([status, code])
      expect((await stack.fetch('/session-token', of('bolt'))).status).toBe(200)
      expect(lines).toEqual([
        expect.stringMatching(
          new RegExp(`^\\[stagepass\\] ${code}: .*\\(account acme, request [\\da-f-]+\\)$`),
        ),
      ])
      expect((await stack.fetch('/health')).status).toBe(200)
    },
  )

  it('S58 a customer whose requests the service does not answer slows no other', async () => {
    await using stack = await startFor({ deadlineMs: 1_000 })
    stack.upstream.use(fail('CACHE_UNAVAILABLE', { product: 'vt' }))
    const [slow, quick] = await Promise.all([
      stack.fetch('/session-token', { ...of('acme'), json: { usage_type: 'vt' } }),
      stack.fetch('/session-token', of('bolt')),
    ])
    expect([slow.status, quick.status]).toEqual([503, 200])
  })

  it('S58 no event and no line has a key', async () => {
    const lines: string[] = []
    const print = (line: string) => void lines.push(line)
    await using stack = await startFor({
      logger: { warn: print, error: print },
      grant: (customer) => ({
        apiKey: customer === 'acme' ? keyOf('wrong') : () => Promise.reject(new Error(`no ${keyOf('bolt')}`)),
      }),
    })
    for (const one of ['acme', 'bolt']) await stack.fetch('/session-token', of(one))
    expect(lines).toHaveLength(2)
    expect(JSON.stringify([lines, stack.events])).not.toMatch(/vk_of_/)
  })

  it('writes lines for ten accounts a minute, and says that there may be more', async () => {
    const lines: string[] = []
    const print = (line: string) => void lines.push(line)
    await using stack = await startFor({
      logger: { warn: print, error: print },
      grant: () => ({ apiKey: 'vk_wrong_0123456789' }),
    })
    for (let index = 0; index < 15; index += 1) await stack.fetch('/session-token', of(`customer-${index}`))
    expect(lines).toHaveLength(10)
    expect(lines.at(-1)).toContain('More accounts may have it: see the events.')
  })

  it('needs no key in the options if each grant has one, and says so if a grant has none', async () => {
    const addresses = { baseUrl: 'https://api.example.com', streamingUrl: 'wss://stream.example.com' }
    await using bff = createBff({ ...addresses, authorize: () => null })
    expect(bff.gauge().accounts).toBe(1)
    const meetings = { fieldNames: new Set<string>() }
    expect(() => readGrant({ user: 'ada' }, { meetings })).toThrow(
      'The grant has no "apiKey", and the BFF has none in its options. Return "apiKey" and "account" of the user\'s customer, or products: [] for a user without sessions.',
    )
    expect(readGrant({ user: 'ada', products: [] }, { meetings }).apiKey).toBeUndefined()
  })

  it('a key without the name of its account is refused with a remedy', async () => {
    await using stack = await startFor({ grant: () => ({ account: undefined }) })
    const refused = await stack.fetch('/session-token', of('acme'))
    expect([refused.status, await codeOf(refused)]).toEqual([503, 'AUTHORIZE_FAILED'])
    expect(stack.events).toContainEqual(
      expect.objectContaining({
        problem: expect.stringContaining('The grant has "apiKey" but no "account".') as string,
      }),
    )
  })

  it('the account of the key is that of the list too', async () => {
    await using stack = await startFor({ grant: () => ({ meetings: { credential: 'vm_any_0123456789' } }) })
    await stack.fetch('/meetings', { headers: { 'x-customer': 'acme' } })
    expect(stack.bff.gauge().accounts).toBe(2)
  })

  it('S58 a customer may have the name of the common account, and shares nothing with it', async () => {
    await using stack = await startStack({ bff: { meetings: { cacheMs: 0 }, deadlineMs: 2_000 } })
    const { apiKey, meetingsCredential: credential } = stack.upstream
    stack.upstream.use(respond({ status: 429, headers: { 'retry-after': '60' } }, { times: 1 }))
    stack.grant = { user: 'ada', account: 'main', apiKey, meetings: { credential } }
    expect((await stack.fetch('/meetings')).status).toBe(503)
    expect(stack.events).toContainEqual(expect.objectContaining({ type: 'budget.limit', account: 'main' }))
    stack.grant = { user: 'ada', meetings: { credential } }
    expect((await stack.fetch('/meetings')).status).toBe(200)
    // In `meetings` it is the name of the options.
    stack.grant = { user: 'ada', account: 'acme', apiKey, meetings: { credential, account: 'main' } }
    expect((await stack.fetch('/meetings')).status).toBe(200)
    expect(stack.bff.gauge().accounts).toBe(2)
  })

  it('S58 in Redis the customers whose names look like that of the common account have keys of their own', async () => {
    const names = new Set<string>()
    const redis: RedisEval = (_script, [key = '']) => {
      names.add(/\{(.*)\}/.exec(key)?.[1] ?? '')
      return Promise.reject(new Error('down'))
    }
    await using stack = await startFor({
      redis,
      meetings: { account: 'eu:main' },
      grant: () => ({ meetings: { credential: 'mt_customer_0123456789' } }),
    })
    // A list waits for seconds for a budget that Redis has never given. Only what it asks Redis for counts.
    const leaving = new AbortController()
    const lists = ['eu:main', ':eu:main', '::eu:main', ':neu:main', 'main', ':main', 'acme'].map((one) =>
      stack.fetch('/meetings', { headers: { 'x-customer': one }, signal: leaving.signal }),
    )
    await vi.waitFor(() =>
      expect(names).toEqual(
        new Set(['eu:main', ':eu:main', '::eu:main', ':::eu:main', ':neu:main', 'main', ':main', 'acme']),
      ),
    )
    leaving.abort()
    await Promise.allSettled(lists)
  })

  it('S38 users of two customers with one id have minutes, limits and receipts of their own', async () => {
    await using stack = await startFor({
      limits: { tokensPerMinute: 2 },
      grant: () => ({ user: '42', usage: { minutesPerDay: 10 } }),
    })
    const mint = async (customer: string) => stack.fetch('/session-token', of(customer))
    const token = SessionTokenResponse.parse(await (await mint('acme')).json())
    const report = { json: { receipt: token.usage_receipt, used_ms: 0 } }
    const as = (customer: string) => ({ headers: { 'x-customer': customer } })
    const stranger = await stack.fetch('/usage', { ...report, ...as('bolt') })
    expect([stranger.status, await codeOf(stranger)]).toEqual([400, 'VALIDATION_ERROR'])
    // The day of acme's user is used up, that of bolt's is not.
    const refused = await mint('acme')
    expect([refused.status, await codeOf(refused)]).toEqual([403, 'USAGE_EXHAUSTED'])
    expect((await mint('acme')).status).toBe(429)
    expect((await mint('bolt')).status).toBe(200)
    expect((await stack.fetch('/usage', { ...report, ...as('acme') })).status).toBe(200)
    const of42 = stack.events.filter(({ type }) => /^usage|^limit/.test(type))
    expect(of42.map(({ type, account }) => [type, account])).toEqual([
      ['usage.threshold', 'acme'],
      ['usage.exhausted', 'acme'],
      ['limit.exceeded', 'acme'],
      ['usage.threshold', 'bolt'],
      ['usage.settled', 'acme'],
    ])
  })
})
