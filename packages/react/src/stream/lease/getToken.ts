import { WITH_LEASE } from '@stagepass/contract'
import type { LiveToken, Queued } from '../../token/TokenSource.js'
import { ROOM_KNOWN_MS, type StreamParts, type TokenRequest } from './StreamParts.js'

/**
 * The token for an attempt. If the BFF shares the sessions of the account, a stream gets a session with its
 * first token, or a place in the queue. Rejects with a `VoiceError`.
 */
export async function getToken(stream: StreamParts, request: TokenRequest): Promise<LiveToken> {
  const { client, tokens, held } = stream
  if (held?.isAsking()) return held.getToken(request)
  const answer = await tokens.get({ ...request, accept: WITH_LEASE }).catch((error: Queued) => error)
  const { offer } = answer
  if (offer) {
    const { lease, ticket, sessions, at } = offer
    // No other stream takes them.
    offer.lease = offer.ticket = undefined
    // A chunk of its own: only pages load it whose BFF shares sessions (its option `sessions`).
    const next = import('./holdLease.js').then(({ holdLease }) =>
      holdLease(stream).enter(request, { ...offer, lease, ticket }),
    )
    // The token is older than the press, so a session is requested at the same time as the handshake.
    const isFree = sessions !== 'full' && client.platform.now() - at < ROOM_KNOWN_MS
    if (!answer.token || !(lease || isFree)) return next
    next.catch(() => {})
  }
  if (!answer.token) throw answer
  return answer
}
