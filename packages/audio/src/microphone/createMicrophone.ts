import { createListeners } from '../sound/createListeners.js'
import { type AudioError, toAudioError } from '../sound/AudioError.js'
import { createRecovery } from '../sound/createRecovery.js'
import type { MicrophoneOptions } from './microphoneOptions.js'
import { ACTION, tryMicrophone } from './microphones.js'
import { type Capture, type OpenedDevice, openCapture } from './openCapture.js'

/*
 *            start                first frame              device lost
 *   idle ───────────▶ starting ───────────────▶ capturing ─────────────▶ recovering
 *    ▲                 │   ▲                     │     ▲                  │   │
 *    │   refused, no   │   └─ start (again, or ──┘     └── first frame ───┘   │ no longer
 *    │   device        ▼      another device)                                 │ allowed
 *    └─── stop ◀──── failed ◀─────────────────────────────────────────────────┘
 *   stop leads to idle from everywhere
 *
 * recovering: the chosen device is tried, then the default one, every 2 s and when the list of devices
 * changes. While another device than the chosen one captures, because that is missing or busy, its return
 * leads to recovering too.
 */
type Phase =
  | { readonly status: 'idle' | 'starting' | 'recovering' }
  | ({ readonly status: 'capturing' } & OpenedDevice)
  | { readonly status: 'failed'; readonly error: AudioError }

/** State of a microphone: what it does, and whether its frames hold silence. */
export type MicrophoneState = Phase & {
  /** While muted, frames go on and hold silence. Holds over `stop`, `start` and a change of device. */
  readonly muted: boolean
  /**
   * The system has taken the microphone for more than 2 s, for a phone call or another application. Frames
   * hold silence meanwhile.
   */
  readonly suspended: boolean
}

/** Time without frames, because the device was lost. */
export interface MicrophoneGap extends OpenedDevice {
  readonly lengthMs: number
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
  /** Replaces the options. They are used when a device is opened next; to use them at once, `start` again. */
  readonly setOptions: (options: MicrophoneOptions) => void
  /**
   * Loudest sample of the last frame, 0 to 1, from the stream that is captured anyway. Read it in an
   * animation frame.
   */
  readonly level: () => number
  /**
   * From the sound to `onFrame`, for the first sample of a frame: device, if the browser says it, frame,
   * filter and audio thread.
   */
  readonly latencyMs: () => number
  /**
   * Calls back with each frame of PCM16, 640 bytes at the defaults, to be passed on to `stream.send`. Returns
   * its undo.
   */
  readonly onFrame: (listener: (frame: ArrayBuffer) => void) => () => void
  /** Calls back when frames come again after the device was lost. Returns its undo. */
  readonly onGap: (listener: (gap: MicrophoneGap) => void) => () => void
  /** Calls back when `state` has changed. Returns its undo. */
  readonly subscribe: (listener: () => void) => () => void
}

// Bundlers replace this expression.
declare const process: { readonly env: { readonly NODE_ENV?: string } }

const UNHANDLED =
  'Failed to handle a frame: onFrame returned a promise that was rejected, and no caller waits for it. Catch the error in onFrame.'

/**
 * A microphone without React. It opens no device before `start`. Failures are in its state; no function
 * throws.
 */
export function createMicrophone(initialOptions: MicrophoneOptions = {}): Microphone {
  let options = initialOptions
  const { subscribe, notify } = createListeners()
  const frames = createListeners<[frame: ArrayBuffer]>()
  const gaps = createListeners<[gap: MicrophoneGap]>()
  const recovery = createRecovery()
  let state: MicrophoneState = { status: 'idle', muted: false, suspended: false }
  let capture: Capture | undefined
  /** The device that was asked for. It stays chosen while another one takes its place. */
  let chosen: string | undefined
  let lostAt = 0
  let level = 0
  let isRejectionSaid = false

  function change(phase: Phase, muted = state.muted, suspended = false): void {
    state = { ...phase, muted, suspended }
    notify()
  }

  /** The page still gets the rejection. */
  function sayRejection(thrown: unknown): never {
    // eslint-disable-next-line no-console -- a mistake that only a developer can mend
    if (!isRejectionSaid) console.error(UNHANDLED)
    isRejectionSaid = true
    throw thrown
  }

  function end(): void {
    recovery.stop()
    capture?.end()
    capture = undefined
    level = 0
  }

  function fail(error: AudioError): void {
    end()
    change({ status: 'failed', error })
  }

  async function open(whenFailed: (error: AudioError) => void): Promise<void> {
    end()
    const mine = openCapture(options, chosen, state.muted, {
      onFrame: (frame, peak) => {
        level = peak
        frames.notify(frame)
      },
      onLost: recover,
      onSuspended: (suspended) => change(state, state.muted, suspended),
    })
    capture = mine
    try {
      const opened = await mine.opened
      if (capture === mine) hold(opened)
    } catch (thrown) {
      if (capture === mine) whenFailed(toAudioError(ACTION, thrown))
    }
  }

  function hold(opened: OpenedDevice): void {
    const wasLost = state.status === 'recovering'
    change({ status: 'capturing', ...opened })
    if (wasLost) gaps.notify({ lengthMs: performance.now() - lostAt, ...opened })
    if (chosen !== undefined && opened.deviceId !== chosen && !options.source) awaitChosen()
  }

  const awaitChosen = (): void => recovery.start(() => void returnToChosen())

  /** The chosen device is tried beside the one that captures, so no sound is lost while it is still busy. */
  async function returnToChosen(): Promise<void> {
    const mine = capture
    // The browser may ask the user. No second try meanwhile.
    recovery.stop()
    const failure = await tryMicrophone(options, chosen)
    if (capture !== mine) return
    if (!failure) recover()
    // A user who has said no is not asked every 2 s.
    else if (failure !== 'PERMISSION_DENIED') awaitChosen()
  }

  function recover(): void {
    lostAt = performance.now()
    const attempt = (): void =>
      void open((error) => {
        // Anything else may pass. A dock that is unplugged can take the network with it, so the worklet did
        // not load.
        if (error.code === 'PERMISSION_DENIED') fail(error)
        else recovery.start(attempt)
      })
    attempt()
    change({ status: 'recovering' })
  }

  return {
    get state() {
      return state
    },
    start: ({ deviceId } = {}) => {
      chosen = deviceId
      const opened = open(fail)
      change({ status: 'starting' })
      return opened
    },
    stop: () => {
      end()
      change({ status: 'idle' })
    },
    setMuted: (muted) => {
      capture?.setMuted(muted)
      change(state, muted, state.suspended)
    },
    setOptions: (next) => {
      options = next
    },
    level: () => level,
    latencyMs: () => capture?.latencyMs() ?? 0,
    onFrame: (listener) =>
      frames.subscribe((frame) => {
        const result: unknown = listener(frame)
        if (process.env.NODE_ENV !== 'production' && result instanceof Promise) result.catch(sayRejection)
      }),
    onGap: gaps.subscribe,
    subscribe,
  }
}
