import type { Codec } from '../stream/Codec.js'

/**
 * JSON in text messages, both ways. Bytes, and text that is not JSON, are ignored. The types are not checked.
 *
 * @example const codec = json<Command, Caption>()
 */
export function json<TSend, TMessage>(): Codec<TSend, TMessage> {
  return {
    encode: (message) => JSON.stringify(message),
    decode(data) {
      if (typeof data !== 'string') return []
      try {
        return [JSON.parse(data) as TMessage]
      } catch {
        return []
      }
    },
  }
}
