import type { Product } from '@stagepass/contract'
import { BffError } from '../context/BffError.js'
import type { RouteRequest } from './Route.js'

/** Throws FORBIDDEN if the grant does not list the product. */
export function requireProduct(product: Product, { grant, context }: RouteRequest): void {
  if (grant.products.includes(product)) return
  context.emit?.({ type: 'grant.refused', requestId: context.id, user: grant.user, what: 'product' })
  throw new BffError('FORBIDDEN', { field: 'usage_type' })
}
