import { z } from 'zod'
import { codesOf, HANDSHAKE_ERRORS } from '../errors.js'
import { UsageType } from './sessionToken.js'
import { text } from './text.js'

/** Body of the BFF's `POST /handshake-check`. */
export const HandshakeCheckRequest = z.strictObject({
  usage_type: UsageType,
  session_key: text(2_048).min(1),
})
export type HandshakeCheckRequest = z.infer<typeof HandshakeCheckRequest>

/** The 200 of `POST /handshake-check`: the code of a refused upgrade, which a browser cannot see. */
export const HandshakeCheckAnswer = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true) }),
  z.object({ ok: z.literal(false), error_code: z.enum(codesOf(HANDSHAKE_ERRORS)), retryable: z.boolean() }),
])
export type HandshakeCheckAnswer = z.infer<typeof HandshakeCheckAnswer>
