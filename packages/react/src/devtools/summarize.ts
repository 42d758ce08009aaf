import type { VoiceEvent } from '../events/events.js'

/** One line of the panel: a product's token, or a stream. */
export interface StatusRow {
  readonly name: string
  readonly state: string
  /** More information, such as the reason. */
  readonly note: string
  readonly tone: 'good' | 'busy' | 'bad' | 'none'
}

/** The lines by name, in the order in which they first appeared. */
export type StatusRows = ReadonlyMap<string, StatusRow>

/** The summary after one more event. */
export function summarize(summary: StatusRows, event: VoiceEvent): StatusRows {
  if (event.type === 'client.reset') return new Map()
  const row = rowOf(event)
  if (!row) return summary
  const before = summary.get(row.name)
  // These change only the note, not the state.
  const isNote = event.type === 'stream.dropped' || event.type.startsWith('silence.')
  const next = isNote && before ? { ...before, note: row.note } : row
  return new Map(summary).set(row.name, next)
}

const seconds = (ms: number): string =>
  ms < 10_000 ? `${(ms / 1_000).toFixed(1)} s` : `${Math.round(ms / 1_000)} s`

/** To be quoted to the service's support. */
const request = ({ reqId }: { readonly reqId: string | undefined }): string =>
  reqId === undefined ? '' : `, request ${reqId}`

function rowOf(event: VoiceEvent): StatusRow | undefined {
  if (!('product' in event)) return undefined
  const name = 'key' in event ? `${event.product} · ${event.key}` : `${event.product} token`
  switch (event.type) {
    case 'token.minted':
    case 'token.renewed':
      return {
        name,
        state: 'live',
        note: `no. ${event.generation}, for ${seconds(event.expiresInMs)}${request(event)}`,
        tone: 'good',
      }
    case 'token.retrying':
      return { name, state: 'retrying', note: `${event.code}, in ${seconds(event.retryInMs)}`, tone: 'busy' }
    case 'token.failed':
      return { name, state: 'failed', note: event.code, tone: 'bad' }
    case 'token.expired':
      return { name, state: 'expired', note: `no. ${event.generation}`, tone: 'bad' }
    case 'stream.connecting':
      return { name, state: 'connecting', note: `no. ${event.generation}`, tone: 'busy' }
    case 'stream.queued':
      return { name, state: 'queued', note: event.place ? `${event.place} of ${event.of}` : '', tone: 'busy' }
    case 'stream.opened':
      return {
        name,
        state: 'open',
        note: `no. ${event.generation}, after ${seconds(event.tookMs)}${request(event)}`,
        tone: 'good',
      }
    case 'stream.reconnecting':
      return {
        name,
        state: 'reconnecting',
        note: `${event.code}${event.lostBy ? ` (${event.lostBy})` : ''}, in ${seconds(event.delayMs)}`,
        tone: 'busy',
      }
    case 'stream.rolling_over':
      return { name, state: 'rolling over', note: `to no. ${event.generation}`, tone: 'good' }
    case 'stream.rolled_over':
      return { name, state: 'open', note: `no. ${event.generation}, rolled over`, tone: 'good' }
    case 'stream.rollover_refused':
      return { name, state: 'open', note: 'rollover refused', tone: 'busy' }
    case 'stream.resent':
      return { name, state: 'open', note: `${seconds(event.ms)} of sound sent again`, tone: 'busy' }
    case 'stream.dropped':
      return { name, state: 'open', note: `${event.total} dropped`, tone: 'busy' }
    case 'silence.unavailable':
      return { name, state: 'open', note: `also in silence: ${event.reason}`, tone: 'busy' }
    case 'silence.kept_open':
      return { name, state: 'open', note: `${event.falseAlarms} false alarms`, tone: 'busy' }
    case 'recovery.unavailable':
      return { name, state: 'open', note: `not on the disk: ${event.reason}`, tone: 'busy' }
    case 'stream.checked':
      return { name, state: 'reconnecting', note: event.code ?? 'accepted for the BFF', tone: 'busy' }
    case 'stream.closed':
    case 'stream.released':
      return { name, state: 'closed', note: '', tone: 'none' }
    case 'stream.failed':
      return { name, state: 'failed', note: event.code, tone: 'bad' }
    default:
      return event satisfies never
  }
}
