import type { Grant } from '@stagepass/bff'

interface Customer {
  readonly api_key: string
  readonly minutes_per_month: number
}

/** Reads the row of a customer from your database: `select * from customers where id = $1`. */
export type FindCustomer = (id: string) => Promise<Customer | undefined>

/** The grant of a user, or null if the customer has left. */
export async function grantOf(
  user: { id: string; customer: string },
  find: FindCustomer,
): Promise<Grant | null> {
  const found = await find(user.customer)
  if (!found) return null
  return {
    user: user.id,
    account: user.customer,
    apiKey: async () => (await find(user.customer))?.api_key ?? '',
    usage: {},
    accountUsage: { minutesPerMonth: found.minutes_per_month },
  }
}
