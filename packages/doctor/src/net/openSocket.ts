import http from 'node:http'
import https from 'node:https'
import { pipeline } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import {
  isErrorFrame,
  readClose,
  readErrorFrame,
  readRefusedUpgrade,
  type Refusal,
  encodeText,
} from '@stagepass/contract'
import { WebSocket } from 'ws'
import { CheckEnded } from '../report/Result.js'
import type { Limits } from '../settings/Settings.js'
import { explainFailure } from './explainFailure.js'

export interface Refused {
  /** How it arrived, such as `HTTP status 403`. */
  readonly form: string
  /** `undefined` if the form of the refusal is not known. */
  readonly refusal: Refusal | undefined
}

const MAX_REFUSAL_LENGTH = 4_096
const END_MS = 2_000

/** Some gateways encode every response. */
const DECODERS = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  br: createBrotliDecompress,
  deflate: createInflate,
} as const

/**
 * Opens a WebSocket as a page does, and closes it again. Resolves with the refusal, or with `undefined` if it
 * was accepted. The service may refuse after the open, with a message or a close. If neither arrives within
 * `settleMs`, the handshake counts as accepted. (Assumptions: "Refused handshakes".) Rejects with
 * `CheckEnded` if there is no response.
 */
export async function openSocket(
  base: URL,
  sessionKey: string | undefined,
  { timeoutMs, settleMs }: Limits,
  signal: AbortSignal,
): Promise<Refused | undefined> {
  const url = new URL(base)
  if (sessionKey !== undefined) url.search = `?authorization=${encodeText(`api-key ${sessionKey}`)}`
  const socket = new WebSocket(url, {
    // Without an agent, `ws` makes the connection itself and bypasses the proxy of NODE_USE_ENV_PROXY.
    agent: (url.protocol === 'wss:' ? https : http).globalAgent,
    headers: { 'accept-encoding': 'identity', 'user-agent': 'stagepass-doctor' },
    handshakeTimeout: timeoutMs,
    maxPayload: 1_048_576,
    perMessageDeflate: false,
  })
  const cancel = (): void => socket.terminate()
  signal.addEventListener('abort', cancel)
  try {
    return await new Promise<Refused | undefined>((resolve, reject) => {
      socket.on('open', () => setTimeout(() => resolve(undefined), settleMs))
      socket.on('message', (data: Buffer, isBinary: boolean) => {
        const text = isBinary ? '' : data.toString()
        if (!isErrorFrame(text)) return
        resolve({ form: 'an error message after the open', refusal: readErrorFrame(text) })
      })
      socket.on('close', (code: number, reason: Buffer) => {
        const refusal = readClose(code, reason.toString())
        resolve({ form: `a close with the code ${code}`, refusal })
      })
      socket.on('unexpected-response', (_request, response) => {
        const status = response.statusCode ?? 0
        let body = ''
        const finish = (): void => {
          clearTimeout(timer)
          const refusal = readRefusedUpgrade({ status, body: body.slice(0, MAX_REFUSAL_LENGTH) })
          resolve({ form: `HTTP status ${status}`, refusal })
        }
        // If the body does not end in this time, its received part is used.
        const timer = setTimeout(finish, timeoutMs)
        const coding = response.headers['content-encoding'] ?? ''
        const decoder = Object.hasOwn(DECODERS, coding)
          ? DECODERS[coding as keyof typeof DECODERS]()
          : undefined
        const plain = decoder ? pipeline(response, decoder, finish) : response
        plain.setEncoding('utf8').on('data', (chunk: string) => {
          body += chunk
          if (body.length > MAX_REFUSAL_LENGTH) plain.destroy()
        })
        plain.on('close', finish)
      })
      // This listener is never removed, because a WebSocket without one throws its errors.
      socket.on('error', (cause) => reject(new CheckEnded(explainFailure(url, cause), { cause })))
    })
  } finally {
    await end(socket)
    signal.removeEventListener('abort', cancel)
  }
}

/** Waits until the connection has ended, because the next one may need its session. */
async function end(socket: WebSocket): Promise<void> {
  if (socket.readyState === WebSocket.CLOSED) return
  const timer = setTimeout(() => socket.terminate(), END_MS)
  const closed = new Promise((resolve) => socket.on('close', resolve))
  if (socket.readyState === WebSocket.CONNECTING) socket.terminate()
  else socket.close(1000)
  await closed
  clearTimeout(timer)
}

/** Describes the form of a refusal and its code, such as `HTTP status 403, unauthorized`. */
export const describeRefusal = ({ form, refusal }: Refused): string =>
  `${form}, ${refusal?.code ?? 'without a known code'}`
