import type { Product } from '@stagepass/contract'
import { BffError } from '../context/BffError.js'
import type { RouteRequest, Services } from './Route.js'

/** FORBIDDEN for a product that is not the user's. */
export function requireProduct(
  product: Product,
  grant: RouteRequest['grant'],
  requestId: string,
  emit: Services['emit'],
): void {
  if (grant.products.includes(product)) return
  emit?.({ type: 'grant.refused', requestId, user: grant.user, what: 'product' })
  throw new BffError('FORBIDDEN', { field: 'usage_type' })
}
