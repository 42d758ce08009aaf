import type { Platform, TimerHandle } from '../../platform/platform.js'
import type { Socket } from '../../platform/socket.js'
import type { JournalReader } from './createJournal.js'
import type { createPace } from './createPace.js'

/** A second connection that gets the same sound, because the first one does not answer. */
interface Tried {
  readonly generation: number
  readonly socket: Socket
  readonly reader: JournalReader
  readonly pace: ReturnType<typeof createPace>
}

/** It waits above this many bytes in its buffer. */
const HIGH_MARK = 65_536
const PUMP_MS = 20

/** Sends the sound of a journal to a connection that is tried. */
export function createTrial(platform: Platform) {
  let tried: Tried | undefined
  let timer: TimerHandle | undefined

  function pump(): void {
    platform.clearTimeout(timer)
    if (!tried) return
    const { reader, socket, pace } = tried
    while (pace.mayPass() && socket.bufferedAmount() < HIGH_MARK) {
      const sound = reader.next()
      // The next frame pumps again.
      if (!sound) return
      socket.send(sound as Uint8Array<ArrayBuffer>)
      pace.pass(sound.byteLength)
      reader.sent(sound.byteLength, platform.now())
    }
    timer = platform.setTimeout(pump, PUMP_MS)
  }

  return {
    generation: (): number | undefined => tried?.generation,
    start(next: Tried): void {
      tried = next
      pump()
    },
    /** Sends what it may get now. */
    pump,
    /** It gets nothing more from here. Returns its reader. */
    end(): JournalReader | undefined {
      platform.clearTimeout(timer)
      const reader = tried?.reader
      tried = undefined
      return reader
    },
  }
}
