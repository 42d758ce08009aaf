import {
  type HandshakeCheckResponse,
  type HandshakeRequest,
  isErrorFrame,
  readClose,
  readErrorFrame,
  readRefusedUpgrade,
  type Refusal,
  type Transport,
} from '@stagepass/contract'
import type { Clock } from '../platform/platform.js'
import { BffError } from '../errors/BffError.js'

/**
 * The service may refuse after the open, by a frame or a close. Without either for this long, the handshake
 * counts as accepted.
 */
const SETTLE_MS = 300

/**
 * Opens a WebSocket as a client with headers can, looks at the result and drops the WebSocket. The answer
 * holds no text of the service. (SECURITY.md, S20.) Rejects with UPSTREAM_UNREACHABLE if nothing answered,
 * with UPSTREAM_ERROR or UPSTREAM_MALFORMED if the answer says nothing about the handshake, or with the
 * reason of the signal.
 *
 *     connecting ─┬─ HTTP response ─> refused          (status and body)
 *                 ├─ error ─────────> unreachable
 *                 └─ open ─┬─ error frame ─> refused   (frame)
 *                          ├─ close ───────> refused   (reason)
 *                          └─ SETTLE_MS ───> ok
 */
export function tryHandshake(
  transport: Transport,
  request: HandshakeRequest,
  signal: AbortSignal,
  clock: Clock,
): Promise<HandshakeCheckResponse> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    let endHandshake = (): void => {}
    let cancelTimer: (() => void) | undefined
    let ended = false
    let refusedWith = 0
    let erred = false

    const end = (settle: () => void): void => {
      if (ended) return
      ended = true
      cancelTimer?.()
      signal.removeEventListener('abort', abort)
      endHandshake()
      settle()
    }
    const abort = (): void => end(() => reject(signal.reason))
    signal.addEventListener('abort', abort, { once: true })
    const refuse = (refusal: Refusal | undefined, otherwise: () => BffError): void =>
      end(() => {
        if (!refusal) return reject(otherwise())
        const { code: error_code, retryable, status } = refusal
        resolve({ ok: false, error_code, retryable, ...(status !== undefined && { status }) })
      })
    const readBody = (body: string): void =>
      refuse(readRefusedUpgrade({ status: refusedWith, body }), malformed)
    const settleAfter = (settle: () => void): void => {
      cancelTimer?.()
      if (!ended) cancelTimer = clock.after(SETTLE_MS, settle)
    }

    endHandshake = transport.handshake(request, {
      onOpen: () =>
        settleAfter(() => (erred ? refuse(undefined, unknownError) : end(() => resolve({ ok: true })))),
      onText(text) {
        const refusal = readErrorFrame(text)
        if (refusal) refuse(refusal, unknownError)
        // The close after an unknown error may hold a code that is known.
        else if (isErrorFrame(text)) erred = true
      },
      onClose: (code, reason) => refuse(readClose(code, reason), unknownError),
      onRefused(status) {
        refusedWith = status
        // Use the status even if the body does not end in time.
        settleAfter(() => readBody(''))
      },
      onBody: readBody,
      onError: (cause) => end(() => reject(new BffError('UPSTREAM_UNREACHABLE', { cause }))),
    })
    // It has ended within that call.
    if (ended) endHandshake()
  })
}

/** No WebSocket service answers like this. The address is probably wrong. */
const malformed = (): BffError => new BffError('UPSTREAM_MALFORMED')

const unknownError = (): BffError => new BffError('UPSTREAM_ERROR', { retryable: true })
