import { expectTypeOf, it } from 'vitest'
import * as z from 'zod'
import type { InvalidMessage } from '../codecs/InvalidMessage.js'
import { json } from '../codecs/json.js'
import type { TranslationMessage } from '../codecs/voiceTranslation.js'
import { voiceTranslation } from '../codecs/voiceTranslation.js'
import type { ReceivedData, SendData } from '../platform/socket.js'
import { useStream } from './useStream.js'
import { useStreamValue } from './useStreamValue.js'

it('sends and receives text and bytes without a codec', () => {
  function Component(): null {
    const stream = useStream('stt', { onMessage: (data) => expectTypeOf(data).toEqualTypeOf<ReceivedData>() })
    expectTypeOf(stream.send).parameter(0).toEqualTypeOf<SendData>()
    expectTypeOf(useStreamValue(stream, (message) => message)).toEqualTypeOf<ReceivedData | undefined>()
    return null
  }
  expectTypeOf(Component).toBeFunction()
})

it('has the types of its codec in both directions', () => {
  function Component(): null {
    const call = useStream('vt', {
      codec: voiceTranslation({ source_language: 'en-US', target_language: 'es-ES', voice: 'female' }),
      onMessage: (message) => expectTypeOf(message).toEqualTypeOf<TranslationMessage>(),
    })
    expectTypeOf(call.send).parameter(0).toEqualTypeOf<BufferSource | Blob>()
    // @ts-expect-error `/vt` takes audio.
    call.send('text')

    const chat = useStream('tts', { codec: json<{ text: string }, { mark: number }>() })
    expectTypeOf(chat.send).parameter(0).toEqualTypeOf<{ text: string } | BufferSource | Blob>()
    // A frame of a microphone, or a recording, in addition to the messages of the codec.
    chat.send(new ArrayBuffer(640))
    chat.send(new Int16Array(320))
    // @ts-expect-error neither bytes nor what the codec takes.
    chat.send('text')
    // @ts-expect-error a key that the codec does not take, although a Blob has it.
    chat.send({ text: 'Good morning.', type: 'speak' })
    // @ts-expect-error a key of bytes.
    chat.send({ text: 'Good morning.', byteLength: 8 })
    // Bytes may be received too.
    chat.subscribe((message) => expectTypeOf(message).toEqualTypeOf<{ mark: number } | ArrayBuffer>())
    return null
  }
  expectTypeOf(Component).toBeFunction()
})

it('is typed by the schema of its codec', () => {
  function Component(): null {
    const stream = useStream('stt', {
      codec: json(z.object({ text: z.string(), at: z.number().default(0) })),
    })
    stream.subscribe((message) =>
      expectTypeOf(message).toEqualTypeOf<{ text: string; at: number } | InvalidMessage | ArrayBuffer>(),
    )
    return null
  }
  expectTypeOf(Component).toBeFunction()
})

it('knows its products', () => {
  function Component(): null {
    // @ts-expect-error there is no such product.
    useStream('voice')
    return null
  }
  expectTypeOf(Component).toBeFunction()
})
