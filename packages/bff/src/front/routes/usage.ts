import { UsageReport } from '@stagepass/contract/schemas'
import { readUsage, reportUsage } from '../../desk/usage.js'
import { parseRequest } from '../../desk/parseRequest.js'
import { readBody } from '../http/readBody.js'
import type { Route } from './Route.js'

/** `GET /usage`: the minutes of the user today. */
export const usage: Route = {
  query: [],
  respond: async ({ caller }, services) => ({ json: JSON.stringify(await readUsage(caller, services)) }),
}

/** `POST /usage`: reports how long the streams of a token were open. */
export const usageReport: Route = {
  query: [],
  async respond({ request, caller }, services) {
    const report = parseRequest(UsageReport, await readBody(request, caller.context), 'body')
    return { json: JSON.stringify(await reportUsage(caller, report, services)) }
  },
}
