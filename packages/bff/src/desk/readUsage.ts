import type { Product, UsageResponse } from '@stagepass/contract'
import type { UsageReport } from '@stagepass/contract/schemas'
import { invalidValue } from '../base/invalidValue.js'
import type { Caller } from './Caller.js'
import type { Services } from './Services.js'

/**
 * The minutes that the user has used and reserved today. Empty if the grant has no `usage`, so that a page
 * can ask for every user. `wanted`: only these products. Those outside of the grant are left out.
 */
export async function readUsage(
  { grant: { user, products, usage: granted } }: Caller,
  { usage }: Services,
  wanted: readonly Product[] = products,
): Promise<UsageResponse> {
  const shown = products.filter((product) => wanted.includes(product))
  return granted ? usage.read(user, shown, granted) : { usage: {} }
}

/**
 * Takes a report of how long the streams of a token were open. The receipt identifies the token. Every
 * invalid receipt is refused with the same error.
 */
export async function reportUsage(
  caller: Caller,
  { receipt, used_ms }: UsageReport,
  services: Services,
): Promise<UsageResponse> {
  const counts = await services.usage.report(caller.grant.user, receipt, used_ms)
  if (!counts) throw invalidValue('receipt')
  return readUsage(caller, services)
}
