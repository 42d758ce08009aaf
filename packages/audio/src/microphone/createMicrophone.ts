import { createListeners } from '../sound/createListeners.js'
import { AudioError, toAudioError } from '../sound/AudioError.js'
import { createRecovery } from '../sound/createRecovery.js'
import { createRestarts } from '../sound/createRestarts.js'
import type { MicrophoneOptions } from './microphoneOptions.js'
import { ACTION, tryMicrophone } from './microphones.js'
import { type Capture, type OpenedDevice, openCapture } from './openCapture.js'
import { checkRate } from '../sound/pcm.js'

/*
 *            start                first frame              device lost, or no frame for 1 s
 *   idle ───────────▶ starting ───────────────▶ capturing ───────────────▶ recovering
 *    ▲                 │   ▲                     │     ▲                    │   │ no longer allowed,
 *    │   refused, no   │   └─ start (again, or ──┘     └─── first frame ────┘   │ or no sound after
 *    │   device        ▼      another device)                                   │ six restarts
 *    └─── stop ◀──── failed ◀───────────────────────────────────────────────────┘
 *   stop leads to idle from everywhere
 *
 * recovering, if the device was lost: every 2 s, and when the list of devices changes, the chosen device is
 * tried, then the default one. If the default device captures because the chosen one is missing or busy, the
 * return of the chosen one leads to recovering too.
 *
 * recovering, if the device is there but no frame comes (watchFlow.ts): the first restart is a new context
 * for the open device, the next opens the device again, then later and later (createRestarts.ts). While the
 * system has taken the microphone, no frame is expected.
 */
type Phase =
  | { readonly status: 'idle' | 'starting' }
  | ({ readonly status: 'capturing' } & OpenedDevice)
  /** `error` while recovering: `DEVICE_LOST`, or `NO_SOUND` if the device is there. */
  | { readonly status: 'recovering' | 'failed'; readonly error: AudioError }

/** State of a microphone. */
export type MicrophoneState = Phase & {
  /** While muted, frames continue, with silence. Stays on after `stop`, `start` and a change of device. */
  readonly muted: boolean
  /**
   * True if the system has taken the microphone for more than 2 s, for a phone call or another application.
   * Meanwhile frames contain silence.
   */
  readonly suspended: boolean
}

/** Time without frames, after the device was lost or the sound of the page stood still. */
export interface MicrophoneGap extends OpenedDevice {
  readonly lengthMs: number
}

/** The microphone as PCM16 frames. Independent of React. */
export interface Microphone {
  readonly state: MicrophoneState
  /**
   * Opens the microphone, or changes to another one. Call it in the handler of a tap, because browsers start
   * sound only there. Never rejects; the error is in `state`.
   */
  readonly start: (options?: { deviceId?: string | undefined }) => Promise<void>
  /** Releases the device at once: the browser's recording light goes out. */
  readonly stop: () => void
  readonly setMuted: (muted: boolean) => void
  /**
   * Replaces the options. They apply when the next device is opened; to apply them at once, call `start`
   * again.
   */
  readonly setOptions: (options: MicrophoneOptions) => void
  /** Loudest sample of the last frame, 0 to 1. Read it in an animation frame. */
  readonly level: () => number
  /**
   * Time from the sound to `onFrame`, for the first sample of a frame. It includes the device (if the browser
   * reports it), the frame, the filter and the audio thread.
   */
  readonly latencyMs: () => number
  /**
   * Calls the listener with each frame of PCM16, 640 bytes at the defaults: pass it to `stream.send`. Returns
   * a function that unsubscribes.
   */
  readonly onFrame: (listener: (frame: ArrayBuffer) => void) => () => void
  /**
   * Calls the listener when frames come again after `recovering`. Returns a function that unsubscribes.
   */
  readonly onGap: (listener: (gap: MicrophoneGap) => void) => () => void
  /** Calls the listener when `state` has changed. Returns a function that unsubscribes. */
  readonly subscribe: (listener: () => void) => () => void
}

const UNHANDLED =
  'Failed to handle a frame: onFrame returned a promise that was rejected, and no caller waits for it. Catch the error in onFrame.'

/**
 * Creates a microphone, independent of React. It opens no device before `start`. Failures are in its state;
 * no function throws.
 */
