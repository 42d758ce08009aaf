import { UsageReport } from '@stagepass/contract/schemas'
import { BffError } from '../../base/BffError.js'
import { parseRequest } from '../http/parseRequest.js'
import { readBody } from '../http/readBody.js'
import type { Route, RouteRequest, RouteResult, Services } from './Route.js'

/** Empty if the grant has no `usage`, so that a page can send the request for every user. */
async function answer({ grant }: RouteRequest, { usage }: Services): Promise<RouteResult> {
  const { user, products } = grant
  return { json: JSON.stringify(grant.usage ? await usage.read(user, products, grant.usage) : { usage: {} }) }
}

/** `GET /usage`: the minutes that the user has used and reserved today. */
export const usage: Route = {
  name: 'usage',
  method: 'GET',
  limit: 'meetingsPerMinute',
  path: '/usage',
  query: [],
  respond: answer,
}

/**
 * `POST /usage`: reports how long the streams of a token were open. The receipt identifies the token. Every
 * invalid receipt is refused with the same error.
 */
export const usageReport: Route = {
  name: 'usage-report',
  method: 'POST',
  limit: 'meetingsPerMinute',
  path: '/usage',
  query: [],
  async respond(request, services) {
    const body = parseRequest(UsageReport, await readBody(request.request, request.context), 'body')
    const counts = await services.usage.report(request.grant.user, body.receipt, body.used_ms)
    if (!counts) throw new BffError('VALIDATION_ERROR', { field: 'receipt', seen: { cause: 'receipt' } })
    return answer(request, services)
  },
}
