import type { Codec } from '../stream/Codec.js'

/**
 * JSON in text frames, both ways. Bytes, and text that is no JSON, are passed over. The types are the caller's word: nothing is checked.
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
