import { vi } from 'vitest'
import type { VirtualVoiceOptions } from '../../virtual/createVirtualVoice.test.kit.js'
import { openStream } from '../joinStream.test.kit.js'
import type { StreamSettings } from '../machine/settings.js'

const FRAME_MS = 20
const SAMPLES = 320
const LOUD = 4_000
/** Numbers of frames begin again after so many. */
const NUMBERS = 24_000

/** `1200.` is a final text until 1,200 ms of its connection, `1200…` may still grow. */
export const WITH_TIMES: StreamSettings = {
  resend: {},
  setup: {
    isFinal: (data) => (typeof data === 'string' && /[.…]$/.test(data) ? data.endsWith('.') : undefined),
    finalUntilMs: (data) =>
      typeof data === 'string' && data.endsWith('.') ? Number.parseInt(data, 10) : undefined,
  },
}

export const WITHOUT_TIMES: StreamSettings = {
  ...WITH_TIMES,
  setup: { isFinal: WITH_TIMES.setup?.isFinal },
}

/** A frame of speech has its number in its samples. */
function frame(number: number, isSpeech: boolean): ArrayBuffer {
  const level = isSpeech ? LOUD + number : 0
  return Int16Array.from({ length: SAMPLES }, (_, at) => (at % 2 ? -level : level)).buffer
}

/** The numbers of the frames of speech in what a connection received; texts as they are. */
export const wordsIn = (received: readonly unknown[]): (number | string)[] =>
  received.flatMap<number | string>((data) => {
    if (typeof data === 'string') return [data]
    const bytes = data instanceof ArrayBuffer ? new Uint8Array(data) : (data as Uint8Array)
    const [sample = 0] = new Int16Array(bytes.slice().buffer)
    return sample === 0 ? [] : [sample - LOUD]
  })

/** Speaks into a stream. Returns the numbers of the frames. */
export function speakInto({ voice, stream }: ReturnType<typeof openStream>) {
  let said = 0
  return async (ms: number, isSpeech = true): Promise<number[]> => {
    const from = said
    for (let left = ms; left > 0; left -= FRAME_MS) {
      await voice.advance(FRAME_MS)
      stream.send(frame(said % NUMBERS, isSpeech))
      said += 1
    }
    return Array.from({ length: said - from }, (_, index) => (from + index) % NUMBERS)
  }
}

/** A page in virtual time whose user speaks into a stream with `resend`. */
export async function openSpeakingPage(
  settings: StreamSettings = WITH_TIMES,
  options: VirtualVoiceOptions = {},
) {
  const page = openStream(settings, options)
  // The code of the option loads in real time.
  await vi.dynamicImportSettled()
  const say = speakInto(page)
  const { voice } = page
  return {
    ...page,
    /** Lets this time of speech pass. */
    say,
    quiet: (ms: number): Promise<unknown> => say(ms, false),
    /** What each connection got. */
    words: () => voice.service.connections.map(({ received }) => wordsIn(received)),
    /** The newest connection. */
    connection: () => voice.service.connections.at(-1),
  }
}
