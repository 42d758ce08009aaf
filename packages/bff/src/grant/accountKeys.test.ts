import type { IncomingMessage } from 'node:http'
import type { ApiKeyInput } from '@stagepass/emulator'
import { fail } from '@stagepass/emulator'
import { startStack, type StackOptions } from '@stagepass/testing'
import { virtualClock } from '@stagepass/testing/virtualClock'
import { describe, expect, it, vi } from 'vitest'
import { createBff, type Grant } from '../index.js'
import { readGrant } from './readGrant.js'

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
          await new Promise((resolve) => setTimeout(resolve, 20))
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

  it('S58 a refused key is asked for again by its own customer alone', async () => {
    const calls: string[] = []
    await using stack = await startFor(
      {
        grant: (customer) => ({
          apiKey: () => {
            calls.push(customer)
            return customer === 'acme' && calls.filter((one) => one === 'acme').length === 1
              ? 'vk_expired_0123456789'
              : keyOf(customer)
          },
        }),
      },
      [
        { key: 'vk_expired_0123456789', account: 'acme', state: 'expired' },
        { key: keyOf('acme'), account: 'acme' },
        { key: keyOf('bolt'), account: 'bolt' },
      ],
    )
    const both = await Promise.all(
      ['acme', 'bolt', 'acme'].map((one) => stack.fetch('/session-token', of(one))),
    )
    expect(both.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(calls.toSorted()).toEqual(['acme', 'acme', 'bolt'])
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
    const meetings = { account: 'main', fieldNames: new Set<string>() }
    expect(() => readGrant({ user: 'ada' }, { meetings })).toThrow(
      'The grant has no "apiKey", and the BFF has none in its options. Return "apiKey" and "account" of the user\'s customer, or products: [] for a user without sessions.',
    )
    expect(readGrant({ user: 'ada', products: [] }, { meetings }).key).toBeUndefined()
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
})
