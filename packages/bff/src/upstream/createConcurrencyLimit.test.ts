import { expect, it } from 'vitest'
import type { Account } from '../accounts/Account.js'
import { accountOf } from '../accounts/accountOf.test.kit.js'
import { createConcurrencyLimit } from './createConcurrencyLimit.js'

const [acme, bolt, coil] = [accountOf('acme'), accountOf('bolt'), accountOf('coil')]
const { signal } = new AbortController()

/** A limit, with requests that the test ends. `sent` has the names of those that have passed, in order. */
function setUp(bounds = { ofAccount: 2, ofAll: 4 }) {
  const limit = createConcurrencyLimit(bounds)
  const sent: string[] = []
  const ends = new Map<string, { end: () => void; fail: (reason: unknown) => void }>()
  const send = (account: Account, name: string, until = signal) =>
    limit.send(account, until, () => {
      sent.push(name)
      return new Promise<void>((end, fail) => ends.set(name, { end, fail }))
    })
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  return {
    sent,
    send,
    settle,
    end: async (name: string) => {
      ends.get(name)?.end()
      await settle()
    },
    fail: (name: string, reason: Error) => ends.get(name)?.fail(reason),
  }
}

it('S65 an account has a part of the connections, and its other requests wait in order', async () => {
  const { sent, send, settle, end } = setUp()
  for (const name of ['1', '2', '3', '4']) void send(acme, `acme ${name}`)
  void send(bolt, 'bolt 1')
  await settle()
  expect(sent).toEqual(['acme 1', 'acme 2', 'bolt 1'])
  await end('bolt 1')
  expect(sent).toHaveLength(3)
  await end('acme 2')
  expect(sent.slice(3)).toEqual(['acme 3'])
  await end('acme 1')
  expect(sent.slice(4)).toEqual(['acme 4'])
})

it('S65 if all connections are in use, accounts take turns, however many requests of one wait', async () => {
  const { sent, send, settle, end } = setUp({ ofAccount: 2, ofAll: 2 })
  for (const name of ['1', '2', '3', '4']) void send(acme, `acme ${name}`)
  for (const name of ['1', '2']) void send(bolt, `bolt ${name}`)
  void send(coil, 'coil 1')
  await settle()
  expect(sent).toEqual(['acme 1', 'acme 2'])
  for (const name of ['acme 1', 'acme 2', 'acme 3', 'bolt 1', 'coil 1', 'acme 4']) await end(name)
  expect(sent.slice(2)).toEqual(['acme 3', 'bolt 1', 'coil 1', 'acme 4', 'bolt 2'])
})

it('S65 a request that fails leaves its connection to the next', async () => {
  const { sent, send, settle, fail } = setUp({ ofAccount: 1, ofAll: 1 })
  const first = send(acme, 'first')
  void send(acme, 'second')
  const error = new Error('unreachable')
  fail('first', error)
  await expect(first).rejects.toBe(error)
  await settle()
  expect(sent).toEqual(['first', 'second'])
})

it('S65 a request that is given up while it waits takes no connection, not even at the moment of its turn', async () => {
  const { sent, send, settle, end } = setUp({ ofAccount: 1, ofAll: 1 })
  void send(acme, 'first')
  const early = new AbortController()
  const late = new AbortController()
  const left = [send(acme, 'left early', early.signal), send(acme, 'left late', late.signal)]
  void send(bolt, 'of bolt')
  const reasons = left.map((request) => request.catch((reason: unknown) => reason))
  early.abort('left')
  // Its turn comes when the first has ended, and it is aborted before it can run.
  const ended = end('first')
  await Promise.resolve()
  late.abort('left')
  await ended
  expect(await Promise.all(reasons)).toEqual(['left', 'left'])
  await settle()
  expect(sent).toEqual(['first', 'of bolt'])
  await end('of bolt')
  void send(coil, 'of coil')
  await settle()
  expect(sent).toEqual(['first', 'of bolt', 'of coil'])
})
