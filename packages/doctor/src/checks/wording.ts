import type { HttpResponse } from '../net/createHttp.js'
import type { Refused } from '../net/openSocket.js'
import { ok, type Outcome, warn } from '../report/Result.js'

export const TROUBLE = 'The service has trouble of its own. Try again later.'

/** How a refusal arrived, and its code, such as `HTTP status 403, unauthorized`. */
export const describeRefusal = ({ form, refusal }: Refused): string =>
  `${form}, ${refusal?.code ?? 'no code that is known'}`

/** What a page of a proxy, a redirect or a wrong path looks like. `undefined`: it looks like an interface. */
export function strangeResponse({ status, json, headers }: HttpResponse): string | undefined {
  if (status >= 300 && status < 400) return `redirects (${status})`
  if (status === 404) return 'has nothing at that path (404)'
  if ((headers['content-type'] ?? '').startsWith('text/html')) return `sends a web page (${status})`
  if (json === undefined) return `sends something that is not JSON (${status})`
  return undefined
}

/** `4 s`, `10 min`, as a person says it. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 120_000) return `${Math.round(ms / 1_000)} s`
  return ms < 7_200_000 ? `${Math.round(ms / 60_000)} min` : `${Math.round(ms / 3_600_000)} h`
}

const SLOW =
  'Run this on the server that will hold the BFF. If it is slow there too, ask the service for a region near you.'

/** It works, and took so long. */
export function timed(seen: string, tookMs: number, slowMs: number): Outcome {
  const whole = `${seen}, in ${formatDuration(tookMs)}.`
  return tookMs > slowMs ? warn(`${whole} That is slow.`, SLOW) : ok(whole)
}
