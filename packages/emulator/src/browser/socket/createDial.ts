import type { EmulatorCore } from '../../core/EmulatorCore.js'
import type { Socket, SocketListener } from '../../core/sockets/Socket.js'
import { createClosing } from '../wire/closing.js'
import type { RunLater } from '../wire/createTasks.js'
import type { Wire } from '../wire/createWire.js'
import type { Dial, Message } from './ends.js'

/** The longest message that the service takes, as the emulator on Node has it. */
const MAX_MESSAGE_BYTES = 16 * 1_024 * 1_024
const TOO_BIG = 1009

/** How a close without a code is reported. */
const NO_CODE = 1005

export interface DialOptions {
  readonly core: EmulatorCore
  readonly runLater: RunLater
  readonly wire: Wire
  /** Whether the emulator listens there. */
  readonly isServed: (url: URL) => boolean
}

/**
 * Connects a WebSocket of the page to the core.
 *
 *   connecting ──▶ open ──▶ closing ──▶ closed
 *
 * `closing`: the service has sent its close. Every step to the other side is a later task, so each side sees
 * what was sent in its order.
 */
export function createDial({ core, runLater, wire, isServed }: DialOptions): Dial {
  return (url, protocols, page) => {
    const socket = wire.nextId()
    const closing = createClosing()
    let state: 'connecting' | 'open' | 'closing' | 'closed' = 'connecting'
    let isFrozen = false
    let listener: SocketListener | undefined
    /** Messages leave in their order, also if the bytes of a Blob are not there yet. */
    let sending: Promise<void> = Promise.resolve()

    const lose = (): void =>
      runLater(() => {
        wire.emit({ type: 'closed', socket, code: 1006, reason: '' })
        page.lost()
      })

    /** The service no longer has the connection. */
    const end = (): void => {
      state = 'closed'
      listener?.closed()
      closing.close(true)
    }

    const cut = (): void => {
      if (state === 'closed') return
      end()
      lose()
    }

    const closeForPage = (code: number, reason: string): void =>
      runLater(() => {
        wire.emit({ type: 'closed', socket, code, reason })
        page.closed(code, reason)
      })

    const service: Socket = {
      isOpen: () => state === 'open',
      send(data) {
        if (state !== 'open') return
        const sent = typeof data === 'string' ? data : data.slice()
        runLater(() => {
          wire.emit({ type: 'message', socket, from: 'service', data: sent })
          page.received(sent)
        })
      },
      close(code, reason = '') {
        if (state !== 'open') return
        checkCode(code)
        state = 'closing'
        closeForPage(code ?? NO_CODE, reason)
        // The page's half of the closing handshake.
        runLater(() => state === 'closing' && end())
      },
      reset: cut,
      terminate: cut,
      freeze: () => {
        isFrozen = true
      },
    }

    function receive(message: Message, onSent: () => void): void {
      if (isFrozen || state === 'closed') return
      onSent()
      wire.emit({ type: 'message', socket, from: 'page', data: message })
      const size = typeof message === 'string' ? new TextEncoder().encode(message).length : message.length
      if (size > MAX_MESSAGE_BYTES) service.close(TOO_BIG)
      else listener?.received(message)
    }

    function refuse(status?: number): void {
      state = 'closed'
      if (status !== undefined) wire.emit({ type: 'refused', socket, status })
      lose()
    }

    function shake(): void {
      if (closing.isClosed()) return
      wire.emit({ type: 'handshake', socket, url: url.href })
      if (!isServed(url)) return refuse()
      core.handleUpgrade({
        method: 'GET',
        target: url.pathname + url.search,
        headers: {
          host: url.host,
          connection: 'Upgrade',
          upgrade: 'websocket',
          origin: globalThis.location?.origin,
          'sec-websocket-version': '13',
          ...(protocols.length > 0 && { 'sec-websocket-protocol': protocols.join(', ') }),
        },
        connection: {
          onClose: closing.onClose,
          respond({ status }) {
            closing.close(true)
            refuse(status)
          },
          destroy() {
            closing.close(false)
            refuse()
          },
        },
        accept(listen) {
          if (closing.isClosed()) return
          state = 'open'
          runLater(() => {
            wire.emit({ type: 'opened', socket })
            page.opened(protocols[0] ?? '')
          })
          listener = listen(service)
        },
        breakOff: (done) => done(),
      })
    }

    runLater(shake)
    return {
      send(message, onSent) {
        sending = sending.then(async () => {
          const ready = await message
          runLater(() => receive(ready, onSent))
        })
      },
      close(code, reason) {
        sending = sending.then(() =>
          runLater(() => {
            if (isFrozen || state === 'closed') return
            // The service sends the code back, unless its own close is on the way.
            if (state === 'open') closeForPage(code ?? NO_CODE, reason)
            end()
          }),
        )
      },
      abandon() {
        closing.close(false)
        if (state === 'connecting') refuse()
        else cut()
      },
    }
  }
}

/** What the library behind the emulator on Node refuses. */
function checkCode(code: number | undefined): void {
  if (code === undefined || (code >= 3_000 && code <= 4_999)) return
  if (code >= 1_000 && code <= 1_014 && ![1_004, 1_005, 1_006].includes(code)) return
  throw new TypeError('First argument must be a valid error code number')
}