export function createMicrophone(initialOptions: MicrophoneOptions = {}): Microphone {
  let options = checked(initialOptions)
  const { subscribe, notify } = createListeners()
  const frames = createListeners<[frame: ArrayBuffer]>()
  const gaps = createListeners<[gap: MicrophoneGap]>()
  const recovery = createRecovery()
  const restarts = createRestarts()
  let state: MicrophoneState = { status: 'idle', muted: false, suspended: false }
  let capture: Capture | undefined
  /** The requested device. It stays chosen while another one replaces it. */
  let chosen: string | undefined
  let lostAt = 0
  let lastFrameAt = 0
  let level = 0
  let isRejectionLogged = false

  function change(phase: Phase, muted = state.muted, suspended = false): void {
    state = { ...phase, muted, suspended }
    notify()
  }

  /** The page's error handler still gets the rejection. */
  function logRejection(thrown: unknown): never {
    // eslint-disable-next-line no-console -- a mistake that only a developer can fix
    if (!isRejectionLogged) console.error(UNHANDLED)
    isRejectionLogged = true
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

  async function open(whenFailed: (error: AudioError) => void, handedOver?: MediaStream): Promise<void> {
    end()
    const listeners = {
      onFrame: (frame: ArrayBuffer, peak: number) => {
        level = peak
        lastFrameAt = performance.now()
        frames.notify(frame)
      },
      onLost: recover,
      onStopped: restart,
      onSuspended: (suspended: boolean) => change(state, state.muted, suspended),
    }
    const mine = openCapture(options, chosen, state.muted, listeners, handedOver)
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
    restarts.flowing()
    // It may be suspended from its start.
    change({ status: 'capturing', ...opened }, state.muted, state.suspended)
    if (wasLost) gaps.notify({ lengthMs: performance.now() - lostAt, ...opened })
    if (chosen !== undefined && opened.deviceId !== chosen && !options.source) awaitChosen()
  }

  const awaitChosen = (): void => recovery.start(() => void returnToChosen())

  /** Tries the chosen device while the other one still captures, so that no sound is lost if it is busy. */
  async function returnToChosen(): Promise<void> {
    const mine = capture
    // No second attempt meanwhile, because the browser may be asking the user.
    recovery.stop()
    const failure = await tryMicrophone(options, chosen)
    if (capture !== mine) return
    if (!failure) recover()
    // A user who has refused is not asked every 2 s.
    else if (failure !== 'PERMISSION_DENIED') awaitChosen()
  }

  function recover(): void {
    lostAt = performance.now()
    reopen()
    change({ status: 'recovering', error: new AudioError(ACTION, 'DEVICE_LOST') })
  }

  /** No frame comes, though the device is there. */
  function restart(error: AudioError): void {
    const delayMs = restarts.next()
    if (delayMs === undefined) return fail(error)
    if (state.status === 'capturing') lostAt = lastFrameAt
    if (delayMs === 0) reopen(restarts.count() === 1 ? capture?.handOver() : undefined)
    else {
      end()
      recovery.start(reopen, delayMs)
    }
    if (state.status !== 'recovering') change({ status: 'recovering', error })
  }

  function reopen(handedOver?: MediaStream): void {
    void open((error) => {
      if (error.code === 'PERMISSION_DENIED') fail(error)
      else if (error.code === 'NO_SOUND') restart(error)
      // Any other error may be temporary. For example, an unplugged dock can also end the network, so that
      // the worklet does not load.
      else recovery.start(reopen)
    }, handedOver)
  }

  return {
    get state() {
      return state
    },
    start: ({ deviceId } = {}) => {
      chosen = deviceId
      restarts.reset()
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
      options = checked(next)
    },
    level: () => level,
    latencyMs: () => capture?.latencyMs() ?? 0,
    onFrame: (listener) =>
      frames.subscribe((frame) => {
        const result: unknown = listener(frame)
        if (process.env.NODE_ENV !== 'production' && result instanceof Promise) result.catch(logRejection)
      }),
    onGap: gaps.subscribe,
    subscribe,
  }
}

function checked(options: MicrophoneOptions): MicrophoneOptions {
  if (options.sampleRate !== undefined) checkRate(options.sampleRate)
  return options
}
