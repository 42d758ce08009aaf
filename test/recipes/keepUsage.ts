import type { BffEvent } from '@stagepass/bff'
import { Pool } from 'pg'

const pool = new Pool({ connectionString: process.env.DATABASE_URL })
// An idle connection was lost. Without a listener, the process would end.
pool.on('error', ({ message }) => console.error('Failed to reach Postgres:', message))
const insert =
  'insert into voice_usage (customer, user_id, product, used_ms, settled_by) values ($1, $2, $3, $4, $5)'

/** `createBff({ …, onEvent: keepUsage })` */
export function keepUsage(event: BffEvent): void {
  if (event.type !== 'usage.settled') return
  pool
    .query(insert, [event.account, event.user, event.product, event.usedMs, event.by])
    .catch((error: unknown) => console.error('Failed to keep usage:', event, error))
}

/** After `bff.close()`: waits for what is not yet written. */
export const closeUsage = (): Promise<void> => pool.end()
