import type { Product, ProductUsage } from '@stagepass/contract'

/** The minutes of today by product, as the BFF has counted them. Only products that are counted. */
export type TodaysUsage = { readonly [Name in Product]?: ProductUsage }

export interface UsageNumbers {
  /** Used today. It goes on by itself while a stream of this page is open. */
  readonly usedMs: number | undefined
  /** Held by tokens that have not ended: of this page, and of others of the user. */
  readonly reservedMs: number | undefined
  /** `null`: no limit. */
  readonly limitMs: number | null | undefined
  /** When the next day begins. */
  readonly resetsAt: Date | undefined
}
