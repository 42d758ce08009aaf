import type { ReceivedData } from '@stagepass/react'
import { type Codec, json } from '@stagepass/react/codecs'

/** A text of the emulator's `/stt`. */
interface Text {
  readonly type: string
  readonly final?: boolean
  readonly start?: number
  readonly duration?: number
}

const read = (data: ReceivedData): Text | undefined =>
  typeof data === 'string' ? (JSON.parse(data) as Text) : undefined

/** A codec for `/stt` that knows what is final; with `times` also until which ms of the sound. */
export function codecOf(times: boolean): Codec<never, unknown> {
  return {
    ...json<never, unknown>(),
    isFinal(data) {
      const text = read(data)
      return text?.type === 'transcript' ? text.final === true : undefined
    },
    ...(times && {
      finalUntilMs(data: ReceivedData): number | undefined {
        const { final, start = 0, duration = 0 } = read(data) ?? { type: '' }
        return final === true ? (start + duration) * 1_000 : undefined
      },
    }),
  }
}
