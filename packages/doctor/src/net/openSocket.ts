import {
  isErrorFrame,
  readClose,
  readErrorFrame,
  readRefusedUpgrade,
  type Refusal,
} from '@stagepass/contract'
import { WebSocket } from 'ws'

export interface SocketRequest {
  readonly url: URL
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** For the handshake. */
  readonly timeoutMs: number
  /** The service may refuse after the open, by a frame or a close. Without either for this long, the handshake counts as accepted. */
  readonly settleMs: number
  readonly signal: AbortSignal
}

export interface Close {
  readonly code: number
  readonly refusal: Refusal | undefined
}

/** An open WebSocket. */
export interface OpenSocket {
  send(text: string): void
  /** The first text that passes, or the close, or `undefined` after `withinMs`. */
  wait(test: (text: string) => boolean, withinMs: number): Promise<string | Close | undefined>
  /** The close, if there is one within this time. */
  closed(withinMs: number): Promise<Close | undefined>
  /** Resolves when the connection has ended. */
  end(): Promise<void>
}

/** How a handshake ended. `refusal` is left out if the form of the refusal is not known. */
export type Handshake =
  | { readonly type: 'open'; readonly socket: OpenSocket; readonly tookMs: number }
  | {
      readonly type: 'refused'
      readonly by: 'status' | 'frame' | 'close'
      /** HTTP status or close code, if there is one. */
      readonly number: number | undefined
      readonly refusal: Refusal | undefined
    }
  | { readonly type: 'failed'; readonly error: unknown }

const MAX_REFUSAL_BYTES = 4_096
const END_MS = 2_000

/** (Assumptions: "Refused handshakes".) Never rejects, except with the signal's reason. */
export async function openSocket(request: SocketRequest): Promise<Handshake> {
  const { url, headers = {}, timeoutMs, settleMs, signal } = request
  signal.throwIfAborted()
  const startMs = performance.now()
  const socket = new WebSocket(url, {
    headers: { 'user-agent': 'stagepass-doctor', ...headers },
    handshakeTimeout: timeoutMs,
    maxPayload: 1_048_576,
    perMessageDeflate: false,
  })
  const texts: string[] = []
  const listeners = new Set<() => void>()
  let close: Close | undefined
  const notify = (): void => {
    for (const listener of listeners) listener()
  }
  socket.on('message', (data: Buffer, isBinary: boolean) => {
    if (!isBinary) texts.push(data.toString('utf8'))
    notify()
  })
  socket.on('close', (code: number, reason: Buffer) => {
    close = { code, refusal: readClose(code, reason.toString('utf8')) }
    notify()
  })
  const onAbort = (): void => socket.terminate()
  signal.addEventListener('abort', onAbort, { once: true })
  socket.once('close', () => signal.removeEventListener('abort', onAbort))

  /** The first value that `read` finds, now or after the next event. */
  const waitFor = async <T>(read: () => T | undefined, withinMs: number): Promise<T | undefined> => {
    let cancel = (): void => undefined
    const found = await new Promise<T | undefined>((resolve) => {
      const listener = (): void => {
        const value = read()
        if (value !== undefined) resolve(value)
      }
      const timer = setTimeout(() => resolve(undefined), withinMs)
      cancel = () => {
        clearTimeout(timer)
        listeners.delete(listener)
      }
      listeners.add(listener)
      listener()
    })
    cancel()
    signal.throwIfAborted()
    return found
  }

  const refused = await new Promise<Handshake | undefined>((resolve) => {
    socket.once('open', () => resolve(undefined))
    socket.once('unexpected-response', (_request, response) => {
      let body = ''
      const finish = (): void => {
        const status = response.statusCode ?? 0
        socket.terminate()
        resolve({
          type: 'refused',
          by: 'status',
          number: status,
          refusal: readRefusedUpgrade({ status, body }),
        })
      }
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        body += chunk
        if (body.length > MAX_REFUSAL_BYTES) finish()
      })
      response.once('end', finish)
      response.once('error', finish)
      setTimeout(finish, settleMs)
    })
    // It stays: a WebSocket without a listener throws its errors.
    socket.on('error', (error) => resolve({ type: 'failed', error }))
  })
  signal.throwIfAborted()
  if (refused) return refused
  const tookMs = performance.now() - startMs

  const frame = await waitFor(() => texts.find(isErrorFrame) ?? close, settleMs)
  if (typeof frame === 'string') {
    socket.terminate()
    return { type: 'refused', by: 'frame', number: undefined, refusal: readErrorFrame(frame) }
  }
  if (frame) return { type: 'refused', by: 'close', number: frame.code, refusal: frame.refusal }

  return {
    type: 'open',
    tookMs,
    socket: {
      send: (text) => socket.send(text),
      wait: (test, withinMs) => waitFor(() => texts.find(test) ?? close, withinMs),
      closed: (withinMs) => waitFor(() => close, withinMs),
      async end() {
        socket.close(1000)
        if (!(await waitFor(() => close, END_MS))) socket.terminate()
      },
    },
  }
}
