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
  { grant }: Caller,
  { usage }: Services,
  wanted: readonly Product[] = grant.products,
): Promise<UsageResponse> {
  const shown = grant.products.filter((product) => wanted.includes(product))
  return grant.usage ? usage.read(grant, shown, grant.usage) : { usage: {} }
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
  const counts = await services.usage.report(caller.grant, receipt, used_ms)
  if (!counts) throw invalidValue('receipt')
  return readUsage(caller, services)
}
