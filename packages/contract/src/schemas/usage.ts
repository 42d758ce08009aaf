import { z } from 'zod'
import type { Product } from '../service/products.js'
import { PRODUCT_NAMES } from '../service/products.js'
import { text } from './text.js'

/** Body of the BFF's `POST /usage`: how long the streams of a token were open, together. */
export const UsageReport = z.strictObject({
  /** `usage_receipt` of the token. It counts once. */
  receipt: text(512).min(1),
  used_ms: z.int().nonnegative(),
})
export type UsageReport = z.infer<typeof UsageReport>

/** What a user has used of one product today. */
export const ProductUsage = z.object({
  /** Reported, or of tokens that have ended without a report. */
  used_ms: z.int().nonnegative(),
  /** Of tokens that are neither reported nor at their end. */
  reserved_ms: z.int().nonnegative(),
  /** `null` if only counted. */
  limit_ms: z.int().nonnegative().nullable(),
  resets_at: z.iso.datetime(),
})
export type ProductUsage = z.infer<typeof ProductUsage>

/** The 200 of `GET /usage` and `POST /usage`, by product. Empty if the grant has no `usage`. */
export const UsageResponse = z.object({ usage: z.partialRecord(z.enum(PRODUCT_NAMES), ProductUsage) })
export type UsageResponse = { readonly usage: { readonly [Name in Product]?: ProductUsage } }
