import { isAccountName } from '../base/schema.js'
import type { AccountUsage, Usage } from '../usage/createUsage.js'

/** Argument of `bff.usage()`. */
export interface AccountUsageQuery {
  /** `account` of the grants. Left out: the common account. */
  readonly account?: string | undefined
  /** The first UTC day, such as `2030-01-01`. */
  readonly from: string
  /** The last UTC day. */
  readonly to: string
}

const DAY_MS = 86_400_000
const DAY = /^\d{4}-\d\d-\d\d$/

/** Time for which the sums are kept, and the longest range of one call. */
const MOST_DAYS = 400

/** The minutes of an account, by day and product. Throws a `TypeError` for a wrong query. */
export async function readAccountUsage(
  { account, from, to }: AccountUsageQuery,
  usage: Usage,
): Promise<readonly AccountUsage[]> {
  if (account !== undefined && !isAccountName(account)) throw wrong('"account" is not the name of an account')
  for (const [name, day] of Object.entries({ from, to }))
    if (!isDay(day)) throw wrong(`"${name}" is not a UTC day. Write it as 2030-01-31`)
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS
  if (days < 0) throw wrong('"to" is before "from"')
  if (days >= MOST_DAYS) throw wrong(`it has more than ${MOST_DAYS} days, and older sums are not kept`)
  const rows = await usage.ofAccount(account, monthsOf(from, to))
  return rows
    .filter(({ day }) => day >= from && day <= to)
    .toSorted((one, other) =>
      one.day === other.day ? one.product.localeCompare(other.product) : one.day < other.day ? -1 : 1,
    )
}

const wrong = (problem: string): TypeError => new TypeError(`Failed to read usage: ${problem}.`)

const isDay = (day: string): boolean =>
  typeof day === 'string' && DAY.test(day) && new Date(Date.parse(day)).toJSON()?.slice(0, 10) === day

function monthsOf(from: string, to: string): string[] {
  const last = to.slice(0, 7)
  const at = new Date(`${from.slice(0, 7)}-01T00:00:00Z`)
  const months: string[] = []
  for (let month = from.slice(0, 7); month <= last; month = at.toISOString().slice(0, 7)) {
    months.push(month)
    at.setUTCMonth(at.getUTCMonth() + 1)
  }
  return months
}
