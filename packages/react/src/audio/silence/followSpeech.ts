import { createSpeechGate, type MicrophoneOptions, speechTimes } from '@stagepass/audio'
import type { Product } from '@stagepass/contract'
import type { Client } from '../../identity/Client.js'
import { onAbort } from '../../events/onAbort.js'
import { sayOnce } from '../../errors/sayOnce.js'
import type { TimerHandle } from '../../platform/platform.js'
import { tokensOf } from '../../token/tokensOf.js'
import type { SilenceOptions, SilenceState } from './SilenceOptions.js'
import { silenceOf, type SilentSession } from './silenceOf.js'

/** A session, as it was last rendered. */
export interface FollowedSession extends Pick<SilentSession, 'soundOf'> {
  readonly client: Client
  readonly product: Product
  readonly key?: string | undefined
  readonly codec?: ReturnType<SilentSession['codec']>
  /** Sends a frame on the stream of the session. */
  readonly stream: { readonly send: (frame: ArrayBuffer) => unknown }
  readonly microphone: { readonly status: string }
  readonly playback: { readonly level: () => number }
  readonly sampleRate: number
  readonly microphoneOptions: MicrophoneOptions | undefined
  readonly silence: SilenceOptions | undefined
  /** True while the session is on. */
  readonly wanted: boolean
}

/** The speech of a session. Another object at each change. */
export interface FollowedSpeech {
  /** The client of the session, so that no other user sees its numbers. */
  readonly client: Client
  /** Takes a frame of the microphone: sends it, or keeps it in silence. Undefined: all frames pass. */
  readonly push?: (frame: ArrayBuffer) => void
  readonly saved: SilenceState
  /** True from the close of the stream until it is open again. */
  readonly isWaiting: boolean
}

/** What the echo cancellation leaves of the page's own sound ends later than the playback. */
const ECHO_MS = 300
/** And it is quieter than this, of 1. A user who speaks over the page is louder. */
const LOUDEST_ECHO = 0.08
/** The frames of a hidden page are late if one comes later than this after the one before. */
const LATE_MS = 1_000
const TICK_MS = 1_000

const UNAVAILABLE = {
  detector:
    "the detector of speech did not load. If the page has a Content-Security-Policy, add 'wasm-unsafe-eval' to its script-src; or set silence.detect.",
  'late frames':
    'the page is hidden, and the frames of its microphone come late. It waits for speech again when it is visible.',
} as const

/**
 * Sends the frames of a session during speech, and closes its stream in silence, until `signal`
 * aborts. `latest` returns the session of the last render. Throws a `RangeError` if a number of the options
 * makes no sense.
 */
export function followSpeech(
  latest: () => FollowedSession,
  onChange: (speech: FollowedSpeech) => void,
  signal: AbortSignal,
): void {
  if (signal.aborted) return
  const { client, product, key = 'default', sampleRate, silence: options = {} } = latest()
  const { platform } = client
  const { closeAfterMs } = speechTimes(options)
  const said = new Set<keyof typeof UNAVAILABLE>()
  let savedMs = 0
  /** When the stream was closed; `undefined` while it is not. */
  let closedAt: number | undefined
  let isVisible = true
  let isDetecting = true
  let isLate = false
  let lastFrameAt = platform.now()
  let lastPlayedAt = -Infinity
  let timer: TimerHandle | undefined

  function unavailable(reason: keyof typeof UNAVAILABLE, cause: unknown = ''): void {
    if (!said.has(reason)) {
      said.add(reason)
      // Also in production: a policy is in force there first, and nothing else shows what it costs.
      if (process.env.NODE_ENV !== 'production' || reason === 'detector')
        sayOnce(
          client.said,
          `Failed to wait for speech, so the stream stays open in silence and its minutes count: ${UNAVAILABLE[reason]} ${String(cause)}`.trim(),
        )
      silence.emit({ type: 'silence.unavailable', reason })
    }
    silence.open()
    show()
  }

  function isEcho(frame: Int16Array): boolean {
    const { source, processing } = latest().microphoneOptions ?? {}
    const isCancelled = !source && (processing?.echoCancellation ?? true) !== false
    if (!isCancelled || platform.now() - lastPlayedAt > ECHO_MS) return false
    return frame.every((sample) => Math.abs(sample) < LOUDEST_ECHO * 0x8000)
  }

  const gate = createSpeechGate({
    ...options,
    sampleRate,
    isEcho,
    onUnavailable(cause) {
      isDetecting = false
      unavailable('detector', cause)
    },
  })
  // After the gate, which throws for a wrong number: without a session nothing would remove it.
  const silence = silenceOf(client)(product, key)
  const opensBefore = silence.opens()

  const send = (frames: readonly ArrayBuffer[]): void => {
    const { stream } = latest()
    for (const frame of frames) stream.send(frame)
  }

  /** True while the stream must stay open, so that its service gets all sound. */
  const isKept = (): boolean => !isDetecting || isLate || silence.isKept()

  function show(): void {
    const waitedMs = closedAt === undefined ? 0 : platform.now() - closedAt
    onChange({
      client,
      push,
      saved: {
        savedMs: Math.round(savedMs + waitedMs),
        opens: silence.opens() - opensBefore,
        unavailable: isDetecting ? (isLate ? 'late frames' : null) : 'detector',
      },
      isWaiting: !signal.aborted && silence.isWaiting(),
    })
  }

  function push(frame: ArrayBuffer): void {
    // A late frame of a user who has left goes nowhere.
    if (signal.aborted) return latest().client === client ? send([frame]) : undefined
    const now = platform.now()
    const { microphone, playback } = latest()
    const isCapturing = microphone.status === 'capturing'
    // At each frame: an echo may be heard only after the sound.
    if (playback.level() > 0) lastPlayedAt = now
    if (!isVisible && !isLate && isCapturing && now - lastFrameAt > LATE_MS) {
      isLate = true
      unavailable('late frames')
    }
    lastFrameAt = now
    const frames = gate.push(frame)
    if (gate.state === 'speech') silence.speak()
    send(gate.state === 'silence' && isKept() ? gate.open() : frames)
    silence.review()
  }

  const leave = silence.join({
    closeAfterMs: () => closeAfterMs,
    codec: () => latest().codec,
    soundOf: (message) => latest().soundOf(message),
    isSilent() {
      if (isKept()) return false
      // A device that was lost, or that the user has not allowed yet, hears nothing.
      const isDeaf =
        platform.now() - lastFrameAt >= closeAfterMs && latest().microphone.status !== 'capturing'
      return isDeaf || gate.state === 'silence'
    },
    letPass: () => send(gate.open()),
    judge: (hadText) => gate.confirm(hadText),
    onChange() {
      const isClosed = silence.phase() === 'closed'
      if (isClosed) closedAt ??= platform.now()
      else if (closedAt !== undefined) {
        savedMs += platform.now() - closedAt
        closedAt = undefined
      }
      show()
    },
  })

  function tick(): void {
    timer = platform.setTimeout(tick, TICK_MS)
    if (closedAt !== undefined) show()
    silence.review()
  }

  const stops = [
    leave,
    // A live token, so that an opening takes only the handshake.
    tokensOf(client, product).retain(),
    platform.watchVisibility?.((visible) => {
      isVisible = visible
      if (!visible || !isLate) return
      isLate = false
      show()
    }),
  ]

  timer = platform.setTimeout(tick, TICK_MS)
  show()
  onAbort(signal, () => {
    platform.clearTimeout(timer)
    const { wanted, silence: isStillSet } = latest()
    if (wanted && !isStillSet) silence.open()
    for (const stop of stops) stop?.()
    show()
  })
}
