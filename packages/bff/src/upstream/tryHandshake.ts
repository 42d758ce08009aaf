import {
  type HandshakeCheckAnswer,
  isErrorFrame,
  readClose,
  readErrorFrame,
  readRefusedUpgrade,
  type Refusal,
} from '@stagepass/contract'
import { WebSocket } from 'ws'
import type { Clock } from '../budget/core/Clock.js'
import { BffError } from '../context/BffError.js'

export interface HandshakeAttempt {
  readonly url: string
  readonly authorization: string
  readonly signal: AbortSignal
  readonly clock: Clock
}

/** The service may refuse after the open, by a frame or a close. Without either for this long, the handshake counts as accepted. */
const SETTLE_MS = 300

const MAX_REFUSAL_BYTES = 4_096

/**
 * Opens a socket as a client with headers can, looks at the result and drops the socket. The answer holds no text of the service. (S20.)
 * Rejects with UPSTREAM_UNREACHABLE if nothing answered, with UPSTREAM_ERROR or UPSTREAM_MALFORMED if the answer says nothing about the
 * handshake, or with the signal's reason.
 *
 *     connecting ─┬─ HTTP answer ─> refused            (status and body)
 *                 ├─ error ───────> unreachable
 *                 └─ open ─┬─ error frame ─> refused   (frame)
 *                          ├─ close ───────> refused   (reason)
 *                          └─ SETTLE_MS ───> ok
 */
export function tryHandshake({
  url,
  authorization,
  signal,
  clock,
}: HandshakeAttempt): Promise<HandshakeCheckAnswer> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const socket = new WebSocket(url, {
      headers: { authorization },
      followRedirects: false,
      perMessageDeflate: false,
      maxPayload: 65_536,
    })
    let cancelTimer: (() => void) | undefined
    let opened = false
    let erred = false

    const end = (settle: () => void): void => {
      cancelTimer?.()
      signal.removeEventListener('abort', onAbort)
      socket.removeAllListeners()
      // A socket that is closed while it connects emits an error.
      socket.on('error', () => undefined)
      socket.terminate()
      settle()
    }
    const onAbort = (): void => end(() => reject(signal.reason))
    const refuse = (refusal: Refusal | undefined, otherwise: () => BffError): void =>
      end(() => {
        if (!refusal) return reject(otherwise())
        const { code: error_code, retryable, status } = refusal
        resolve({ ok: false, error_code, retryable, ...(status !== undefined && { status }) })
      })
    const settleAfter = (settle: () => void): void => {
      cancelTimer = clock.after(SETTLE_MS, settle)
    }

    signal.addEventListener('abort', onAbort, { once: true })
    socket.on('unexpected-response', (_request, response) => {
      let body = ''
      const { statusCode: status = 0 } = response
      const conclude = () => refuse(readRefusedUpgrade({ status, body }), malformed)
      // Use the status even if the body does not end in time.
      settleAfter(conclude)
      response.on('data', (chunk: Buffer) => {
        body += chunk.toString('utf8')
        if (body.length > MAX_REFUSAL_BYTES) conclude()
      })
      response.on('end', conclude)
      response.on('error', conclude)
    })
    socket.on('open', () => {
      opened = true
      settleAfter(() => (erred ? refuse(undefined, unknownError) : end(() => resolve({ ok: true }))))
    })
    socket.on('message', (data: Buffer, isBinary) => {
      const text = isBinary ? '' : data.toString('utf8')
      const refusal = readErrorFrame(text)
      if (refusal) refuse(refusal, unknownError)
      // The close after an unknown error may hold a code that is known.
      else if (isErrorFrame(text)) erred = true
    })
    socket.on('close', (closeCode, reason) =>
      refuse(readClose(closeCode, reason.toString('utf8')), unknownError),
    )
    socket.on('error', (error) => {
      // After the open, the close follows an error and holds more.
      if (!opened) end(() => reject(new BffError('UPSTREAM_UNREACHABLE', { cause: error })))
    })
  })
}

/** No WebSocket service answers like this. The address is probably wrong. */
const malformed = (): BffError => new BffError('UPSTREAM_MALFORMED')

const unknownError = (): BffError => new BffError('UPSTREAM_ERROR', { retryable: true })
