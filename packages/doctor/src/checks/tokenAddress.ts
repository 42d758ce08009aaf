import { explainFailure, shownAddress } from '../net/explainFailure.js'
import { fail, ok, type Outcome, warn } from '../report/Result.js'
import type { Check } from './Check.js'
import { errorCodeOf, type ServiceContext, tokenUrl } from './ServiceContext.js'
import { CLOCK_WARN_MS, readClock } from './clock.js'
import { formatDuration, strangeResponse } from './wording.js'

/** A request without a key: it shows address, TLS, latency and clock, and costs nothing. */
export const tokenAddress: Check<ServiceContext> = {
  name: 'token address',
  async run(context) {
    const url = tokenUrl(context)
    const { http, limits, found } = context
    const sent = await http
      .send({
        method: 'POST',
        url,
        headers: { 'content-type': 'application/json' },
        body: '{"usage_type":"stt"}',
      })
      .catch((error: unknown) => explainFailure(url, error))
    if ('seen' in sent) return sent
    const ahead = readClock(sent)
    if (ahead !== undefined) found.clockAheadMs = ahead
    const strange = strangeResponse(sent)
    if (strange !== undefined)
      return fail(
        `${shownAddress(url)} ${strange}.`,
        'Check VOICE_BASE_URL: it is the part of the address before /v2/sdk/tokens/session.',
      )
    const how = url.protocol === 'https:' ? 'over TLS' : 'without TLS, on this machine'
    const seen = `${shownAddress(context.settings.baseUrl)} answers ${how}, in ${formatDuration(sent.tookMs)}.`
    if (sent.status >= 500)
      return warn(
        `${seen} Its status is ${sent.status}.`,
        'The service has trouble of its own. Try again later.',
      )
    if (errorCodeOf(sent.json) !== 'AUTH_HEADER_MISSING')
      return warn(
        `${seen} To a request without a key it answers ${sent.status}, and not the code AUTH_HEADER_MISSING.`,
        'Check that VOICE_BASE_URL is the address of the token endpoint.',
      )
    return sent.tookMs > limits.slowMs ? slow(seen) : ok(seen)
  },
}

const slow = (seen: string): Outcome =>
  warn(
    `${seen} That is slow.`,
    'Run this on the server that will hold the BFF. If it is slow there too, give the BFF a longer deadlineMs, and choose a region near the service.',
  )

/** The service's clock and this machine's. */
export const clock: Check<ServiceContext> = {
  name: 'clock',
  needs: ['token address'],
  async run({ found }) {
    const ahead = found.clockAheadMs
    if (ahead === undefined)
      return warn(
        'The service sends no Date header, so its clock is not known.',
        'Keep the clock of your servers right with NTP: the BFF counts the life of a token by it if there is no Date.',
      )
    const difference = formatDuration(Math.abs(ahead))
    if (Math.abs(ahead) < CLOCK_WARN_MS) return ok(`This machine and the service differ by ${difference}.`)
    const side = ahead > 0 ? 'behind' : 'ahead of'
    return warn(
      `This machine's clock is ${difference} ${side} the service's.`,
      'Set this clock by NTP (timedatectl set-ntp true). The BFF counts the life of a token by the Date header, so tokens work, but logs and certificates need the right time.',
    )
  },
}
