import type { VoiceEvent } from '@stagepass/react'
import type { FeedMessages } from '../../server/createFeed.js'
import type { WireLine, WireLog } from './createWireLog.js'

const SECRET_NAMES = new Set(['session_key', 'authorization'])
const MASK = '••••••••'

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
    const path = pathname.replace('/api/voice', '') + decodeURIComponent(search)
    const startedAt = performance.now()
    const add = log.adder()
    try {
      const response = await fetch(request)
      const tookMs = Math.round(performance.now() - startedAt)
      const body: unknown = await response
        .clone()
        .json()
        .catch(() => undefined)
      add({
        lane: 'http',
        title: `${request.method} ${path} → ${response.status}`,
        tone: response.ok ? 'plain' : 'bad',
        detail: {
          tookMs,
          retryAfter: response.headers.get('retry-after') ?? undefined,
          answer: maskSecrets(body),
        },
      })
      return response
    } catch (error) {
      const title = `${request.method} ${path} failed`
      if (!request.signal.aborted) add({ lane: 'http', title, tone: 'bad', detail: String(error) })
      throw error
    }
  }
}

/** The line for an event of the voice client, which contains no token. */
export function describeEvent(event: VoiceEvent): WireLine {
  const { type, at: _at, ...detail } = event
  const [lane = ''] = type.split('.')
  const product = 'product' in event ? `${event.product} ` : ''
  const code = 'code' in event && event.code ? ` · ${event.code}` : ''
  const isGood = /minted|renewed|opened|rolled_over$/.test(type)
  return {
    lane: lane === 'token' || lane === 'stream' ? lane : 'http',
    title: `${product}${type.replace(/^\w+\./, '').replaceAll('_', ' ')}${code}`,
    tone: code ? 'bad' : isGood ? 'good' : 'plain',
    detail,
  }
}

/** The line for an event of the BFF, or for an injected fault. */
export function describeServer(lane: 'bff' | 'fault', event: FeedMessages['bff' | 'fault']): WireLine {
  const { type, method, route, operation, status, errorCode, name } = event as Readonly<
    Record<string, string | undefined>
  >
  const words = [type?.replaceAll(/[.-]/g, ' '), method, route ?? operation, status, errorCode, name]
  return {
    lane,
    title: words.filter((word) => word !== undefined).join(' '),
    tone: errorCode === undefined ? 'plain' : 'bad',
    detail: event,
  }
}
