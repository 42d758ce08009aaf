import type { VoiceEvent } from '@stagepass/react'
import type { FeedMessages } from '../../server/createFeed.js'
import type { LineName, WireLine, WireLog } from './createWireLog.js'

const SECRET_NAMES = new Set(['session_key', 'authorization'])
export const MASK = '••••••••'

/** A copy without secrets. */
export function maskSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(maskSecrets)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, SECRET_NAMES.has(name) ? MASK : maskSecrets(inner)]),
  )
}

/** `fetch` that also adds each request and its response to the log, without secrets. */
export function tapFetch(log: WireLog): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    const { pathname, search } = new URL(request.url)
    const path = pathname.replace(/^\/api\/(voice|queue)/, '').replace(/(\/sessions\/).+/, '$1…')
    const title = `${request.method} ${path}${decodeURIComponent(search)}`
    const common = { lane: 'http', line: 'request', trip: 'round' } as const
    const startedAt = performance.now()
    const end = log.begin({ ...common, title: `${title} …`, tone: 'plain', isPending: true, detail: null })
    try {
      const response = await fetch(request)
      const tookMs = Math.round(performance.now() - startedAt)
      const body: unknown = await response
        .clone()
        .json()
        .catch(() => undefined)
      end({
        ...common,
        title: `${title} → ${response.status}`,
        refusal: response.ok ? undefined : [response.status, codeOf(body)].join(' ').trim(),
        tone: response.ok ? 'plain' : 'bad',
        tookMs,
        detail: {
          tookMs,
          retryAfter: response.headers.get('retry-after') ?? undefined,
          answer: maskSecrets(body),
        },
      })
      return response
    } catch (error) {
      const { aborted } = request.signal
      end({
        ...common,
        title: `${title} ${aborted ? 'is no longer needed' : 'failed'}`,
        refusal: aborted ? undefined : 'no response',
        tone: aborted ? 'plain' : 'bad',
        tookMs: Math.round(performance.now() - startedAt),
        detail: String(error),
      })
      throw error
    }
  }
}

/** The code of an error of the BFF. */
function codeOf(body: unknown): string | undefined {
  const code = (body as { readonly error_code?: unknown } | undefined)?.error_code
  return typeof code === 'string' ? code : undefined
}

/** What each event of a stream shows on the line of the sockets. The others show nothing. */
const STREAM_TRIPS: Readonly<Record<string, WireLine['trip']>> = {
  'stream.connecting': 'out',
  'stream.opened': 'back',
  'stream.rolled_over': 'back',
  'stream.reconnecting': 'back',
  'stream.failed': 'back',
  'stream.closed': 'out',
  'stream.released': 'out',
}

/** The line for an event of the voice client, which contains no token. */
export function describeEvent(event: VoiceEvent): WireLine {
  const { type, at: _at, ...detail } = event
  const [kind = ''] = type.split('.')
  // Silence closes and opens a stream.
  const lane = kind === 'silence' ? 'stream' : kind
  const words = type.replace(/^(?!silence)\w+\./, '').replaceAll(/[._]/g, ' ')
  const product = 'product' in event ? `${event.product} ` : ''
  const code = 'code' in event ? event.code : undefined
  const status = 'status' in event ? event.status : undefined
  const isGood = /minted|renewed|opened|rolled_over$/.test(type)
  return {
    lane: lane === 'token' || lane === 'stream' ? lane : 'http',
    line: lane === 'stream' ? 'stream' : lane === 'client' ? undefined : 'request',
    trip: STREAM_TRIPS[type],
    title: `${product}${words}${code ? ` · ${code}` : ''}`,
    refusal: code && [status, code].filter((word) => word !== undefined).join(' '),
    tone: code ? 'bad' : isGood ? 'good' : 'plain',
    detail,
  }
}

/** The line for an event of the BFF, or for an injected fault. */
export function describeServer(lane: 'bff' | 'fault', event: FeedMessages['bff' | 'fault']): WireLine {
  const { type, method, route, operation, status, errorCode, failure, name } = event as Readonly<
    Record<string, string | number | undefined>
  >
  const words = [String(type).replaceAll(/[.-]/g, ' '), method, route ?? operation, status]
  const isCall = type === 'upstream.called'
  const isRefused = errorCode !== undefined || (isCall && !(Number(status) < 400))
  return {
    lane,
    line: lane === 'fault' ? undefined : lineOf(String(type)),
    trip: isCall ? 'round' : undefined,
    title: isCall
      ? `${operation} → ${status ?? errorCode ?? failure ?? 'no response'}`
      : [...words, errorCode, name].filter((word) => word !== undefined).join(' '),
    refusal: isRefused ? [status, errorCode ?? failure].join(' ').trim() || 'no response' : undefined,
    tone: isRefused ? 'bad' : 'plain',
    detail: event,
  }
}

/** Events about the service and its secrets belong to the line to the service. */
const lineOf = (type: string): LineName =>
  /^(upstream|secret|budget|meeting)\./.test(type) ? 'upstream' : 'request'
