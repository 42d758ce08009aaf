import { createHash, randomBytes } from 'node:crypto'
import type { Duplex } from 'node:stream'
import {
  type HandshakeCheckAnswer,
  isErrorFrame,
  readClose,
  readErrorFrame,
  readRefusedUpgrade,
  type Refusal,
} from '@stagepass/contract'
import type { Clock } from '../context/platform.js'
import { BffError } from '../context/BffError.js'
import type { Connections } from './dispatcher.js'
import { readFrames } from './readFrames.js'

export interface HandshakeAttempt {
  readonly connections: Connections
  readonly path: string
  readonly authorization: string
  readonly signal: AbortSignal
  readonly clock: Clock
}

/** The service may refuse after the open, by a frame or a close. Without either for this long, the handshake counts as accepted. */
const SETTLE_MS = 300

const MAX_REFUSAL_BYTES = 4_096

/** The value that a server makes of the key to show that it speaks WebSocket. (RFC 6455, section 4.2.2.) */
const acceptOf = (key: string): string =>
  createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')

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
  connections,
  path,
  authorization,
  signal,
  clock,
}: HandshakeAttempt): Promise<HandshakeCheckAnswer> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    let controller: { abort(reason: Error): void } | undefined
    let socket: Duplex | undefined
    let cancelTimer: (() => void) | undefined
    let ended = false

    const end = (settle: () => void): void => {
      if (ended) return
      ended = true
      cancelTimer?.()
      signal.removeEventListener('abort', onAbort)
      controller?.abort(new Error('cancelled'))
      socket?.destroy()
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
      if (!ended) cancelTimer = clock.after(SETTLE_MS, settle)
    }
    const watch = (open: Duplex): void => {
      let erred = false
      socket = open
      settleAfter(() => (erred ? refuse(undefined, unknownError) : end(() => resolve({ ok: true }))))
      readFrames(open, {
        onText(text) {
          const refusal = readErrorFrame(text)
          if (refusal) refuse(refusal, unknownError)
          // The close after an unknown error may hold a code that is known.
          else if (isErrorFrame(text)) erred = true
        },
        onClose: (code, reason) => refuse(readClose(code, reason), unknownError),
      })
    }

    const key = randomBytes(16).toString('base64')
    const headers = { authorization, 'sec-websocket-key': key, 'sec-websocket-version': '13' }
    const refusal = { status: 0, body: '' }
    const conclude = (): void => refuse(readRefusedUpgrade(refusal), malformed)

    signal.addEventListener('abort', onAbort, { once: true })
    connections.dispatch(
      { method: 'GET', path, headers, upgrade: 'websocket' },
      {
        onStart(started) {
          controller = started
          if (ended) started.abort(new Error('cancelled'))
        },
        onUpgrade(received, open) {
          // A socket that is closed while it is read emits an error.
          open.on('error', () => undefined)
          if (ended) return void open.destroy()
          if (received['sec-websocket-accept'] === acceptOf(key)) return watch(open)
          socket = open
          refuse(undefined, malformed)
        },
        onResponse(status) {
          refusal.status = status
          cancelTimer?.()
          // Use the status even if the body does not end in time.
          settleAfter(conclude)
        },
        onData(chunk) {
          refusal.body += chunk.toString('utf8')
          if (refusal.body.length > MAX_REFUSAL_BYTES) conclude()
        },
        onEnd: conclude,
        onError: (error) =>
          refusal.status === 0
            ? end(() => reject(new BffError('UPSTREAM_UNREACHABLE', { cause: error })))
            : conclude(),
      },
    )
  })
}

/** No WebSocket service answers like this. The address is probably wrong. */
const malformed = (): BffError => new BffError('UPSTREAM_MALFORMED')

const unknownError = (): BffError => new BffError('UPSTREAM_ERROR', { retryable: true })
