import { VITALS_LIMITS } from '@stagepass/contract'
import { VitalsReport } from '@stagepass/contract/schemas'
import { BffError } from '../../base/BffError.js'
import { parseRequest } from '../../desk/parseRequest.js'
import { reportVitals } from '../../desk/reportVitals.js'
import { readBody } from '../http/readBody.js'
import type { Route } from './Route.js'

/** `POST /vitals`: what a page measured. */
export const vitals: Route = {
  query: [],
  async respond({ request, caller }, { settings }) {
    if (!settings.vitals) throw new BffError('NOT_FOUND', { seen: { cause: 'vitals' } })
    const body = await readBody(request, caller.context, VITALS_LIMITS.bytes)
    reportVitals(caller, parseRequest(VitalsReport, body, 'body'))
    return {}
  },
}
