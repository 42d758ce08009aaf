import { type BffErrorCode, BFF_ERRORS, hasCode } from '@stagepass/contract'
import type { Http, HttpResponse } from '../net/createHttp.js'
import { isObject } from '../net/isObject.js'
import type { Platform } from '../net/Platform.js'
import type { Redactor } from '../report/createRedactor.js'
import { below } from '../settings/readVariables.js'
import type { BffTarget, Limits } from '../settings/Settings.js'

/** What the checks of a BFF share. */
export interface BffContext {
  readonly target: BffTarget
  readonly limits: Limits
  readonly platform: Platform
  readonly signal: AbortSignal
  readonly http: Http
  readonly redactor: Redactor
  /** Knows the secrets of the voice service alone, as far as the variables name them. */
  readonly upstreamSecrets: Redactor
  readonly found: {
    /** Every response so far. */
    readonly responses: HttpResponse[]
    /** Does a request without a cookie pass `authorize`? */
    isOpen?: boolean
    token?: { readonly product: string; readonly sessionKey: string; readonly streamUrl: string }
    tokenResponse?: HttpResponse
  }
}

export interface BffRequest {
  readonly path: string
  readonly method?: 'GET' | 'POST' | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: unknown
  /** Send the cookie too? Default: no. */
  readonly withCookie?: boolean | undefined
}

/** What each request of a page has. */
export const GATE_HEADER = { 'x-stagepass': '1' } as const

/** As a browser sends it from a page of the same origin. */
export const ownPage = ({ target }: BffContext): Record<string, string> => ({
  ...GATE_HEADER,
  origin: target.url.origin,
  'sec-fetch-site': 'same-origin',
  'sec-fetch-mode': 'cors',
})

export const cookieOf = ({ target }: BffContext): Record<string, string> =>
  target.cookie === undefined ? {} : { cookie: target.cookie }

/** Rejects if there is no response. */
export async function send(context: BffContext, request: BffRequest): Promise<HttpResponse> {
  const { path, method, headers, body, withCookie = false } = request
  const response = await context.http.send({
    method,
    url: below(context.target.url, path),
    headers: {
      ...headers,
      ...(withCookie && cookieOf(context)),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
  context.found.responses.push(response)
  return response
}

/** The code of a problem of the BFF. `undefined`: something else answered. */
export function problemCode({ json }: Pick<HttpResponse, 'json'>): BffErrorCode | undefined {
  if (!isObject(json)) return undefined
  const { error_code: code, request_id: id } = json
  return typeof id === 'string' && typeof code === 'string' && hasCode(BFF_ERRORS, code) ? code : undefined
}
