import {
  type HandshakeCheckResponse,
  type HandshakeRequest,
  isErrorFrame,
  readClose,
  readErrorFrame,
  readRefusedUpgrade,
  type Refusal,
} from '@stagepass/contract'
import { BffError } from '../base/BffError.js'
import { untilAborted } from '../request/untilAborted.js'
import type { Clock } from '../base/platform.js'
import { unreachable, type WayOut } from './sendRequest.js'

/**
 * After the open, the service may still refuse with a frame or a close. If neither arrives in this time, the
 * handshake counts as accepted.
 */
const SETTLE_MS = 300

/**
 * Opens a WebSocket with a header, waits for the result and closes the WebSocket. The result contains no text
 * of the service. (security.md, S20.) Rejects with UPSTREAM_UNREACHABLE if there is no response, with
 * UPSTREAM_ERROR or UPSTREAM_MALFORMED if the response says nothing about the handshake, or with the signal's
 * reason.
 *
 *     connecting ─┬─ HTTP response ─> refused          (status and body)
 *                 ├─ error ─────────> unreachable
 *                 └─ open ─┬─ error frame ─> refused   (frame)
 *                          ├─ close ───────> refused   (reason)
 *                          └─ SETTLE_MS ───> ok
 */
export async function tryHandshake(
  wayOut: WayOut,
  request: HandshakeRequest,
  signal: AbortSignal,
  clock: Clock,
): Promise<HandshakeCheckResponse> {
  signal.throwIfAborted()
  let end = (): void => {}
  let cancelTimer: (() => void) | undefined
  const verdict = new Promise<HandshakeCheckResponse>((resolve, reject) => {
    let refusedWith = 0
    let hasErred = false
    const decide = (refusal: Refusal | undefined, otherwise: BffError): void => {
      if (!refusal) return reject(otherwise)
      const { code: error_code, retryable, status } = refusal
      resolve({ ok: false, error_code, retryable, ...(status !== undefined && { status }) })
    }
    const readBody = (body: string): void =>
      decide(readRefusedUpgrade({ status: refusedWith, body }), malformed(refusedWith))
    const settleAfter = (settle: () => void): void => {
      cancelTimer = clock.after(SETTLE_MS, settle)
    }

    end = wayOut.transport.handshake(request, {
      onOpen: () => settleAfter(() => (hasErred ? reject(unknownError()) : resolve({ ok: true }))),
      onText(text) {
        const refusal = readErrorFrame(text)
        if (refusal) decide(refusal, unknownError())
        // The close after an unknown error frame may have a known code.
        else if (isErrorFrame(text)) hasErred = true
      },
      onClose: (code, reason) => decide(readClose(code, reason), unknownError()),
      onRefused(status) {
        refusedWith = status
        // Use the status even if the body does not end in time.
        settleAfter(() => readBody(''))
      },
      onBody: readBody,
      onError: (cause) => reject(unreachable(cause, wayOut)),
    })
  })
  try {
    return await untilAborted(verdict, signal)
  } finally {
    cancelTimer?.()
    end()
  }
}

/** A WebSocket service does not respond like this. The address is probably wrong. */
const malformed = (status: number): BffError =>
  new BffError('UPSTREAM_MALFORMED', {
    seen: { cause: 'elsewhere', status, what: ' to a WebSocket handshake' },
  })

const unknownError = (): BffError => new BffError('UPSTREAM_ERROR', { retryable: true })
