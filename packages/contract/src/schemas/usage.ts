import { z } from 'zod'
import type { Product } from '../service/products.js'
import { PRODUCT_NAMES } from '../service/products.js'
import { SIZES } from '../service/limits.js'
import { text } from './text.js'

/** Body of the BFF's `POST /usage`: the total time for which the streams of a token were open. */
export const UsageReport = z.strictObject({
  /** `usage_receipt` of the token. Each receipt is counted once. */
  receipt: text(SIZES.usageReceipt).min(1),
  used_ms: z.int().nonnegative(),
})
export type UsageReport = z.infer<typeof UsageReport>

/** A user's usage of one product today. */
export const ProductUsage = z.object({
  /** Reported time, and the time of tokens that ended without a report. */
  used_ms: z.int().nonnegative(),
  /** Time reserved for tokens that have not ended and have no report. */
  reserved_ms: z.int().nonnegative(),
  /** `null`: the usage is counted, but not limited. */
  limit_ms: z.int().nonnegative().nullable(),
  resets_at: z.iso.datetime(),
  /** What is left of this UTC month, less what is reserved. Only with `minutesPerMonth` in the grant. */
  month_left_ms: z.int().nonnegative().optional(),
})
export type ProductUsage = z.infer<typeof ProductUsage>

/** The 200 of `GET /usage` and `POST /usage`, by product. Empty if the grant has no `usage`. */
export const UsageResponse = z.object({ usage: z.partialRecord(z.enum(PRODUCT_NAMES), ProductUsage) })
export type UsageResponse = { readonly usage: { readonly [Name in Product]?: ProductUsage } }
