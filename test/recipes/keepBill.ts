import type { Bff } from '@stagepass/bff'
import { Pool } from 'pg'

const pool = new Pool({ connectionString: process.env.DATABASE_URL })
pool.on('error', ({ message }) => console.error('Failed to reach Postgres:', message))

/** Writes the minutes of a customer on some days. The same days again replace what was written before. */
export async function keepBill(bff: Pick<Bff, 'usage'>, customer: string, from: string, to: string) {
  const rows = await bff.usage({ account: customer, from, to })
  const client = await pool.connect()
  try {
    await client.query('begin')
    await client.query('delete from voice_bill where customer = $1 and day between $2 and $3', [
      customer,
      from,
      to,
    ])
    for (const { day, product, usedMs } of rows)
      await client.query('insert into voice_bill values ($1, $2, $3, $4)', [customer, day, product, usedMs])
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
}

export const closeBill = (): Promise<void> => pool.end()
