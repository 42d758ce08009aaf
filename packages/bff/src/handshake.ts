import { HANDSHAKE_ERRORS, type HandshakeErrorCode } from '@stagepass/contract'
import { WebSocket } from 'ws'
import type { Clock } from './budget/Clock.js'
import { BffError } from './errors.js'
import { isErrorFrame, readRefusal, type Refusal } from './handshakeRefusal.js'

export type HandshakeVerdict =
  | { readonly ok: true }
  | { readonly ok: false; readonly error_code: HandshakeErrorCode; readonly retryable: boolean }

export interface HandshakeAttempt {
  readonly url: string
  readonly authorization: string
  readonly signal: AbortSignal
  readonly clock: Clock
}

/** A service may refuse by a frame or a close after the open: one that says nothing for so long has accepted. */
export const SETTLE_MS = 300

const MAX_REFUSAL_BYTES = 4_096

/**
 * Opens a socket as a client with headers can, sees what comes of it and drops it. Rejects with UPSTREAM_UNREACHABLE where no answer came, with
 * UPSTREAM_ERROR or UPSTREAM_MALFORMED if the answer is no refusal (Contract: "Handshake errors"), or with the signal's reason.
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
}: HandshakeAttempt): Promise<HandshakeVerdict> {
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

    const end = (settle: () => void): void => {
      cancelTimer?.()
      signal.removeEventListener('abort', onAbort)
      socket.removeAllListeners()
      // Dropping a socket that is still connecting makes it emit an error.
      socket.on('error', () => undefined)
      socket.terminate()
      settle()
    }
    const onAbort = (): void => end(() => reject(signal.reason))
    const refuse = (refusal: Refusal): void =>
      end(() => {
        const error_code = readRefusal(refusal)
        if (error_code) resolve({ ok: false, error_code, retryable: HANDSHAKE_ERRORS[error_code].retryable })
        else reject(otherRefusal(refusal))
      })
    const settleAfter = (settle: () => void): void => {
      cancelTimer = clock.after(SETTLE_MS, settle)
    }

    signal.addEventListener('abort', onAbort, { once: true })
    socket.on('unexpected-response', (_request, response) => {
      let text = ''
      const conclude = () => refuse({ status: response.statusCode, text })
      // A body that does not end must not hide a status that is there.
      settleAfter(conclude)
      response.on('data', (chunk: Buffer) => {
        text += chunk.toString('utf8')
        if (text.length > MAX_REFUSAL_BYTES) conclude()
      })
      response.on('end', conclude)
      response.on('error', conclude)
    })
    socket.on('open', () => {
      opened = true
      settleAfter(() => end(() => resolve({ ok: true })))
    })
    socket.on('message', (data: Buffer, isBinary) => {
      const text = isBinary ? '' : data.toString('utf8')
      if (isErrorFrame(text)) refuse({ text })
    })
    socket.on('close', (closeCode, reason) => refuse({ text: reason.toString('utf8'), closeCode }))
    socket.on('error', (error) => {
      // After the open an error is followed by the close, which knows more.
      if (!opened) end(() => reject(new BffError('UPSTREAM_UNREACHABLE', { cause: error })))
    })
  })
}

function otherRefusal({ status }: Refusal): BffError {
  if (status === undefined) return new BffError('UPSTREAM_ERROR', { retryable: true })
  return status >= 500
    ? new BffError('UPSTREAM_ERROR', { retryable: true })
    : new BffError('UPSTREAM_MALFORMED')
}
