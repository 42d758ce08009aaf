import { SessionTokenResponse } from '@stagepass/contract/schemas'
import { startStack } from '@stagepass/testing'
import { virtualClock } from '@stagepass/testing/virtualClock'
import { Pool } from 'pg'
import { expect, it, vi } from 'vitest'
import { readText } from '../docs/repositoryFiles.js'
import { startPostgres } from './startPostgres.js'

const [createTable = '', sumOfMonths = '', createBill = ''] = [
  ...readText('docs/usage.md').matchAll(/```sql\n(.*?)```/gs),
].map(([, sql]) => sql)

const rowsOf = async (database: Pool): Promise<number> =>
  (await database.query('select * from voice_usage')).rows.length

it('the minutes of each user are in a table of Postgres, and sum up by month', async () => {
  await using postgres = await startPostgres()
  process.env.DATABASE_URL = postgres.url
  const { keepUsage, closeUsage } = await import('./keepUsage.js')
  const database = new Pool({ connectionString: postgres.url })
  // `end` resolves before its connections are closed, and Postgres may end them first.
  database.on('error', () => {})
  await database.query(createTable)

  const clock = virtualClock()
  const stack = await startStack({ bff: { onEvent: keepUsage, platform: { clock, random: () => 0 } } })
  const mint = async (user: string) => {
    stack.grant = { user, usage: { minutesPerDay: 60 } }
    const response = await stack.fetch('/session-token', { json: { usage_type: 'stt' } })
    return SessionTokenResponse.parse(await response.json()).usage_receipt
  }
  for (const usedMs of [90_000, 30_000]) {
    const receipt = await mint('ada')
    await clock.advance(90_000)
    expect((await stack.fetch('/usage', { json: { receipt, used_ms: usedMs } })).status).toBe(200)
  }
  // Postgres starts again: the idle connections are lost.
  const settled = () => stack.events.filter(({ type }) => type === 'usage.settled')
  await expect.poll(() => rowsOf(database)).toBe(settled().length)
  const said = vi.spyOn(console, 'error').mockImplementation(() => {})
  await database.query('select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()')
  await expect.poll(() => said).toHaveBeenCalledWith('Failed to reach Postgres:', expect.anything())
  said.mockRestore()

  // This token is never reported, so its whole life of ten minutes counts.
  await mint("ben'); drop table voice_usage; --")
  await clock.advance(12 * 60_000)

  await expect.poll(settled).toHaveLength(3)
  await stack.close()
  await closeUsage()
  const { rows } = await database.query<{ user_id: string; minutes: string }>(sumOfMonths)
  await database.end()
  expect(Object.fromEntries(rows.map(({ user_id, minutes }) => [user_id, Number(minutes)]))).toEqual({
    ada: 2,
    "ben'); drop table voice_usage; --": 10,
  })
})

it('the minutes of a customer by day are in a table of Postgres, and a later report corrects them', async () => {
  await using postgres = await startPostgres()
  process.env.DATABASE_URL = postgres.url
  const { keepBill, closeBill } = await import('./keepBill.js')
  const database = new Pool({ connectionString: postgres.url })
  database.on('error', () => {})
  await database.query(createBill)
  const clock = virtualClock()
  const startMs = clock.now()
  const wallNow = () => Date.parse('2030-01-30T12:00:00Z') + clock.now() - startMs
  const stack = await startStack({ bff: { platform: { clock, wallNow, random: () => 0 } } })
  const mint = async (account: string, usage_type: string) => {
    stack.grant = { user: 'ada', account, usage: {}, maxTtlMinutes: 10 }
    const response = await stack.fetch('/session-token', { json: { usage_type } })
    return SessionTokenResponse.parse(await response.json()).usage_receipt
  }
  const billOf = async (...customers: string[]) => {
    for (const customer of customers) await keepBill(stack.bff, customer, '2030-01-29', '2030-01-31')
    const { rows } = await database.query(
      'select customer, day::text, product, used_ms::int from voice_bill order by 1, 2, 3',
    )
    return rows.map((each: object) => Object.values(each).join(' '))
  }
  const receipt = await mint('acme', 'stt')
  await mint('acme', 'tts')
  await mint('bolt', 'stt')
  const others = ['acme 2030-01-30 tts 600000', 'bolt 2030-01-30 stt 600000']
  expect(await billOf('acme', 'bolt')).toEqual(['acme 2030-01-30 stt 600000', ...others])
  // Nothing was used: the row is gone.
  stack.grant = { user: 'ada', account: 'acme', usage: {} }
  expect((await stack.fetch('/usage', { json: { receipt, used_ms: 0 } })).status).toBe(200)
  expect(await billOf('acme')).toEqual(others)
  await stack.close()
  await closeBill()
  await database.end()
})
