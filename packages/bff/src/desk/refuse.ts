import type { Product } from '@stagepass/contract'
import { BffError } from '../base/BffError.js'
import type { BffEvent } from '../telemetry/events.js'
import type { Caller } from './Caller.js'

type Refused = Extract<BffEvent, { type: 'grant.refused' }>['what']

/** Throws FORBIDDEN, because the grant does not allow the request. */
export function refuse({ context, grant }: Caller, what: Refused, field?: string): never {
  context.emit?.({ type: 'grant.refused', requestId: context.id, user: grant.user, what })
  throw new BffError('FORBIDDEN', { field })
}

/** Throws FORBIDDEN if the grant does not allow the product. */
export function checkProduct(caller: Caller, product: Product): void {
  if (!caller.grant.products.includes(product)) refuse(caller, 'product', 'usage_type')
}
