import type { Product } from '@stagepass/contract'
import type { Client } from '../identity/Client.js'
import { UNSEEN_SLEEP_MS } from '../platform/sleepAware.js'
import { VoiceError } from '../errors/VoiceError.js'
import type { UsageReport } from '../usage/usageOf.js'
import { SessionToken } from './SessionToken.js'
import type { LiveToken, SessionOffer } from './TokenSource.js'

/** A token before its source gives it a number. */
export interface Minted extends Pick<
  LiveToken,
  'product' | 'token' | 'streamUrl' | 'expiresAt' | 'deadline'
> {
  // Internal members of `LiveToken` are not in its published declaration, so it cannot name them.
  readonly offer?: SessionOffer | undefined
  readonly receipt?: string | undefined
}

export interface MintOptions {
  readonly ttlMinutes: number | undefined
  /** The report of the token that the new one replaces. */
  readonly replaces?: UsageReport | undefined
  /** With `lease=1` the request asks for a session too. */
  readonly accept?: string | undefined
  readonly signal: AbortSignal
}

/** The part of the client that minting needs. */
type MintClient = Pick<Client, 'request' | 'platform' | 'user' | 'sessionId'>

/** Gets one token. Rejects with a `VoiceError`, which is `Queued` if all sessions are in use. */
export type Mint = (product: Product, options: MintOptions) => Promise<Minted>

/** Mints through the BFF. */
export function createMint({ request, platform, user, sessionId }: MintClient): Mint {
  return async function mintToken(product, { ttlMinutes, replaces, accept, signal }) {
    // The life is counted from before the request is sent: a slow network makes the deadline earlier, never
    // later.
    const sentAt = platform.now()
    const session_id = typeof sessionId === 'function' ? sessionId(user ?? undefined) : sessionId
    const response = await request({
      route: '/session-token',
      // JSON omits `undefined` fields.
      json: { usage_type: product, expiration_ttl: ttlMinutes, session_id, replaces },
      accept,
      signal,
    })
    const { session_key, expires_in_ms, stream_url, type, usage_type, usage_receipt, req_id, ...rest } =
      response
    const offer = rest.sessions ? { ...rest, at: sentAt } : undefined
    const expiresAt = new Date(String(response.expires_at))
    if (
      typeof session_key !== 'string' ||
      session_key === '' ||
      typeof expires_in_ms !== 'number' ||
      !(expires_in_ms >= 0) ||
      typeof stream_url !== 'string' ||
      Number.isNaN(expiresAt.getTime())
    ) {
      // Without a token the response may have a place in the queue.
      throw Object.assign(new VoiceError('MALFORMED_RESPONSE'), rest.ticket && { offer })
    }
    // security.md, S32: a long-lived key, or the token of another product, is not used even if a server sends
    // it by mistake.
    if (type !== 'session' || usage_type !== product) throw new VoiceError('TOKEN_MISMATCH')
    // A short sleep since then may be undetected.
    const deadline = sentAt + expires_in_ms - UNSEEN_SLEEP_MS
    return {
      product,
      token: new SessionToken(
        session_key,
        () => platform.now() >= deadline,
        typeof req_id === 'string' ? req_id : undefined,
      ),
      streamUrl: stream_url,
      expiresAt,
      deadline,
      offer,
      // Ignore a value of another type.
      receipt: typeof usage_receipt === 'string' ? usage_receipt : undefined,
    }
  }
}
