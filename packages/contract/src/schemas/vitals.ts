import { z } from 'zod'
import {
  LOST_REASONS,
  type LostReason,
  PAGE_ENGINES,
  PAGE_FIGURES,
  PAGE_NETWORKS,
  type PageEngine,
  type PageFigureName,
  type PageNetwork,
  VITALS_LIMITS,
} from '../pageFigures.js'
import { PRODUCT_NAMES, type Product } from '../service/products.js'
import { codesOf } from '../errors/ErrorRow.js'

/** What a page measured of the streams of one product: times in milliseconds, and numbers of drops. */
export type ProductVitals = { readonly [TName in PageFigureName]?: readonly number[] | undefined } & {
  /** How many open connections were lost, by reason. */
  readonly drops?: { readonly [TReason in LostReason]?: number | undefined } | undefined
}

const Values = z.array(z.number()).max(VITALS_LIMITS.values).optional()

const ProductSchema = z.strictObject({
  ...(Object.fromEntries(codesOf(PAGE_FIGURES).map((name) => [name, Values])) as Record<
    PageFigureName,
    typeof Values
  >),
  drops: z.partialRecord(z.enum(LOST_REASONS), z.number()).optional(),
})

/**
 * Body of the BFF's `POST /vitals`: numbers of one page, at most 1 KB. It has no text, no id and no sound. A
 * value outside of its bounds counts as the nearest bound.
 */
export const VitalsReport = z.strictObject({
  engine: z.enum(PAGE_ENGINES),
  network: z.enum(PAGE_NETWORKS),
  products: z.partialRecord(z.enum(PRODUCT_NAMES), ProductSchema),
})
export interface VitalsReport {
  readonly engine: PageEngine
  readonly network: PageNetwork
  readonly products: { readonly [TProduct in Product]?: ProductVitals | undefined }
}
