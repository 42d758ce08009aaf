import type { Codec } from '../stream/Codec.js'

/**
 * JSON in text messages, both ways. Bytes pass as they are, both ways. Text that is not JSON is ignored. The
 * types are not checked.
 *
 * @example
 * const codec = json<Command, Caption>()
 * const stream = useStream('stt', {
 *   codec,
 *   onMessage: (message) => message instanceof ArrayBuffer || show(message.text),
 * })
 * stream.send(frame) // of a microphone, beside commands
 */
export function json<TSend, TMessage>(): Codec<TSend, TMessage | ArrayBuffer> {
  return {
    encode: (message) => JSON.stringify(message),
    decode(data) {
      if (typeof data !== 'string') return [data]
      try {
        return [JSON.parse(data) as TMessage]
      } catch {
        return []
      }
    },
  }
}
