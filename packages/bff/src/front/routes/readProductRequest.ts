import type { Product } from '@stagepass/contract'
import type { z } from 'zod'
import { BffError } from '../../base/BffError.js'
import { parseRequest } from '../http/parseRequest.js'
import { readBody } from '../http/readBody.js'
import type { RouteRequest } from './Route.js'

/**
 * The common steps of the two POST routes with a product: read the body, and check that the grant lists the
 * product.
 */
export async function readProductRequest<TBody extends { usage_type: Product }>(
  schema: z.ZodType<TBody>,
  { request, context, grant }: RouteRequest,
  maxBytes?: number,
): Promise<TBody> {
  const body = parseRequest(schema, await readBody(request, context, maxBytes), 'body')
  const { products, user } = grant
  if (!products.includes(body.usage_type)) {
    context.emit?.({ type: 'grant.refused', requestId: context.id, user, what: 'product' })
    throw new BffError('FORBIDDEN', { field: 'usage_type' })
  }
  return body
}
