import type { SeenOf } from '@stagepass/contract'
import type { GateReason } from '../../telemetry/events.js'
import type { IncomingRequest } from '../http/IncomingRequest.js'
import type { Settings } from '../../settings/readOptions.js'

/** No value of a header is printed unless it looks like an origin, or like a word of Fetch Metadata. */
const ORIGIN = /^[a-z][a-z\d+.-]{0,31}:\/\/[\w.:[\]-]{1,100}$/i
const WORD = /^[a-z-]{1,20}$/

/** The values that a check of the gate saw. */
export function seenByGate(
  request: IncomingRequest,
  reason: GateReason,
  { origin: configured }: Pick<Settings, 'origin'>,
): SeenOf<'CROSS_SITE_BLOCKED'> {
  const shown = (value: string | undefined, form: RegExp, before: string, after = ''): string =>
    value !== undefined && form.test(value) ? before + value + after : ''
  const origin = request.header('origin')
  return {
    cause: reason,
    site: shown(request.header('sec-fetch-site'), WORD, ' '),
    origin: shown(origin, ORIGIN, reason === 'origin' ? ' ' : ' of '),
    own: shown(configured ?? request.ownOrigin(), ORIGIN, ', ', ','),
  }
}
