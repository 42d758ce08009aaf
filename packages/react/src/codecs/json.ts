import type { Codec } from '../stream/Codec.js'
import { InvalidMessage } from './InvalidMessage.js'
import type { StandardSchema } from './StandardSchema.js'

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
export function json<TSend, TMessage>(): Codec<TSend, TMessage | ArrayBuffer>
/**
 * The same, with messages checked by a schema of Zod, Valibot, ArkType or any other Standard Schema, which
 * must not be asynchronous. Their type is its output. In place of text that does not fit, or is not JSON,
 * comes an `InvalidMessage`: an `Error` with the `issues`. What is sent is not checked.
 *
 * @example
 * const codec = json(z.object({ text: z.string() }))
 * const stream = useStream('stt', {
 *   codec,
 *   onMessage: (message) => {
 *     if (message instanceof InvalidMessage) report(message)
 *     else if (!(message instanceof ArrayBuffer)) show(message.text)
 *   },
 * })
 */
export function json<TMessage>(
  schema: StandardSchema<TMessage>,
): Codec<unknown, TMessage | InvalidMessage | ArrayBuffer>
export function json(schema?: StandardSchema<unknown>): Codec<unknown, unknown> {
  return {
    encode: (message) => JSON.stringify(message),
    decode(data) {
      if (typeof data !== 'string') return [data]
      let value: unknown
      try {
        value = JSON.parse(data)
      } catch {
        return schema ? [new InvalidMessage(data, [{ message: 'it is not JSON' }])] : []
      }
      return [schema ? check(schema, value, data) : value]
    },
  }
}

function check(schema: StandardSchema<unknown>, value: unknown, data: string): unknown {
  const result = schema['~standard'].validate(value)
  if (result instanceof Promise)
    throw new Error('Failed to read a message: the schema is asynchronous. Give one that is not.')
  return result.issues ? new InvalidMessage(data, result.issues) : result.value
}
