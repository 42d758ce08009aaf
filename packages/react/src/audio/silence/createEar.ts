import { createSpeechGate, type MicrophoneOptions, speechTimes } from '@stagepass/audio'
import type { Product } from '@stagepass/contract'
import { sayOnce } from '../../errors/sayOnce.js'
import type { Client } from '../../identity/Client.js'
import type { Codec } from '../../stream/Codec.js'
import type { SilenceOptions, SilenceState } from './SilenceOptions.js'

/** What is read of a session with the option `silence`, as it was last rendered. */
export interface HeardSession {
  readonly client: Client
  readonly product: Product
  readonly key: string
  readonly microphone: { readonly status: string }
  readonly playback: { readonly level: () => number }
  readonly sampleRate: number
  readonly microphoneOptions: MicrophoneOptions | undefined
  readonly silence: SilenceOptions | undefined
  readonly codec?: Pick<Codec<never, unknown>, 'isFinal' | 'decode'> | undefined
  /** Returns the sound in a message, if there is any. */
  readonly soundOf: (message: unknown) => unknown
}

/** What the echo cancellation leaves of the page's own sound ends later than the playback. */
const ECHO_MS = 300
/** And it is quieter than this, of 1. A user who speaks over the page is louder. */
const LOUDEST_ECHO = 0.08
/** The frames of a hidden page are late if one comes later than this after the one before. */
const LATE_MS = 1_000

const UNAVAILABLE = {
  detector:
    "the detector of speech did not load. If the page has a Content-Security-Policy, add 'wasm-unsafe-eval' to its script-src; or set silence.detect.",
  'late frames':
    'the page is hidden, and the frames of its microphone come late. It waits for speech again when it is visible.',
} as const

/**
 * Hears whether there is speech in the session that `latest` returns. Calls `onChange` when `unavailable` has
 * changed. Throws a `RangeError` if a number of the options makes no sense.
 */
export function createEar(latest: () => HeardSession, onChange: () => void) {
  const { client, product, key, sampleRate, silence: options = {} } = latest()
  const { platform } = client
  const { closeAfterMs } = speechTimes(options)
  const said = new Set<keyof typeof UNAVAILABLE>()
  let isVisible = true
  let isDetecting = true
  let isLate = false
  let lastFrameAt = platform.now()
  let lastPlayedAt = -Infinity

  function report(reason: keyof typeof UNAVAILABLE, cause: unknown = ''): void {
    if (!said.has(reason)) {
      said.add(reason)
      // Also in production: a policy is in force there first, and nothing else shows what it costs.
      if (process.env.NODE_ENV !== 'production' || reason === 'detector')
        sayOnce(
          client.said,
          `Failed to wait for speech, so the stream stays open in silence and its minutes count: ${UNAVAILABLE[reason]} ${String(cause)}`.trim(),
        )
      client.emit({ type: 'silence.unavailable', reason, product, key, at: platform.wallNow() })
    }
    onChange()
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
      report('detector', cause)
    },
  })

  const unavailable = (): SilenceState['unavailable'] =>
    isDetecting ? (isLate ? 'late frames' : null) : 'detector'

  const stopVisibility = platform.watchVisibility?.((visible) => {
    isVisible = visible
    if (!visible || !isLate) return
    isLate = false
    onChange()
  })

  return {
    closeAfterMs,
    /** Why it cannot tell silence from speech. The stream must stay open then. */
    unavailable,
    /** Takes a frame of the microphone. Returns the frames to send now. */
    push(frame: ArrayBuffer): readonly ArrayBuffer[] {
      const now = platform.now()
      const { microphone, playback } = latest()
      // At each frame: an echo may be heard only after the sound.
      if (playback.level() > 0) lastPlayedAt = now
      if (!isVisible && !isLate && microphone.status === 'capturing' && now - lastFrameAt > LATE_MS) {
        isLate = true
        report('late frames')
      }
      lastFrameAt = now
      return gate.push(frame)
    },
    hearsSpeech: (): boolean => gate.state === 'speech',
    /** False if the stream must stay open for this session. */
    isSilent(): boolean {
      // A device that was lost, or that the user has not allowed yet, hears nothing.
      const isDeaf =
        platform.now() - lastFrameAt >= closeAfterMs && latest().microphone.status !== 'capturing'
      return unavailable() === null && (isDeaf || gate.state === 'silence')
    },
    /** Lets sound pass for `closeAfterMs`. Returns the frames to send now. */
    open: () => gate.open(),
    confirm: (isSpeech: boolean): void => gate.confirm(isSpeech),
    stop: (): void => stopVisibility?.(),
  }
}
