import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Product } from '@stagepass/contract'
import type { RawData, WebSocket } from 'ws'
import type { Clock } from '../platform/clock.js'
import { FAILED, failureReason } from '../request/failure.js'
import type { SessionTokenRow } from '../store/rows.js'
import type { StreamFactory } from '../streams/Stream.js'

export interface FrameCount {
  text: number
  binary: number
  /** Payload bytes of both. */
  bytes: number
}

/** One open socket, from the server's side. */
export interface LiveSocket {
  /** `socket-1`, `socket-2`, … in the order of opening. */
  readonly id: string
  readonly product: Product
  /** The token with which it was opened. */
  readonly sessionKey: string
  /** Milliseconds since the epoch, by the emulator's clock. */
  readonly openedAtMs: number
  readonly received: Readonly<FrameCount>
  readonly sent: Readonly<FrameCount>
  /** Sends a frame: text for a string, else binary. */
  send(data: string | Uint8Array): void
  /** The closing handshake. Default: 1000 without a reason. */
  close(code?: number, reason?: string): void
  /** Resets the TCP connection: the client sees 1006. */
  drop(): void
  /** Plays dead: nothing is read any more, so that no frame, ping or close is answered. */
  freeze(): void
}

/** A frame that a client sent. */
export interface ReceivedFrame {
  readonly socketId: string
  readonly product: Product
  readonly data: string | Buffer
  /** Milliseconds since the epoch, by the emulator's clock. */
  readonly at: number
}

interface Open {
  readonly live: LiveSocket
  readonly token: SessionTokenRow
  /** False as soon as either side has begun to close. */
  readonly isOpen: () => boolean
  readonly end: () => void
}

interface SocketsOptions {
  readonly clock: Clock
  readonly recordFrames: number
  readonly cutAtExpiry: boolean
  readonly streamOf: (product: Product) => StreamFactory
  /** Called with what a stream threw. */
  readonly onError: (error: unknown) => void
}

export interface Sockets {
  readonly live: readonly LiveSocket[]
  readonly frames: readonly ReceivedFrame[]
  countOf(account: string): number
  open(socket: WebSocket, transport: Duplex, token: SessionTokenRow): LiveSocket
  /** Under `cutAtExpiry`: closes the sockets whose token has expired by now. */
  cutExpired(): void
  reset(): void
}

/** How long after the expiry, at most, a socket is cut where only the injected clock jumped and nobody said so. */
const EXPIRY_CHECK_MS = 250

export function createSockets(options: SocketsOptions): Sockets {
  const { clock, recordFrames, cutAtExpiry, streamOf, onError } = options
  const open = new Map<string, Open>()
  let frames: ReceivedFrame[] = []
  let opened = 0
  let expiryTimer: NodeJS.Timeout | undefined

  const record = (frame: ReceivedFrame): void => {
    if (recordFrames === 0) return
    frames.push(frame)
    if (frames.length >= 2 * recordFrames) frames = frames.slice(-recordFrames)
  }

  const cutExpired = (): void => {
    clearTimeout(expiryTimer)
    if (!cutAtExpiry) return
    const nowMs = clock.now()
    let nextMs = Infinity
    for (const { live, token } of open.values()) {
      if (token.expiresAtMs <= nowMs) live.close(1008, 'unauthorized')
      else nextMs = Math.min(nextMs, token.expiresAtMs - nowMs)
    }
    if (nextMs === Infinity) return
    expiryTimer = setTimeout(cutExpired, Math.min(nextMs, EXPIRY_CHECK_MS))
    expiryTimer.unref()
  }

  return {
    get live() {
      return [...open.values()].filter(({ isOpen }) => isOpen()).map(({ live }) => live)
    },
    get frames() {
      return frames.slice(-recordFrames)
    },
    countOf(account) {
      let count = 0
      for (const { token, isOpen } of open.values()) if (isOpen() && token.account === account) count += 1
      return count
    },
    cutExpired,

    open(socket, transport, token) {
      opened += 1
      const id = `socket-${opened}`
      const received: FrameCount = { text: 0, binary: 0, bytes: 0 }
      const sent: FrameCount = { text: 0, binary: 0, bytes: 0 }
      const { product } = token

      const live: LiveSocket = {
        id,
        product,
        sessionKey: token.sessionKey,
        openedAtMs: clock.now(),
        received,
        sent,
        send(data) {
          if (socket.readyState !== socket.OPEN) return
          sent[typeof data === 'string' ? 'text' : 'binary'] += 1
          sent.bytes += Buffer.byteLength(data)
          socket.send(data)
        },
        close: (code = 1000, reason = '') => socket.close(code, reason),
        drop() {
          open.delete(id)
          if (transport instanceof Socket) transport.resetAndDestroy()
          else transport.destroy()
        },
        freeze: () => socket.pause(),
      }

      let failed = false
      // A stream that threw gets no more frames; some may still come before the close is answered.
      const guard = (act: () => void): void => {
        if (failed) return
        try {
          act()
        } catch (error) {
          failed = true
          onError(error)
          socket.close(FAILED, failureReason(error))
        }
      }
      const timers = new Set<ReturnType<typeof setTimeout>>()
      const after = (ms: number, act: () => void): (() => void) => {
        const timer = setTimeout(() => {
          timers.delete(timer)
          guard(act)
        }, ms)
        timers.add(timer)
        return () => {
          clearTimeout(timer)
          timers.delete(timer)
        }
      }
      const stream = streamOf(product)(live, { now: () => clock.now(), after })
      socket.on('message', (data: RawData, isBinary) => {
        // ws gives one Buffer as long as binaryType stays what it is by default.
        const bytes = data as Buffer
        received[isBinary ? 'binary' : 'text'] += 1
        received.bytes += bytes.length
        const frame = isBinary ? bytes : bytes.toString('utf8')
        record({ socketId: id, product, data: frame, at: clock.now() })
        guard(() => (typeof frame === 'string' ? stream.onText(frame) : stream.onBinary(frame)))
      })
      socket.on('close', () => {
        open.delete(id)
        for (const timer of timers) clearTimeout(timer)
      })
      open.set(id, {
        live,
        token,
        isOpen: () => socket.readyState === socket.OPEN,
        end: () => socket.terminate(),
      })
      cutExpired()
      return live
    },

    reset() {
      clearTimeout(expiryTimer)
      for (const { end } of open.values()) end()
      open.clear()
      frames = []
      opened = 0
    },
  }
}
