import { createListeners } from '../../platform/createListeners.js'
import { type AudioError, toAudioError } from '../sound/AudioError.js'
import type { MicrophoneOptions } from './microphoneOptions.js'
import { type Capture, openCapture } from './openCapture.js'

/*
 *            start                first frame
 *   idle ───────────▶ starting ───────────────▶ capturing
 *    ▲                 │   ▲                     │     │
 *    │   refused, no   │   └─ start (again, or ──┘     │ device lost
 *    │   device        ▼      another device)          │
 *    └─── stop ◀──── failed ◀──────────────────────────┘      stop leads to idle from everywhere
 */
type Phase =
  | { readonly status: 'idle' | 'starting' }
  | {
      readonly status: 'capturing'
      /** The device that was opened, which may be another than the one asked for. */
      readonly deviceId: string | undefined
      readonly label: string
    }
  | { readonly status: 'failed'; readonly error: AudioError }

export type MicrophoneState = Phase & {
  /** While muted, frames go on and hold silence. Holds over `stop` and `start`. */
  readonly muted: boolean
}

/** The microphone as PCM16 frames. Knows no React. */
export interface Microphone {
  readonly state: MicrophoneState
  /**
   * Opens the microphone, or changes to another one. Call it in the handler of a tap, because browsers start
   * sound only there. Never rejects; the error is in `state`.
   */
  readonly start: (options?: { deviceId?: string | undefined }) => Promise<void>
  /** Gives the device back at once: the browser's recording light goes out. */
  readonly stop: () => void
  readonly setMuted: (muted: boolean) => void
  /** Loudest sample of the last frame, 0 to 1, from the stream that is captured anyway. Read it in an animation frame. */
  readonly level: () => number
  /** Calls back with each frame of PCM16, 640 bytes at the defaults, to be passed on to `stream.send`. Returns its undo. */
  readonly onFrame: (listener: (frame: ArrayBuffer) => void) => () => void
  /** Calls back when `state` has changed. Returns its undo. */
  readonly subscribe: (listener: () => void) => () => void
}

export function createMicrophone(options: MicrophoneOptions = {}): Microphone {
  const { subscribe, notify } = createListeners()
  const frames = createListeners<[frame: ArrayBuffer]>()
  let state: MicrophoneState = { status: 'idle', muted: false }
  let capture: Capture | undefined
  let level = 0

  function change(phase: Phase, muted = state.muted): void {
    state = { ...phase, muted }
    notify()
  }

  function end(): void {
    capture?.end()
    capture = undefined
    level = 0
  }

  function fail(thrown: unknown): void {
    end()
    change({ status: 'failed', error: toAudioError('open the microphone', thrown) })
  }

  async function start({ deviceId }: { deviceId?: string | undefined } = {}): Promise<void> {
    end()
    const mine = openCapture(options, deviceId, state.muted, {
      onFrame: (frame, peak) => {
        level = peak
        frames.notify(frame)
      },
      onLost: fail,
      onStale: () => void start({ deviceId }),
    })
    capture = mine
    change({ status: 'starting' })
    try {
      const opened = await mine.opened
      if (capture === mine) change({ status: 'capturing', ...opened })
    } catch (thrown) {
      if (capture === mine) fail(thrown)
    }
  }

  return {
    get state() {
      return state
    },
    start,
    stop: () => {
      end()
      change({ status: 'idle' })
    },
    setMuted: (muted) => {
      capture?.setMuted(muted)
      change(state, muted)
    },
    level: () => level,
    onFrame: frames.subscribe,
    subscribe,
  }
}
