import type { HandshakeCheckResponse } from '@stagepass/contract'
import type { HandshakeCheckRequest } from '@stagepass/contract/schemas'
import { invalidValue } from '../base/invalidValue.js'
import { gotText } from '../base/valueKind.js'
import type { Caller } from './Caller.js'
import { streamUrlOf } from './streamUrlOf.js'
import { checkProduct } from './refuse.js'
import type { Services } from './Services.js'
import { diagnoseRefusal } from './sessions.js'

/** The session key is sent in a header. A value that a header cannot contain is not a token. */
const HEADER_TEXT = /^[\x21-\x7e]+$/

/**
 * Tries the handshake with a header and returns the code that a browser cannot see. It uses one of the
 * account's simultaneous sessions for a moment, and counts as a token request of the user. With a `lease` all
 * pages of the account share one check.
 */
export async function checkHandshake(
  caller: Caller,
  { usage_type, session_key, lease }: HandshakeCheckRequest,
  { settings, upstream }: Services,
): Promise<HandshakeCheckResponse> {
  if (!HEADER_TEXT.test(session_key)) throw invalidValue('session_key', gotText(session_key))
  checkProduct(caller, usage_type)
  const address = streamUrlOf(usage_type, settings, caller.grant)
  const tryHandshake = () => upstream.tryHandshake(address, session_key, caller)
  const diagnosed = lease === undefined ? undefined : await diagnoseRefusal(caller, lease, tryHandshake)
  return diagnosed ?? tryHandshake()
}
