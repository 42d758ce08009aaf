import { readClose, readErrorFrame } from '@stagepass/contract'
import { callSafely } from '../../events/callSafely.js'
import type { OpenSocket, ReceivedData, SendData, Socket, SocketListener } from '../../platform/socket.js'
import type { LiveToken } from '../../token/TokenSource.js'
import { VoiceError } from '../../errors/VoiceError.js'
import type { StreamInput } from '../machine/input.js'
import { withoutToken, wordsWithoutToken } from '../machine/refusal.js'
import type { StreamSettings } from '../machine/settings.js'
import { authorizedUrl, isSocketUrl } from './authorizedUrl.js'

/** Information about a message. */
export interface MessageInfo {
  /**
   * Number of the connection that received the message. Two connections may receive at once while a rollover
   * drains the old one.
   */
  readonly generation: number
  /** When that connection was opened, on a monotonic clock. */
  readonly openedAtMs: number
  /**
   * With `resend`: when the sound at so many ms of that connection was said, on the same clock. After an outage
   * it was said before the connection was opened.
   */
  readonly saidAt?: ((ms: number) => number) | undefined
  /**
   * With `resend`: true if that connection got sound that another one had got. Its first texts may begin with
   * words that are final already; `useTranscript` leaves those out.
   */
  readonly isResent?: (() => boolean) | undefined
}

interface ConnectionsOptions {
  readonly now: () => number
  readonly openSocket: OpenSocket
  readonly settings: () => StreamSettings
  /** Called with `opened`, `lost`, `blocked`, or with `mint failed` if the token has no valid URL. */
  readonly onInput: (input: StreamInput) => void
  readonly onMessage: (data: ReceivedData, info: MessageInfo) => void
  /** What the messages of a connection say in addition. */
  readonly infoOf: (info: MessageInfo) => Partial<MessageInfo>
}

interface OpenSocketRecord {
  readonly socket: Socket
  /** The same object for all messages of the socket; left out until it is open. */
  info?: MessageInfo
  /** The last text message. It may have the reason, if the close has none. */
  lastText: string
  /** The texts that the codec has sent first, once the socket is open. */
  beginning?: string
}

/** Not bytes: a codec that is made in each render makes new ones. */
const textOf = (messages: readonly SendData[] = []): string =>
  messages.filter((message) => typeof message === 'string').join('\n')

/** The open sockets of a stream, by generation. */
export function createConnections(options: ConnectionsOptions) {
  const { settings, onInput } = options
  const records = new Map<number | undefined, OpenSocketRecord>()

  return {
    socket: (generation: number | undefined): Socket | undefined => records.get(generation)?.socket,
    /** True if a socket was begun with other texts than the codec would send now. */
    isOutdated(): boolean {
      const texts = textOf(settings().setup?.start?.())
      return [...records.values()].some(({ beginning = texts }) => beginning !== texts)
    },
    open(generation: number, token: LiveToken): void {
      if (!isSocketUrl(token.streamUrl)) {
        onInput({ type: 'mint failed', generation, error: new VoiceError('MALFORMED_RESPONSE') })
        return
      }
      const listener: SocketListener = {
        opened() {
          const record = records.get(generation)
          if (!record) return
          const info = { generation, openedAtMs: options.now() }
          record.info = { ...info, ...options.infoOf(info) }
          const first = settings().setup?.start?.() ?? []
          record.beginning = textOf(first)
          for (const message of first) record.socket.send(message)
          onInput({ type: 'opened', generation })
        },
        received(data) {
          const record = records.get(generation)
          if (!record?.info) return
          if (typeof data === 'string') record.lastText = data
          options.onMessage(data, record.info)
        },
        closed(code, reason, refused = readClose(code, reason)) {
          const record = records.get(generation)
          if (!record) return
          onInput({
            type: 'lost',
            generation,
            refusal: withoutToken(refused ?? readErrorFrame(record.lastText), token),
            closeCode: code,
            closeReason: wordsWithoutToken(reason, token),
            isEnd: isEnd(settings(), code, reason),
            // The address has no token.
            seen:
              process.env.NODE_ENV === 'production'
                ? undefined
                : `The connection to ${token.streamUrl} was closed with ${code} ${record.info ? 'after' : 'before'} it was open.`,
          })
        },
        blocked(by) {
          onInput({
            type: 'blocked',
            generation,
            by,
            seen:
              process.env.NODE_ENV === 'production'
                ? undefined
                : { cause: by, origin: new URL(token.streamUrl).origin },
          })
        },
      }
      const url = authorizedUrl(token.streamUrl, token.token)
      records.set(generation, { socket: options.openSocket(url, listener, token), lastText: '' })
    },
    /** Closes all sockets except these. */
    keep(generations: readonly (number | undefined)[]): void {
      for (const [generation, { socket }] of records) {
        if (generations.includes(generation)) continue
        records.delete(generation)
        socket.close()
      }
    },
  }
}

/** True if the application wants no other connection after this close. */
function isEnd({ reconnect }: StreamSettings, code: number, reason: string): boolean {
  let isWanted: boolean | undefined
  callSafely(() => {
    isWanted = reconnect?.shouldReconnect?.(code, reason)
  })
  return isWanted === false
}
