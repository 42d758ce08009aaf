import {
  isErrorFrame,
  readClose,
  readErrorFrame,
  readRefusedUpgrade,
  type Refusal,
} from '@stagepass/contract'
import { WebSocket } from 'ws'
import { CheckEnded } from '../report/Result.js'
import { explainFailure } from './explainFailure.js'

type Sleep = (ms: number) => Promise<void>

export interface SocketRequest {
  readonly url: URL
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** For the handshake. */
  readonly timeoutMs: number
  /**
   * The service may refuse after the open, by a message or a close. Without either for this long, the
   * handshake counts as accepted.
   */
  readonly settleMs: number
  readonly signal: AbortSignal
}

/** A text message, or the close. */
interface SocketEvent {
  readonly text?: string
  readonly close?: { readonly code: number; readonly reason: string }
}

/** An open WebSocket. */
export interface Opened {
  readonly type: 'open'
  readonly tookMs: number
  send(text: string): void
  /**
   * The close, or the first message that passes; `undefined` after `withinMs`. Default: no message passes.
   */
  wait(withinMs: number, test?: (text: string) => boolean): Promise<SocketEvent | undefined>
  /** Resolves when the connection has ended. */
  end(): Promise<void>
}

export interface Refused {
  readonly type: 'refused'
  /** How it arrived, such as `HTTP status 403`. */
  readonly form: string
  /** `undefined`: the form of the refusal is not known. */
  readonly refusal: Refusal | undefined
  /** From the open to the refusal; 0 if it never opened. */
  readonly afterOpenMs: number
}

/** How a handshake ended. */
type Handshake = Opened | Refused

const MAX_REFUSAL_LENGTH = 4_096
const END_MS = 2_000

/**
 * (Assumptions: "Refused handshakes".) With `sleep` it tries again while all sessions are in use. Rejects
 * with `CheckEnded` if there is no response.
 */
export async function openSocket(request: SocketRequest, sleep?: Sleep): Promise<Handshake> {
  if (sleep) return waitForSession(() => openSocket(request), isFull, sleep)
  const { url, headers, timeoutMs, settleMs, signal } = request
  const startMs = performance.now()
  const socket = new WebSocket(url, {
    headers: { 'user-agent': 'stagepass-doctor', ...headers },
    handshakeTimeout: timeoutMs,
    maxPayload: 1_048_576,
    perMessageDeflate: false,
  })
  const events: SocketEvent[] = []
  socket.on('message', (data: Buffer, isBinary: boolean) => {
    if (!isBinary) events.push({ text: data.toString() })
  })
  socket.on('close', (code: number, reason: Buffer) => {
    events.push({ close: { code, reason: reason.toString() } })
  })
  const cancel = (): void => socket.terminate()
  signal.addEventListener('abort', cancel)
  socket.once('close', () => signal.removeEventListener('abort', cancel))

  const wait: Opened['wait'] = (withinMs, test) =>
    new Promise((resolve) => {
      const settle = (event?: SocketEvent): void => {
        clearTimeout(timer)
        socket.off('message', look).off('close', look)
        resolve(event)
      }
      const look = (): void => {
        const event = events.find(({ text, close }) => close ?? (text !== undefined && test?.(text)))
        if (event) settle(event)
      }
      const timer = setTimeout(settle, withinMs)
      socket.on('message', look).on('close', look)
      look()
    })

  const refused = await new Promise<Refused | undefined>((resolve, reject) => {
    socket.once('open', () => resolve(undefined))
    socket.once('unexpected-response', (_request, response) => {
      const status = response.statusCode ?? 0
      let body = ''
      const finish = (): void => {
        socket.terminate()
        const refusal = readRefusedUpgrade({ status, body: body.slice(0, MAX_REFUSAL_LENGTH) })
        resolve({ type: 'refused', form: `HTTP status ${status}`, refusal, afterOpenMs: 0 })
      }
      // A body that does not end is taken as it is after this time.
      setTimeout(finish, settleMs)
      response.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
      response.on('close', finish)
    })
    // It stays: a WebSocket without a listener throws its errors.
    socket.on('error', (cause) => reject(new CheckEnded(explainFailure(url, cause), { cause })))
  })
  if (refused) return refused
  const openMs = performance.now()

  const sign = await wait(settleMs, isErrorFrame)
  const afterOpenMs = performance.now() - openMs
  if (sign?.close) {
    const { code, reason } = sign.close
    const form = `a close with the code ${code}`
    return { type: 'refused', form, refusal: readClose(code, reason), afterOpenMs }
  }
  if (sign?.text !== undefined) {
    socket.terminate()
    const form = 'an error message after the open'
    return { type: 'refused', form, refusal: readErrorFrame(sign.text), afterOpenMs }
  }
  return {
    type: 'open',
    tookMs: openMs - startMs,
    send: (text) => socket.send(text),
    wait,
    async end() {
      socket.close(1000)
      if (!(await wait(END_MS))) socket.terminate()
    },
  }
}

export const isFull = (attempt: Handshake): boolean =>
  attempt.type === 'refused' && attempt.refusal?.code === 'concurrency_limit_exceeded'

/**
 * The service can take a moment to see that a session has ended: while all are in use, one of them can be the
 * doctor's own.
 */
const SESSION_WAITS_MS = [1_000, 3_000, 6_000]

/** Tries again while all sessions are in use, for 10 s in all. */
export async function waitForSession<T>(
  attempt: () => Promise<T>,
  isRefused: (result: T) => boolean,
  sleep: Sleep,
): Promise<T> {
  let result = await attempt()
  for (const waitMs of SESSION_WAITS_MS) {
    if (!isRefused(result)) break
    await sleep(waitMs)
    result = await attempt()
  }
  return result
}
