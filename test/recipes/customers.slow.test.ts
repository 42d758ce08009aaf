import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Grant } from '@stagepass/bff'
import { Problem } from '@stagepass/contract/schemas'
import { type Stack, startStack } from '@stagepass/testing'
import { expect, it } from 'vitest'
import { readText } from '../docs/repositoryFiles.js'
import { type FindCustomer, grantOf } from './customers.js'

const JANUARY_30 = Date.parse('2030-01-30T12:00:00Z')
const GUIDE = readText('docs/customers.md')
const [CREATE = '', COMES = '', CHANGES = '', BUYS_MORE = '', LEAVES = '', COMES_BACK = ''] = [
  ...GUIDE.matchAll(/```sql\n(.*?)```/gs),
].map(([, sql]) => sql)
const [, READ_BILL = '', FORGET = ''] = [...GUIDE.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code)
const [, FIND = ''] = /`(select [^`]+)`/.exec(GUIDE) ?? []

/** Runs a block of the guide. */
const runBlock = (code: string, { bff }: Stack): Promise<unknown> =>
  // oxlint-disable-next-line typescript/no-implied-eval -- the code of the guide, as it stands there
  new Function('bff', `return (async () => { ${code}; return typeof rows === 'object' && rows })()`)(bff)

it('the guide, word by word: a customer comes, changes its key, reaches its cap, leaves and comes back', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'stagepass-customers-'))
  const sqlite = (input: string): string =>
    execFileSync('sqlite3', ['-json', join(folder, 'customers.db')], { input, encoding: 'utf8' })
  const find: FindCustomer = async (id) => {
    const rows = sqlite(`.parameter set $1 "'${id}'"\n${FIND};`)
    return rows && JSON.parse(rows)[0]
  }

  /** What an application has kept of a row. */
  let cached: Grant | null | undefined
  await using stack = await startStack({
    emulator: { keys: [1, 2, 3].map((nth) => ({ key: `vk_of_acme_${nth}` })) },
    bff: {
      userSecret: 'a secret that all of the instances have',
      platform: { wallNow: () => JANUARY_30 },
      authorize: () => cached ?? grantOf({ id: 'ada', customer: 'acme' }, find),
    },
  })
  const { upstream, events } = stack
  const mint = async (minutes = 10) => {
    const response = await stack.fetch('/session-token', {
      json: { usage_type: 'stt', expiration_ttl: minutes },
    })
    return response.status === 200 ? 200 : Problem.parse(await response.json()).error_code
  }
  const keyUsed = () => upstream.requests.at(-1)?.headers.authorization
  const named = (type: string) => events.filter((event) => event.type === type)

  sqlite(CREATE)
  expect(await mint()).toBe('UNAUTHENTICATED')
  sqlite(COMES)
  expect(await mint()).toBe(200)
  expect(keyUsed()).toBe('api-key vk_of_acme_1')

  sqlite(CHANGES)
  upstream.apiKeys.update('vk_of_acme_1', { state: 'invalid' })
  expect(await mint()).toBe(200)
  expect(keyUsed()).toBe('api-key vk_of_acme_2')
  expect([named('secret.rejected').length, named('secret.renewed').length]).toEqual([1, 1])

  expect([await mint(5), await mint(5)]).toEqual([200, 200])
  expect(named('usage.threshold')).toMatchObject([80, 100].map((percent) => ({ of: 'account', percent })))
  expect(await mint()).toBe('ACCOUNT_USAGE_EXHAUSTED')
  sqlite(BUYS_MORE)
  expect(await mint()).toBe(200)
  const bill = [{ day: '2030-01-30', product: 'stt', usedMs: 40 * 60_000 }]
  expect(await runBlock(READ_BILL, stack)).toEqual(bill)

  const kept = await grantOf({ id: 'ada', customer: 'acme' }, find)
  await runBlock(FORGET, stack)
  const sent = upstream.requests.length
  expect(await mint()).toBe('ENDED_BY_SERVER')
  sqlite(LEAVES)
  expect(await mint()).toBe('UNAUTHENTICATED')
  cached = kept && { ...kept, apiKey: 'vk_of_acme_2' }
  expect(await mint()).toBe('ENDED_BY_SERVER')
  expect(upstream.requests.length).toBe(sent)
  expect(await runBlock(READ_BILL, stack)).toEqual(bill)

  cached = undefined
  sqlite(COMES_BACK)
  expect(await mint()).toBe('ACCOUNT_USAGE_EXHAUSTED')
  sqlite(BUYS_MORE)
  expect(await mint()).toBe(200)
  expect(keyUsed()).toBe('api-key vk_of_acme_3')
  rmSync(folder, { recursive: true })
})
