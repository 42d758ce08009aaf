import { z } from 'zod'
import { REFUSAL_CODES } from '../errors/refusal.js'
import { SIZES } from '../service/limits.js'
import { UsageType } from './sessionToken.js'
import { QueueAnswer } from './sessions.js'
import { text } from './text.js'

/** Body of the BFF's `POST /handshake-check`. */
export const HandshakeCheckRequest = z.strictObject({
  usage_type: UsageType,
  session_key: text(SIZES.sessionKey).min(1),
  /** The session with which the page was refused. The answer then has its place in the queue, or a new one. */
  lease: text(SIZES.session).min(1).optional(),
})
export type HandshakeCheckRequest = z.infer<typeof HandshakeCheckRequest>

/**
 * The 200 of `POST /handshake-check`. It says why the service refused a handshake, which a browser cannot
 * see.
 */
export const HandshakeCheckResponse = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true) }),
  z.object({
    ok: z.literal(false),
    error_code: z.enum(REFUSAL_CODES),
    retryable: z.boolean(),
    /** The number in the service's refusal, if it sent one. */
    status: z.int().optional(),
    /** If the account has no room for the session of `lease`: its place in the queue. */
    ...QueueAnswer.partial().shape,
  }),
])
export type HandshakeCheckResponse = z.infer<typeof HandshakeCheckResponse>
