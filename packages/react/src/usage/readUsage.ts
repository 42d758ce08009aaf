import { type Product, type ProductUsage, PRODUCT_NAMES } from '@stagepass/contract'

/** Today's minutes of each product that the BFF counts. */
export type TodaysUsage = { readonly [Name in Product]?: ProductUsage }

const isCount = (value: unknown): value is number => typeof value === 'number' && value >= 0

/** Reads a response of `/usage`. `undefined` if it is malformed. */
export function readUsage({ usage }: Readonly<Record<string, unknown>>): TodaysUsage | undefined {
  if (typeof usage !== 'object' || usage === null) return undefined
  const read: { [Name in Product]?: ProductUsage } = {}
  for (const product of PRODUCT_NAMES) {
    const row = (usage as Readonly<Record<string, Partial<ProductUsage> | undefined>>)[product]
    if (row === undefined) continue
    const { used_ms, reserved_ms, limit_ms = null, resets_at, month_left_ms } = row
    const isGood = isCount(used_ms) && isCount(reserved_ms) && (limit_ms === null || isCount(limit_ms))
    if (!isGood || Number.isNaN(Date.parse(String(resets_at)))) return undefined
    read[product] = { used_ms, reserved_ms, limit_ms, resets_at: String(resets_at) }
    if (isCount(month_left_ms)) read[product].month_left_ms = month_left_ms
  }
  return read
}
