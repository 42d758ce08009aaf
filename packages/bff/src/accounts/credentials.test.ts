import { virtualClock } from '@stagepass/testing/virtualClock'
import { describe, expect, it } from 'vitest'
import type { Secret } from '../base/Secret.js'
import { readOptions } from '../settings/readOptions.js'
import { createAccounts } from './createAccounts.js'
import { memoryRegister } from './accountOf.test.kit.js'
import { SECRET_FRESH_MS, type SecretReader } from './createSecretReader.js'

/** Reads the two secrets of grants, as requests do. */
function setUp() {
  const clock = virtualClock()
  const settings = readOptions({
    baseUrl: 'https://a.example',
    streamingUrl: 'wss://a.example',
    authorize: () => null,
    platform: { clock },
  })
  const emit = undefined
  const accounts = createAccounts({
    userName: ({ user }) => user,
    register: memoryRegister(),
    settings,
    emit,
    hold: (work) => work,
    note: () => undefined,
  })
  const accountOf = (account?: string) => accounts.of({ account }).account
  const read = async (reader: SecretReader | undefined) => reader?.read(new AbortController().signal)
  return {
    clock,
    accountOf,
    key: (account: string, secret: Secret) => read(accountOf(account).keyOf(secret)),
    credential: (user: string, secret: Secret, account?: string) =>
      read(accountOf(account).credentialOf(secret, user)),
  }
}

describe('S58 a secret by a function', () => {
  it.each(['key', 'credential'] as const)('S58 the newest function of the %s is called', async (kind) => {
    const { clock, ...reads } = setUp()
    const read = (secret: Secret) =>
      kind === 'key' ? reads.key('acme', secret) : reads.credential('ada', secret, 'acme')
    expect(await read(() => 'first')).toBe('first')
    // Another closure of the same secret, with the session of another request.
    expect(await read(() => 'second')).toBe('first')
    clock.jump(SECRET_FRESH_MS)
    expect(await read(() => 'third')).toBe('first')
    await clock.settle()
    expect(await read(() => 'fourth')).toBe('third')
  })

  it.each(['key', 'credential'] as const)(
    'S58 the newest function of the %s is called after a refusal',
    async (kind) => {
      const { accountOf } = setUp()
      const readerOf = (secret: Secret) =>
        kind === 'key' ? accountOf('acme').keyOf(secret) : accountOf('acme').credentialOf(secret, 'ada')
      const { signal } = new AbortController()
      const first = readerOf(() => 'old')
      expect(await first?.read(signal)).toBe('old')
      readerOf(() => 'new')
      expect(await first?.renew('old', signal)).toBe('new')
    },
  )

  it('S58 one call for each account, and for each user of a credential', async () => {
    const { key, credential } = setUp()
    const calls: string[] = []
    const call = (name: string) => () => {
      calls.push(name)
      return name
    }
    for (let round = 0; round < 2; round += 1) {
      for (const account of ['acme', 'globex']) {
        expect(await key(account, call(`key of ${account}`))).toBe(`key of ${account}`)
        for (const user of ['ada', 'bob'])
          expect(await credential(user, call(`${user} of ${account}`), account)).toBe(`${user} of ${account}`)
      }
    }
    expect(calls).toEqual([...new Set(calls)])
    expect(calls).toHaveLength(6)
  })

  it('a plain string is used as it is', async () => {
    const { key, credential } = setUp()
    for (const value of ['one', 'other']) {
      expect(await key('acme', value)).toBe(value)
      expect(await credential('ada', value)).toBe(value)
    }
    expect(await key('acme', () => 'by a function')).toBe('by a function')
  })
})

it('S27 calls the secret store once for each of 10,000 users', async () => {
  const { credential } = setUp()
  let calls = 0
  const secretOf = (user: string) => () => {
    calls += 1
    return `key-of-${user}`
  }
  for (let round = 0; round < 2; round += 1)
    for (let user = 0; user < 10_000; user += 1)
      expect(await credential(`u${user}`, secretOf(`u${user}`))).toBe(`key-of-u${user}`)
  expect(calls).toBe(10_000)
})

it('S27 keeps the users who return, while 20,000 others come once', async () => {
  const { credential } = setUp()
  const asked: string[] = []
  const read = (user: string) =>
    credential(user, () => {
      asked.push(user)
      return `key-of-${user}`
    })
  for (let other = 0; other < 20_000; other += 1) {
    await read(`once${other}`)
    await read(`regular${other % 1_000}`)
  }
  expect(asked.filter((user) => user.startsWith('regular'))).toHaveLength(1_000)
  await read('once0')
  expect(asked.filter((user) => user === 'once0')).toHaveLength(2)
})

it('S21 a number of a credential is equal for equal values of one account', () => {
  const { accountOf } = setUp()
  const numbers = ['one', 'other', 'one'].map((value) => accountOf('acme').numberOf(value))
  expect(numbers[0]).toBe(numbers[2])
  expect(numbers[0]).not.toBe(numbers[1])
})
