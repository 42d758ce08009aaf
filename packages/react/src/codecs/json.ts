import type { Codec } from '../stream/Codec.js'
import { InvalidMessage } from './InvalidMessage.js'
import type { StandardSchema } from './StandardSchema.js'

/**
 * JSON in text messages, in both directions. Bytes are passed on unchanged. Text that is not JSON is ignored.
 * The types are not checked.
 *
 * @example
 * const codec = json<Command, Caption>()
 * const stream = useStream('stt', {
 *   codec,
 *   onMessage: (message) => message instanceof ArrayBuffer || show(message.text),
 * })
 * stream.send(frame) // a microphone's frame, between commands
 */
export function json<TSend, TMessage>(): Codec<TSend, TMessage | ArrayBuffer>
/**
 * JSON, with received messages checked by a schema of Zod, Valibot, ArkType or any other Standard Schema. The
 * schema must be synchronous. Messages have its output type. Text that does not match, or is not JSON,
 * becomes an `InvalidMessage`: an `Error` with the `issues`. Sent messages are not checked.
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
    throw new Error('Failed to read a message: the schema is asynchronous. Give a synchronous one.')
  return result.issues ? new InvalidMessage(data, result.issues) : result.value
}
