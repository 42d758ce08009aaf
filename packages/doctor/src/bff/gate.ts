import type { Check } from '../checks/Check.js'
import { strangeResponse } from '../checks/wording.js'
import { explainFailure, shownAddress } from '../net/explainFailure.js'
import { headerOf, type HttpResponse } from '../net/createHttp.js'
import { isObject } from '../net/isObject.js'
import { fail, ok, type Outcome, warn } from '../report/Result.js'
import { type BffContext, GATE_HEADER, ownPage, problemCode, send } from './BffContext.js'

/** `GET /health`, which has no gate. */
export const health: Check<BffContext> = {
  name: 'health',
  async run(context) {
    const { url } = context.target
    const sent = await send(context, { path: '/health' }).catch((error: unknown) =>
      explainFailure(url, error),
    )
    if ('seen' in sent) return sent
    const where = `${shownAddress(url)}/health`
    const status = isObject(sent.json) ? sent.json.status : undefined
    if (sent.status === 200 && status === 'ok') return ok(`${where} answers ok.`)
    if (sent.status === 503 && status === 'draining')
      return warn(
        `${where} says that this instance shuts down.`,
        'Run it again. If it stays, the load balancer sends requests to an instance that ends.',
      )
    if (sent.status === 503 && status === 'degraded')
      return warn(
        `${where} says that something is not at its best.`,
        'Look at the reason in its response, and at the Redis of the budget.',
      )
    if (problemCode(sent) !== undefined)
      return fail(
        `${where} reaches the BFF, but not its route.`,
        'Set the option basePath to the path of the mount, or check the path in --bff.',
      )
    return fail(
      `${where} ${strangeResponse(sent) ?? `answers ${sent.status}, and not as a BFF`}.`,
      'Check --bff: it is the address of the mount, such as https://app.example.com/api/voice. Check that the proxy passes that path.',
    )
  },
}

const GUARDS = [
  ['cache-control', /\bno-store\b/],
  ['x-content-type-options', /^nosniff$/],
  ['referrer-policy', /^no-referrer$/],
] as const

/** The headers of every response. (S17.) */
export const headers: Check<BffContext> = {
  name: 'headers',
  needs: ['health'],
  async run(context) {
    const sent = await send(context, { path: '/health', headers: { 'accept-encoding': 'gzip, br' } })
    const missing = GUARDS.filter(([name, value]) => !value.test(headerOf(sent, name) ?? '')).map(
      ([name]) => name,
    )
    if (missing.length > 0)
      return fail(
        `${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} not as the BFF sends it.`,
        'Something in front of the BFF takes headers away or replaces them. Let the proxy pass them: without no-store a token can stay in a cache.',
      )
    if (headerOf(sent, 'etag') !== undefined || headerOf(sent, 'content-encoding') !== undefined)
      return warn(
        'Something in front of the BFF compresses its responses or adds an ETag.',
        'Switch it off for this path. The BFF sends no-transform, because a compressed secret can be guessed by its length.',
      )
    return ok('no-store, nosniff and no-referrer arrive.')
  },
}

const refusesWithGate = (sent: HttpResponse): boolean =>
  sent.status === 403 && problemCode(sent) === 'CROSS_SITE_BLOCKED'

/** Without the header of the gate. (S3.) */
export const gateHeader: Check<BffContext> = {
  name: 'gate header',
  needs: ['health'],
  async run(context) {
    const sent = await send(context, { path: '/session-token', method: 'POST', body: { usage_type: 'stt' } })
    if (refusesWithGate(sent)) return ok('A request without x-stagepass is refused.')
    return fail(
      `A request without x-stagepass gets ${sent.status}, and not the 403 of the gate.`,
      sent.status === 200
        ? 'Do not let anything in front add this header: only the page must send it.'
        : 'Check that POST reaches the BFF at this path, and that no other program answers.',
    )
  },
}

const STRANGER = 'https://stagepass-doctor.invalid'

/** From a page of another site. (S4, S6.) */
export const gateCrossSite: Check<BffContext> = {
  name: 'gate cross-site',
  needs: ['health'],
  async run(context) {
    const from = { ...GATE_HEADER, origin: STRANGER }
    for (const site of [{ 'sec-fetch-site': 'cross-site' }, {}]) {
      const sent = await send(context, { path: '/stagepass-doctor', headers: { ...from, ...site } })
      const allowed = headerOf(sent, 'access-control-allow-origin')
      if (allowed === STRANGER || allowed === '*')
        return fail(
          'Any other site may read the responses: Access-Control-Allow-Origin allows a site that does not exist.',
          'Remove the CORS middleware or the proxy rule that adds it to this path. The BFF has allowedOrigins.',
        )
      if (!refusesWithGate(sent))
        return fail(
          `A request from another site gets ${sent.status}, and not the 403 of the gate.`,
          'Check that Origin and Sec-Fetch-Site reach the BFF unchanged.',
        )
    }
    return ok('A request from another site is refused, with Sec-Fetch-Site and without.')
  },
}

/** A request of the own page to a path that does not exist: the gate and `authorize` see it, and nothing happens. */
const asOwnPage = (context: BffContext, without: string): Promise<HttpResponse> => {
  const { [without]: _left, ...own } = ownPage(context)
  return send(context, { path: '/stagepass-doctor', headers: own })
}

/** From the own page, in a browser of today. */
export const gateOwnPage: Check<BffContext> = {
  name: 'gate own page',
  needs: ['health'],
  async run(context) {
    const sent = await asOwnPage(context, '')
    if (refusesWithGate(sent))
      return fail(
        'A request of the own page is refused.',
        'Check that x-stagepass and Sec-Fetch-Site reach the BFF: something in front takes them away.',
      )
    const code = problemCode(sent)
    context.found.isOpen = code === 'NOT_FOUND'
    if (code === 'UNAUTHENTICATED') return ok('The gate lets it through, and authorize asks for a login.')
    if (code === 'NOT_FOUND')
      return warn(
        'A request without a cookie gets a grant.',
        'Right only if anyone may use the voice service. Otherwise let authorize return null without a login.',
      )
    if (code === 'AUTHORIZE_FAILED')
      return fail(
        "The host's authorize throws, or takes too long.",
        'Look at the events of the BFF (onEvent), and correct authorize.',
      )
    if (code !== undefined)
      return warn(`The BFF answers ${code}.`, `Look up ${code} in docs/errors.md of Stagepass.`)
    return fail(
      `Something else than the BFF answers (${sent.status}).`,
      'Let the proxy pass every path below the mount to the BFF.',
    )
  },
}

/** From the own page, in a browser that sends `Origin` alone: it shows if the BFF knows its own address. */
export const ownOrigin: Check<BffContext> = {
  name: 'own origin',
  needs: ['gate own page'],
  async run(context): Promise<Outcome> {
    const sent = await asOwnPage(context, 'sec-fetch-site')
    const { origin } = context.target.url
    if (!refusesWithGate(sent)) return ok(`The BFF knows that browsers see it as ${origin}.`)
    return fail(
      `The BFF does not know that browsers see it as ${origin}, so browsers without Sec-Fetch-Site are refused.`,
      `A proxy hides the address. Set the option origin: '${origin}' in createBff; or pass Host and X-Forwarded-Proto (nginx: proxy_set_header Host $http_host) and set trust proxy in Express.`,
    )
  },
}
