import type { Product } from '@stagepass/contract'
import { utf8Length } from '../platform/bytes.js'
import type { EmulatorClock } from '../platform/clock.js'
import type { Platform } from '../platform/Platform.js'
import { FAILED, failureReason } from '../request/failure.js'
import type { SessionTokenRow } from '../store/rows.js'
import { type CreateProductStream, POLICY_VIOLATION } from '../streams/ProductStream.js'
import { createHearing } from './createHearing.js'
import { createLine } from './createLine.js'
import type { Socket, SocketListener } from './Socket.js'

/** Numbers of messages on a socket in one direction. */
export interface FrameCount {
  text: number
  binary: number
  /** Payload bytes of text and binary messages together. */
  bytes: number
}

/** One open socket, from the server's side. */
export interface LiveSocket {
  /** `socket-1`, `socket-2`, … in the order of opening. */
  readonly id: string
  readonly product: Product
  /** The token that opened it. */
  readonly sessionKey: string
  /** Milliseconds since the epoch, by the emulator's clock. */
  readonly openedAtMs: number
  readonly received: Readonly<FrameCount>
  readonly sent: Readonly<FrameCount>
  /** Sends a message: text for a string, otherwise binary. */
  send(data: string | Uint8Array): void
  /** Begins the closing handshake. Default: 1000 without a reason. */
  close(code?: number, reason?: string): void
  /** Resets the connection. The client sees 1006. */
  drop(): void
  /** Stops reading, so no message, ping or close is answered. */
  freeze(): void
  /**
   * Takes what is sent and answers nothing, as a connection that is dead and not closed. What arrives
   * meanwhile is not heard. Default: until the connection ends.
   */
  mute(forMs?: number): void
}

/** A connection becomes mute `afterMs` after it has opened. */
export interface Mute {
  readonly afterMs: number
  readonly forMs: number
}

/** A message that a client sent. */
export interface ReceivedFrame {
  readonly socketId: string
  readonly product: Product
  readonly data: string | Uint8Array
  /** Milliseconds since the epoch, by the emulator's clock. */
  readonly at: number
}

interface Open {
  readonly live: LiveSocket
  readonly token: SessionTokenRow
  readonly socket: Socket
  readonly line: ReturnType<typeof createLine>
}

interface SocketsOptions {
  readonly clock: EmulatorClock
  readonly after: Platform['after']
  readonly recordFrames: number
  readonly cutAtExpiry: boolean
  readonly streamOf: (product: Product) => CreateProductStream
  /** Called with the error that a stream threw. */
  readonly onError: (error: unknown) => void
}

export type Sockets = ReturnType<typeof createSockets>

/** The connections whose time is kept. */
const BILLED_CONNECTIONS = 10_000

/** Longest delay between a token's expiry and the close. */
const EXPIRY_CHECK_MS = 250

