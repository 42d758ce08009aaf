import {
  type HandshakeListener,
  type HandshakeRequest,
  type ServiceRequest,
  type ServiceResponse,
  type Transport,
  TransportError,
} from '@stagepass/contract'
import { untilAborted } from '../../request/untilAborted.js'
import { isBrokenEncoding, unreadEncoding } from '../../base/contentEncoding.js'
import { readText } from '../../base/readText.js'
import type { Settings } from '../../settings/readOptions.js'
import { refuse } from '../../base/schema.js'

/** Reads at most this much of a refusal's body. */
const MAX_REFUSAL_BYTES = 4_096

/** In Cloudflare Workers the response to an upgrade has a WebSocket. It sends and receives after `accept`. */
interface UpgradeResponse extends Response {
  readonly webSocket?: (WebSocket & { accept(): void }) | null
}

/**
 * The transport of Cloudflare Workers and pages, with the global `fetch`. It cannot know whether a failed
 * request was written, so it reports every request as sent: its slot of the budget counts as used. It cannot
 * know either whether bytes arrived before `fetch` rejected, and assumes that none did. It decodes what
 * `fetch` decodes. In a page, handshakes with a header are not possible.
 */
export function createFetchTransport({ dispatcher }: Pick<Settings, 'dispatcher'>): Transport {
  // Refused, because the requests would bypass the proxy that the host has set.
  if (dispatcher)
    refuse('"dispatcher" has no effect in this runtime, which has only the global fetch. Leave it out.')
  return { send, handshake, close: () => Promise.resolve() }
}

/** In a page, the status of a redirect is hidden. */
const statusOf = ({ type, status }: Response): number => (type === 'opaqueredirect' ? 302 : status)

async function send(
  { origin, method, path, headers, body, maxBytes }: ServiceRequest,
  signal: AbortSignal,
): Promise<ServiceResponse> {
  if (signal.aborted) throw new TransportError('aborted', false, false, signal.reason)
  const ending = new AbortController()
  let answered = false
  const receive = async (): Promise<ServiceResponse> => {
    const init = { method, headers, body: body ?? null, redirect: 'manual', signal: ending.signal } as const
    const response = await fetch(origin + path, init)
    answered = true
    const given = (name: string): string | undefined => response.headers.get(name) ?? undefined
    const encoding = response.headers.get('content-encoding')
    const read = await readText(response.body?.getReader(), maxBytes).catch((error: unknown) => {
      if (encoding === null || !isBrokenEncoding(error)) throw error
      return null
    })
    if (read === undefined) throw new TransportError('too-large', true, true, undefined)
    const contentEncoding = read === null ? (encoding ?? undefined) : unreadEncoding(encoding, read)
    return {
      status: statusOf(response),
      text: contentEncoding === undefined ? (read ?? '') : '',
      date: given('date'),
      retryAfter: given('retry-after'),
      contentType: given('content-type'),
      contentEncoding,
      location: given('location'),
    }
  }
  try {
    // The host's `fetch` may settle long after the abort. In Cloudflare Workers it never settles if another
    // request aborts it.
    return await untilAborted(receive(), signal)
  } catch (error) {
    ending.abort()
    if (signal.aborted) throw new TransportError('aborted', true, answered, signal.reason)
    throw error instanceof TransportError ? error : new TransportError('unreachable', true, answered, error)
  }
}

function handshake(
  { origin, path, authorization }: HandshakeRequest,
  listener: HandshakeListener,
): () => void {
  const ending = new AbortController()
  let socket: UpgradeResponse['webSocket']
  let ended = false
  const end = (): void => {
    ended = true
    ending.abort()
    if (socket && socket.readyState < 2) socket.close()
  }

  const shakeHands = async (): Promise<void> => {
    const headers = { authorization, 'accept-encoding': 'identity', upgrade: 'websocket' }
    const init = { headers, redirect: 'manual', signal: ending.signal } as const
    const response: UpgradeResponse = await fetch(origin + path, init)
    if (ended) return
    socket = response.webSocket
    if (!socket) {
      listener.onRefused(statusOf(response))
      const body = (await readText(response.body?.getReader(), MAX_REFUSAL_BYTES).catch(() => '')) ?? ''
      if (!ended) listener.onBody(body)
      return
    }
    listener.onOpen()
    socket.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
      if (!ended && typeof data === 'string') listener.onText(data)
    })
    socket.addEventListener('close', ({ code, reason }) => ended || listener.onClose(code, reason))
    socket.addEventListener('error', () => ended || listener.onClose(1006, ''))
    socket.accept()
  }
  shakeHands().catch((error: unknown) => {
    if (ended) return
    ended = true
    listener.onError(error instanceof Error ? error : new Error('fetch threw.', { cause: error }))
  })
  return end
}
