import { strangeResponse } from '../checks/wording.js'
import type { HttpResponse } from '../net/createHttp.js'
import { shownAddress } from '../net/explainFailure.js'
import { fail, isBad, ok, type Outcome, warn } from '../report/Result.js'
import {
  type BffContext,
  type BffRequest,
  explainCode,
  notTheBff,
  ownPage,
  problemCode,
  send,
} from './BffContext.js'

/** `GET /health`, which has no gate. */
export async function health(context: BffContext): Promise<Outcome> {
  const response = await send(context, { path: '/health' })
  const where = `${shownAddress(context.target.url)}/health`
  // Its status is the first value.
  const [, word] = /^{"status":"(\w+)"/.exec(response.text) ?? []
  if (word === 'ok') return ok(`${where} answers ok.`)
  if (word === 'draining') return warn(`${where} says that this instance shuts down.`, 'Run it again.')
  if (word === 'degraded')
    return warn(`${where} says that it is degraded.`, 'Look at the reason in its response, and at its Redis.')
  if (problemCode(response) !== undefined)
    return fail(
      `${where} reaches the BFF, but not its route.`,
      'Set the option basePath to the path of the mount, or check the path in --bff.',
    )
  return fail(
    `${where} ${strangeResponse(response) ?? `answers ${response.status}, and not as a BFF`}.`,
    'Check --bff: it is the address of the mount, such as https://app.example.com/api/voice. Check that the proxy passes that path.',
  )
}

const refusesWithGate = (response: HttpResponse): boolean =>
  response.status === 403 && problemCode(response) === 'CROSS_SITE_BLOCKED'

/** A request that the gate must refuse. */
async function expectRefusal(context: BffContext, what: string, request: BffRequest): Promise<Outcome> {
  const response = await send(context, request)
  if (refusesWithGate(response)) return ok(`A request ${what} is refused.`)
  return fail(
    `A request ${what} gets ${response.status}, and not the 403 of the gate.`,
    'Check that POST reaches the BFF at this path, and that nothing in front answers itself, adds x-stagepass, or changes Origin and Sec-Fetch-Site.',
  )
}

/** Without the header of the gate. (SECURITY.md, S3.) */
export const gateHeader = (context: BffContext): Promise<Outcome> =>
  expectRefusal(context, 'without x-stagepass', {
    path: '/session-token',
    method: 'POST',
    json: { usage_type: 'stt' },
  })

/** Gate and `authorize` see a request to it, and nothing happens. */
const NOWHERE = '/stagepass-doctor'

/** The origin of a page that no BFF knows. */
export const STRANGER = 'https://stagepass-doctor.invalid'

/**
 * From a page of another site, in a browser without Fetch Metadata, and in one of today. (SECURITY.md, S4,
 * S6.)
 */
export async function gateCrossSite(context: BffContext): Promise<Outcome> {
  const headers = { 'x-stagepass': '1', origin: STRANGER }
  const first = await expectRefusal(context, 'from another origin', { path: NOWHERE, headers })
  if (isBad(first)) return first
  const today = { ...headers, 'sec-fetch-site': 'cross-site' }
  return expectRefusal(context, 'from another site', { path: NOWHERE, headers: today })
}

/** From the own page, in a browser of today. */
export async function gateOwnPage(context: BffContext): Promise<Outcome> {
  const response = await send(context, { path: NOWHERE, headers: ownPage(context) })
  const code = problemCode(response)
  context.found.isOpen = code === 'NOT_FOUND'
  if (code === 'UNAUTHENTICATED') return ok('The gate lets it through, and authorize asks for a login.')
  if (code === 'NOT_FOUND')
    return warn(
      'A request without a cookie gets a grant.',
      'Right only if anyone may use the voice service. Otherwise let authorize return null without a login.',
    )
  if (code === 'CROSS_SITE_BLOCKED')
    return fail(
      'A request of the own page is refused.',
      'Check that x-stagepass and Sec-Fetch-Site reach the BFF: something in front takes them away.',
    )
  return code === undefined ? notTheBff(response) : explainCode(code)
}

/** The same in a browser that sends `Origin` alone: it shows if the BFF knows its own address. */
export async function ownOrigin(context: BffContext): Promise<Outcome> {
  const { 'sec-fetch-site': _left, ...headers } = ownPage(context)
  const response = await send(context, { path: NOWHERE, headers })
  const { origin } = context.target.url
  if (!refusesWithGate(response)) return ok(`The BFF knows that browsers see it as ${origin}.`)
  return fail(
    `The BFF does not know that browsers see it as ${origin}, so browsers without Sec-Fetch-Site are refused.`,
    `A proxy hides the address. Set the option origin: '${origin}' in createBff; or pass Host and X-Forwarded-Proto (nginx: proxy_set_header Host $http_host) and set trust proxy in Express.`,
  )
}
