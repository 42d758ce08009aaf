import { type Product, PRODUCT_NAMES } from '@stagepass/contract'

/** A value for each product. */
export const byProduct = <TValue>(valueOf: (product: Product) => TValue): Record<Product, TValue> =>
  // `fromEntries` cannot say that all names are there.
  Object.fromEntries(PRODUCT_NAMES.map((product) => [product, valueOf(product)])) as Record<Product, TValue>