export function createSockets(options: SocketsOptions) {
  const { clock, after, recordFrames, cutAtExpiry, streamOf, onError } = options
  const open = new Map<string, Open>()
  let frames: ReceivedFrame[] = []
  /** When each connection was opened and closed, in the order of opening. */
  const times = new Map<string, { readonly openedAtMs: number; closedAtMs?: number }>()
  const hearing = createHearing()
  let opened = 0
  let isDark = false
  let cancelCheck = (): void => undefined

  const stillOpen = (): Open[] => [...open.values()].filter(({ socket }) => socket.isOpen())

  const record = (frame: ReceivedFrame): void => {
    if (recordFrames === 0) return
    frames.push(frame)
    if (frames.length >= 2 * recordFrames) frames = frames.slice(-recordFrames)
  }

  const remember = (id: string): void => {
    times.set(id, { openedAtMs: clock.now() })
    const [oldest] = times.keys()
    if (times.size > BILLED_CONNECTIONS && oldest !== undefined) times.delete(oldest)
  }

  /** False for a socket from before a reset, even if a later one has its id. */
  const isKnown = (id: string, socket: Socket): boolean => open.get(id)?.socket === socket

  const forget = (id: string, socket: Socket): void => {
    if (!isKnown(id, socket)) return
    open.delete(id)
    const time = times.get(id)
    if (time) time.closedAtMs = clock.now()
  }

  /**
   * With `cutAtExpiry`, closes the sockets whose token has expired, and checks again while a socket is open.
   */
  const cutExpired = (): void => {
    cancelCheck()
    if (!cutAtExpiry || open.size === 0) return
    for (const { live, token } of stillOpen())
      if (token.expiresAtMs <= clock.now()) live.close(POLICY_VIOLATION, 'unauthorized')
    cancelCheck = after(EXPIRY_CHECK_MS, cutExpired, { keepAlive: false })
  }

  return {
    get live(): readonly LiveSocket[] {
      return stillOpen().map(({ live }) => live)
    },
    get frames(): readonly ReceivedFrame[] {
      return frames.slice(-recordFrames)
    },
    billedMs: (): Record<string, number> =>
      Object.fromEntries(
        [...times].map(([id, { openedAtMs, closedAtMs = clock.now() }]) => [id, closedAtMs - openedAtMs]),
      ),
    countOf: (account: string) => stillOpen().filter(({ token }) => token.account === account).length,

    // With its type: the declaration would have a type parameter, which TypeScript 5.4 does not know.
    heard: (): Record<string, Int16Array> => hearing.all(),
    /** The network is gone, or back: for all connections, also those that open meanwhile. */
    setDark(dark: boolean): void {
      isDark = dark
      for (const { line } of open.values()) line.setDark(dark)
    },

    /** `create`: its stream. Default: that of the product. */
    open(
      socket: Socket,
      token: SessionTokenRow,
      mutes: readonly Mute[] = [],
      create = streamOf(token.product),
    ): SocketListener {
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
        send: (data) => line.send(data),
        close: (code = 1000, reason = '') => socket.close(code, reason),
        drop() {
          forget(id, socket)
          socket.reset()
        },
        freeze: () => socket.freeze(),
        mute(forMs = Infinity) {
          const unmute = line.mute()
          if (forMs !== Infinity) after(forMs, unmute, { keepAlive: false })
        },
      }

      let failed = false
      // A stream that threw gets no further messages. Some may still arrive before the client answers the
      // close.
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
      const afterWhileOpen = (delayMs: number, task: () => void): (() => void) =>
        after(
          delayMs,
          () => {
            if (isKnown(id, socket)) guard(task)
          },
          { keepAlive: false },
        )
      const line = createLine(
        (data) =>
          guard(() => {
            if (typeof data === 'string') return stream.onText(data)
            hearing.add(id, data)
            stream.onBinary(data)
          }),
        (data) => {
          if (!socket.isOpen()) return
          count(sent, data)
          socket.send(data)
        },
      )
      const stream = create(live, { now: () => clock.now(), after: afterWhileOpen })
      open.set(id, { live, token, socket, line })
      line.setDark(isDark)
      for (const { afterMs, forMs } of mutes) {
        if (afterMs === 0) live.mute(forMs)
        else afterWhileOpen(afterMs, () => live.mute(forMs))
      }
      remember(id)
      cutExpired()

      return {
        received(data) {
          count(received, data)
          record({ socketId: id, product, data, at: clock.now() })
          line.received(data)
        },
        closed: () => forget(id, socket),
      }
    },

    reset(): void {
      cancelCheck()
      for (const { socket } of open.values()) socket.terminate()
      open.clear()
      times.clear()
      hearing.reset()
      isDark = false
      frames = []
      opened = 0
    },
  }
}

function count(counts: FrameCount, data: string | Uint8Array): void {
  const isText = typeof data === 'string'
  counts[isText ? 'text' : 'binary'] += 1
  counts.bytes += isText ? utf8Length(data) : data.length
}
