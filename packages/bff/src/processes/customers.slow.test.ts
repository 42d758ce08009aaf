import { once } from 'node:events'
import { SessionTokenResponse } from '@stagepass/contract/schemas'
import { createEmulator } from '@stagepass/emulator'
import { startRedis } from '@stagepass/testing'
import { virtualClock } from '@stagepass/testing/virtualClock'
import { expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { createBff } from '../hosts/fetch/index.js'
import type { BffEvent } from '../index.js'

const USERS = 5_000
const CUSTOMERS = Array.from({ length: 40 }, (_, nth) => `customer-${nth}`)
const MINUTE_MS = 60_000
const JANUARY_30 = Date.parse('2030-01-30T12:00:00Z')
/** How often a user of the same customer was there before. */
const turnOf = (user: number): number => Math.floor(user / CUSTOMERS.length)
/** One user in ten of each customer never reports. */
const isSilent = (user: number): boolean => turnOf(user) % 10 === 0
const CAPPED = CUSTOMERS.slice(0, 4)
const ROTATED = CUSTOMERS.slice(4, 20)
const REVOKED = 'customer-20'
const REMOVED = ['customer-21', 'customer-22']

/** Redis has no clock for tests: this makes everything in it older. */
const GROW_OLDER = `for _, key in ipairs(redis.call('KEYS', '*')) do
  local left = redis.call('PTTL', key) - ARGV[1]
  if left > 0 then redis.call('PEXPIRE', key, left) elseif left > -ARGV[1] then redis.call('DEL', key) end
end`

/** The key of a customer: `vk_customer-7_2` is its second one. */
const keyName = (customer: string, nth: number): string => `vk_${customer}_${nth}`

interface Call {
  readonly user: number
  readonly token: SessionTokenResponse
  readonly socket: WebSocket
  readonly id: string
  readonly endMinute: number
}

it('an hour of 40 customers over four instances: each minute is in the sum of its customer alone', async () => {
  await using server = await startRedis()
  const client = await server.connect()
  const clock = virtualClock()
  const startMs = clock.now()
  const wallNow = (): number => JANUARY_30 + clock.now() - startMs
  await using upstream = await createEmulator({
    now: wallNow,
    keys: CUSTOMERS.flatMap((account) => [1, 2].map((nth) => ({ key: keyName(account, nth), account }))),
  })
  const keys = new Map(CUSTOMERS.map((customer) => [customer, keyName(customer, 1)]))
  const customerOf = (user: number): string => CUSTOMERS[user % CUSTOMERS.length] ?? ''
  const events: BffEvent[] = []
  const instances = [1, 2, 3, 4].map(() =>
    createBff({
      baseUrl: upstream.baseUrl,
      streamingUrl: upstream.streamingUrl,
      meetings: { baseUrl: upstream.meetingsUrl },
      redis: (script, names, args) =>
        clock.track(client.eval(script, { keys: [...names], arguments: args.map(String) })),
      userSecret: 'a secret that all of the instances have',
      logger: false,
      platform: { clock, wallNow },
      onEvent: (event) => void events.push(event),
      authorize: ({ headers }) => {
        const user = Number(headers.get('x-user'))
        const account = customerOf(user)
        return {
          user: `user ${user}`,
          account,
          apiKey: () => keys.get(account) ?? '',
          maxTtlMinutes: 10,
          usage: {},
          accountUsage: CAPPED.includes(account) ? { minutesPerMonth: 200 } : undefined,
        }
      },
    }),
  )
  const send = async (turn: number, user: number, path: string, body: object): Promise<[number, unknown]> => {
    const headers = { 'x-stagepass': '1', 'x-user': String(user), 'content-type': 'application/json' }
    const request = new Request(`https://app.example${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    const response = await instances[turn % instances.length]?.fetch(request)
    return [response?.status ?? 0, await response?.json()]
  }
  const refused = new Map<string, number>()

  async function begin(user: number, minute: number): Promise<Call | undefined> {
    const [status, body] = await send(user + minute, user, '/session-token', { usage_type: 'stt' })
    if (status !== 200) {
      const { error_code } = body as { error_code: string }
      const name = `${customerOf(user)} ${error_code}`
      refused.set(name, (refused.get(name) ?? 0) + 1)
      return undefined
    }
    const token = SessionTokenResponse.parse(body)
    const authorization = encodeURIComponent(`api-key ${token.session_key}`)
    const socket = new WebSocket(`${token.stream_url}?authorization=${authorization}`)
    await once(socket, 'open')
    const live = upstream.sockets.find(({ sessionKey }) => sessionKey === token.session_key)
    return { user, token, socket, id: live?.id ?? '', endMinute: minute + 1 + (turnOf(user) % 4) }
  }

  const ended: Call[] = []
  async function end(call: Call, minute: number): Promise<void> {
    call.socket.close()
    await once(call.socket, 'close')
    // The emulator has seen the end too.
    await expect.poll(() => upstream.sockets.some(({ id }) => id === call.id)).toBe(false)
    ended.push(call)
    if (isSilent(call.user)) return
    const used_ms = upstream.billedMs()[call.id]
    // In the instance after that of the mint.
    const report = { receipt: call.token.usage_receipt, used_ms }
    const [status] = await send(call.user + minute + 1, call.user, '/usage', report)
    expect(status).toBe(200)
  }

  const tokensOf = (customer: string): number =>
    upstream.tokens.all().filter(({ account }) => account === customer).length
  const removed = new Map<string, number>()
  let open: Call[] = []
  for (let minute = 0; minute < 60; minute += 1) {
    if (minute === 20)
      for (const customer of ROTATED) {
        keys.set(customer, keyName(customer, 2))
        upstream.apiKeys.update(keyName(customer, 1), { state: 'invalid' })
      }
    if (minute === 25) upstream.apiKeys.update(keyName(REVOKED, 1), { state: 'invalid' })
    const ready = open.filter(({ endMinute }) => endMinute <= minute)
    open = open.filter(({ endMinute }) => endMinute > minute)
    for (const call of ready) await end(call, minute)
    // All customers go on while one is removed, also this one with its old key.
    const leaving = minute === 30 ? REMOVED[0] : minute === 40 ? REMOVED[1] : undefined
    const wait = { isOver: leaving === undefined }
    const forgotten = leaving && instances[0]?.forget({ account: leaving }).then(() => (wait.isOver = true))
    const until = Math.ceil((USERS * (minute + 1)) / 60)
    for (let first = Math.ceil((USERS * minute) / 60); first < until; first += 20) {
      const some = Array.from({ length: Math.min(20, until - first) }, (_, nth) => first + nth)
      const calls = await Promise.all(some.map((user) => begin(user, minute)))
      open.push(...calls.filter((call) => call !== undefined))
    }
    while (!wait.isOver) await clock.advance(1_000)
    await forgotten
    if (leaving !== undefined) removed.set(leaving, tokensOf(leaving))
    const restMs = startMs + (minute + 1) * MINUTE_MS - clock.now()
    await clock.advance(restMs)
    await client.eval(GROW_OLDER, { arguments: [String(MINUTE_MS)] })
  }
  for (const call of open) await end(call, 60)
  // The tokens without a report expire.
  for (let minute = 0; minute < 12; minute += 1) {
    await clock.advance(MINUTE_MS)
    await client.eval(GROW_OLDER, { arguments: [String(MINUTE_MS)] })
  }

  const billed = upstream.billedMs()
  const lifeOf = ({ token }: Call): number => {
    const { issuedAtMs = 0, expiresAtMs = 0 } = upstream.tokens.get(token.session_key) ?? {}
    return expiresAtMs - issuedAtMs
  }
  const rows = await Promise.all(
    CUSTOMERS.map(async (customer) => {
      const days = await instances[0]?.usage({ account: customer, from: '2030-01-30', to: '2030-01-30' })
      const calls = ended.filter(({ user }) => customerOf(user) === customer)
      const silent = calls.filter(({ user }) => isSilent(user))
      const sumOf = (some: readonly Call[]): number =>
        some.reduce((sum, { id }) => sum + (billed[id] ?? 0), 0)
      const reportedMs = sumOf(calls) - sumOf(silent)
      return {
        customer,
        countedMs: days?.reduce((sum, { usedMs }) => sum + usedMs, 0),
        // A token without a report counts with its whole life.
        expectedMs: reportedMs + silent.reduce((sum, call) => sum + lifeOf(call), 0),
        tokens: tokensOf(customer) - calls.length,
      }
    }),
  )
  const refusals = [...refused.values()].reduce((sum, count) => sum + count, 0)
  expect(ended.length + refusals).toBe(USERS)
  const all = rows.reduce((sum, { countedMs = 0 }) => sum + countedMs, 0)
  const billedMs = Object.values(billed).reduce((sum, ms) => sum + ms, 0)
  process.stdout.write(
    `${ended.length} calls, ${billedMs / MINUTE_MS} min billed, ${all / MINUTE_MS} min counted, ${refusals} refused\n`,
  )
  expect(rows.map(({ countedMs }) => countedMs)).toEqual(rows.map(({ expectedMs }) => expectedMs))
  expect(rows.filter(({ tokens }) => tokens !== 0)).toEqual([])
  // No token for a removed customer after `forget` resolved, and refusals are of these customers alone.
  for (const customer of REMOVED) expect(tokensOf(customer)).toBe(removed.get(customer))
  const codes = new Map([
    ...CAPPED.map((customer) => [customer, 'ACCOUNT_USAGE_EXHAUSTED'] as const),
    [REVOKED, 'AUTH_API_KEY_INVALID'],
    ...REMOVED.map((customer) => [customer, 'ENDED_BY_SERVER'] as const),
  ])
  expect([...refused.keys()].toSorted()).toEqual([...codes].map((row) => row.join(' ')).toSorted())
  const countOf = (type: string): number => events.filter((event) => event.type === type).length
  expect([countOf('token.minted'), countOf('usage.settled')]).toEqual([ended.length, ended.length])
  // At 80 and at 100 % of a month.
  expect(countOf('usage.threshold')).toBe(2 * CAPPED.length)
  const anonymous = events.filter((event) => !('account' in event && event.account !== undefined))
  expect(new Set(anonymous.map(({ type }) => type))).toEqual(new Set())
  for (const instance of instances) await instance.close()
})
