import http from 'node:http'
import https from 'node:https'
import type { TapedMessage } from '@stagepass/contract'
import { encodeText } from '@stagepass/contract'
import { WebSocket } from 'ws'

interface Talk {
  readonly url: URL
  readonly sessionKey: string
  /** Sent at their times after the open; sound that is not on the tape as silence. */
  readonly messages: readonly TapedMessage[]
  /** The talk ends after this time. */
  readonly lengthMs: number
  /** Called with each message of the service: its text, or `undefined` for bytes. True: the talk is over. */
  readonly onMessage: (text: string | undefined) => boolean
  readonly signal: AbortSignal
}

/** Sends messages to a stream, as a page has sent them. Resolves at the end of the talk. */
export async function talk({ url, sessionKey, messages, lengthMs, onMessage, signal }: Talk): Promise<void> {
  const address = new URL(url)
  address.search = `?authorization=${encodeText(`api-key ${sessionKey}`)}`
  const socket = new WebSocket(address, {
    agent: (address.protocol === 'wss:' ? https : http).globalAgent,
    headers: { 'accept-encoding': 'identity', 'user-agent': 'stagepass-doctor' },
    maxPayload: 1_048_576,
    perMessageDeflate: false,
  })
  const timers: NodeJS.Timeout[] = []
  const end = (): void => socket.terminate()
  signal.addEventListener('abort', end)
  try {
    await new Promise<void>((resolve) => {
      socket.on('open', () => {
        timers.push(setTimeout(resolve, lengthMs))
        for (const { afterMs, data } of messages) {
          if (afterMs > lengthMs) continue
          const payload = typeof data === 'number' ? new Uint8Array(data) : data
          timers.push(setTimeout(() => socket.send(payload, () => undefined), afterMs))
        }
      })
      socket.on('message', (data: Buffer, isBinary: boolean) => {
        if (onMessage(isBinary ? undefined : data.toString())) resolve()
      })
      socket.on('error', () => undefined)
      socket.on('close', () => resolve())
    })
  } finally {
    signal.removeEventListener('abort', end)
    for (const timer of timers) clearTimeout(timer)
    end()
  }
}
