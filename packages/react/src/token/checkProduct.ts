import { type Product, PRODUCT_NAMES } from '@stagepass/contract'

/** Throws if there is no such product. */
export function checkProduct(product: Product): void {
  if (PRODUCT_NAMES.includes(product)) return
  throw new Error(
    `Failed to find the product "${product as string}". Use one of ${PRODUCT_NAMES.join(', ')}.`,
  )
}
