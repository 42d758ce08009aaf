import { createClient } from 'redis'
import { ACCOUNT } from './account.test.kit.js'
import { BudgetRefusal } from './waiting/Budget.js'
import { createBudget } from './createBudget.js'

/*
 * One process of a burst. On a message it asks for slots for all of its requests at once, each of a different
 * user.
 */

export interface BurstSettings {
  readonly socketPath: string
  readonly meetingsUrl: string
  readonly credential: string
  readonly name: number
  readonly requests: number
}

export interface BurstReport {
  /** Number of each result: a status of the upstream, or the reason of a refusal. */
  readonly results: Readonly<Record<string, number>>
  readonly events: readonly string[]
}

const settings = JSON.parse(process.argv[2] ?? '') as BurstSettings
const redis = await createClient({ socket: { path: settings.socketPath, tls: false } }).connect()
const events: string[] = []
const budget = createBudget({ ...ACCOUNT, redis, onEvent: ({ reason }) => void events.push(reason) })

async function request(index: number): Promise<string> {
  const { signal } = new AbortController()
  try {
    const user = `user ${settings.name}.${index}`
    const slot = await budget.acquire({ user, deadlineMs: 3_000, signal })
    const response = await fetch(`${settings.meetingsUrl}/meetings`, {
      headers: { authorization: `Bearer ${settings.credential}` },
    })
    await response.arrayBuffer()
    slot.release('answered')
    return String(response.status)
  } catch (error) {
    return error instanceof BudgetRefusal ? error.reason : String(error)
  }
}

process.once('message', () => {
  const all = Promise.all(Array.from({ length: settings.requests }, (_, index) => request(index)))
  void all.then(async (each) => {
    const results: Record<string, number> = {}
    for (const result of each) results[result] = (results[result] ?? 0) + 1
    await budget.close()
    const report: BurstReport = { results, events }
    process.send?.(report, () => process.exit(0))
  })
})
process.send?.('ready')
