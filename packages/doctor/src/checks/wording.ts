import type { Handshake } from '../net/openSocket.js'
import type { HttpResponse } from '../net/createHttp.js'

type Refused = Extract<Handshake, { type: 'refused' }>

/** How a refusal arrived, such as `HTTP status 403`. */
export function formOf({ by, number }: Refused): string {
  if (by === 'status') return `HTTP status ${number}`
  return by === 'frame' ? 'an error message after the open' : `a close with the code ${number}`
}

/** The code of a refusal; `no code that is known` if its form cannot be read. */
export const codeOf = ({ refusal }: Refused): string => refusal?.code ?? 'no code that is known'

/** What a page of a proxy, a redirect or a wrong path looks like. `undefined`: it looks like an interface. */
export function strangeResponse({ status, json, headers }: HttpResponse): string | undefined {
  if (status >= 300 && status < 400) return `redirects (${status})`
  if (status === 404) return 'has nothing at that path (404)'
  if (String(headers['content-type'] ?? '').startsWith('text/html')) return `sends a web page (${status})`
  if (json === undefined) return `sends something that is not JSON (${status})`
  return undefined
}

/** `4 s`, `10 min`, as a person says it. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 120_000) return `${Math.round(ms / 1_000)} s`
  return ms < 7_200_000 ? `${Math.round(ms / 60_000)} min` : `${Math.round(ms / 3_600_000)} h`
}
