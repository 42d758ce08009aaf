'use client'

import {
  type AudioError,
  type MicrophoneOptions,
  type PlaybackOptions,
  SAMPLE_RATE,
  speechTimes,
} from '@stagepass/audio'
import type { Product } from '@stagepass/contract'
import { useEffect, useInsertionEffect, useRef, useState, useSyncExternalStore } from 'react'
import { useClient } from '../identity/useClient.js'
import { useIdentityEnd } from '../identity/useIdentityEnd.js'
import { useStream, type UseStreamOptions, type UseStreamResult } from '../stream/useStream.js'
import type { ReceivedData, SendData } from '../platform/socket.js'
import type { VoiceError } from '../errors/VoiceError.js'
import type { QueuePlace } from '../stream/machine/state.js'
import { createDucking } from './createDucking.js'
import { createSession } from './session/createSession.js'
import type { SessionParts } from './session/SessionParts.js'
import { isWanted, statusOf, type VoiceSessionStatus } from './session/state.js'
import { NOTHING_SAVED, type SilenceOptions, type SilenceState } from './silence/SilenceOptions.js'
import { useMicrophone, type UseMicrophoneResult } from './useMicrophone.js'
import { useScreenOn } from './useScreenOn.js'
import { useMeasuredSound } from './useMeasuredSound.js'
import { usePlayback, type UsePlaybackResult } from './usePlayback.js'

/** After an outage sound of the service that would be heard later than this is left out. Its text comes. */
const LATEST_VOICE_MS = 10_000

/** Options of `useVoiceSession`: those of the stream, its microphone and its playback. */
export interface UseVoiceSessionOptions<TSend, TMessage> extends Omit<
  UseStreamOptions<TSend, TMessage>,
  'enabled'
> {
  /** Options of the microphone, and its `deviceId`. */
  readonly microphone?: (MicrophoneOptions & { readonly deviceId?: string | undefined }) | undefined
  /** Options of the playback. */
  readonly playback?: PlaybackOptions | undefined
  /**
   * Keeps the loudspeaker's sound out of the microphone. `'browser'` (default): the browser's echo
   * cancellation. `'duck'`: in addition the playback is quieter while the user speaks, for browsers that do
   * not cancel the sound of the page itself.
   */
  readonly echo?: 'browser' | 'duck' | undefined
  /**
   * Closes the stream in silence, and opens it again at the next speech, without the loss of a word: the
   * sound from before is sent first. `{}` has the defaults. It needs WebAssembly, or `detect`; without them the
   * stream stays open, and `silence.unavailable` of the result says why (docs/speech.md, "Silence"). Default:
   * the stream is open from `start` to `stop`, and its minutes count.
   */
  readonly silence?: SilenceOptions | undefined
  /**
   * Keeps the screen on from `start` to `stop`, but not in a pause or while it waits for speech. Default: on
   * devices that are used with a finger, because a phone that goes dark ends the sound of a page. `true`: on
   * all. It needs the Screen Wake Lock API; without it nothing happens.
   */
  readonly keepScreenOn?: boolean | undefined
  /** Returns the PCM16 in a message. Default: a binary message, or `pcm` of a message of type `audio`. */
  readonly soundOf?: ((message: TMessage) => ArrayBuffer | Int16Array | undefined) | undefined
}

/** The result of `useVoiceSession`: a union on `status`. The functions are the same at each render. */
export type UseVoiceSessionResult<TSend, TMessage> = VoiceSessionParts<TSend, TMessage> &
  (
    | {
        readonly status: Exclude<VoiceSessionStatus, 'failed'>
        readonly error: null
        /** Why a part does not work, while it is restored. Null if all parts work. */
        readonly failureReason: VoiceError | AudioError | null
      }
    | {
        readonly status: 'failed'
        /** The error of the part that failed. */
        readonly error: VoiceError | AudioError
        /** The same as `error`. */
        readonly failureReason: VoiceError | AudioError
      }
  )

interface VoiceSessionParts<TSend, TMessage> {
  readonly stream: UseStreamResult<TSend, TMessage>
  readonly microphone: UseMicrophoneResult
  readonly playback: UsePlaybackResult
  /** The place in the queue while the status is `queued`. Null otherwise, and while it is not known. */
  readonly queue: QueuePlace | null
  /** What the option `silence` has saved since the last `start`. */
  readonly silence: SilenceState
  /**
   * Starts the session. Call it in the handler of a tap or click: browsers start sound only there. In the
   * status `waiting` it opens the stream without speech. Does nothing while nobody is signed in.
   */
  readonly start: () => void
  /**
   * Turns off the microphone and the playback at once, and closes the stream after the last texts, as
   * `stream.finish` does: no word is lost, even if the stream is not open yet. First it sends a second of
   * silence, which ends a sentence. `start` cancels the stop. A second call while the status is `stopping`
   * closes the stream at once.
   */
  readonly stop: () => void
  /**
   * Pauses the conversation and keeps the stream. The service gets silence, and its sound waits until
   * `resume`, up to `maxBufferedMs` of the playback. Microphone and loudspeaker stay open, so `resume` is
   * immediate. With the option `silence`, a pause is a silence: the stream is closed. Does nothing before
   * `start`.
   */
  readonly pause: () => void
  /** Continues after a `pause`. */
  readonly resume: () => void
}

/**
 * A conversation with a product: the microphone sends to the stream, the stream to the playback. When the
 * user of the `VoiceProvider` changes, the session stops.
 *
 * @example
 * const session = useVoiceSession('vt', {
 *   codec,
 *   onMessage: (message) => message.type === 'translate' && show(message.text),
 * })
 * const isOff = session.status === 'idle' || session.status === 'failed'
 * <button onClick={isOff ? session.start : session.stop}>{session.status}</button>
 */
export function useVoiceSession<TSend = SendData, TMessage = ReceivedData>(
  product: Product,
  options: UseVoiceSessionOptions<TSend, TMessage> = {},
): UseVoiceSessionResult<TSend, TMessage> {
  const {
    microphone: microphoneOptions,
    playback: playbackOptions,
    echo = 'browser',
    silence,
    keepScreenOn,
    soundOf = readSound,
    ...rest
  } = options
  if (silence) speechTimes(silence)
  const client = useClient()
  const { key = 'default' } = rest
  const [session] = useState(createSession)
  const state = useSyncExternalStore(session.subscribe, session.read, session.read)
  const wanted = isWanted(state, client)
  const isPaused = wanted && state.wish === 'paused'
  const waits = wanted && silence !== undefined
  useEffect(
    () => (waits ? session.waitForSpeech(client, product, key) : undefined),
    [session, client, product, key, waits],
  )
  const playback = usePlayback(playbackOptions)
  const { setDucking, setPaused: pausePlayback } = playback
  const [duck] = useState(createDucking)
  const { sampleRate = SAMPLE_RATE } = microphoneOptions ?? {}
  const resend = rest.resend ?? (rest.codec?.isFinal ? {} : false)
  const stream = useStream<TSend, TMessage>(product, {
    ...rest,
    resend: resend && { sampleRate, ...resend },
    enabled: wanted,
    onMessage: (message, info) => {
      const sound = session.read().wish === 'stopping' ? undefined : soundOf(message)
      const isTooLate = info.isResent?.() && playback.bufferedMs() > LATEST_VOICE_MS
      if (sound && !isTooLate) {
        const inMs = playback.latencyMs()
        playback.play(sound)
        if (!client.moments.isEmpty()) client.moments.notify({ type: 'played', product, key, inMs })
      }
      rest.onMessage?.(message, info)
    },
  })
  const microphone = useMicrophone({
    ...microphoneOptions,
    onFrame: (frame) => {
      session.hear(frame)
      if (echo === 'duck') setDucking(duck(microphone.level()))
    },
  })

  useMeasuredSound(client, product, key, microphone.status)

  const unwanted = stream.status === 'failed' ? 'failed' : 'idle'
  const running = statusOf(state, stream.status, microphone.status)
  const status = wanted ? running : unwanted

  useScreenOn(keepScreenOn, status)

  useInsertionEffect(() =>
    session.setParts({
      client,
      product,
      key,
      status,
      stream,
      microphone,
      microphoneOptions,
      playback,
      sampleRate,
      silence,
      codec: rest.codec,
      // The cast is safe: it gets the messages of this codec.
      soundOf: soundOf as SessionParts['soundOf'],
    }),
  )
  useIdentityEnd(session.end)
  const { start: startMicrophone, stop: stopMicrophone } = microphone
  const { finish: finishStream } = stream
  const isOn = wanted && state.wish !== 'stopping'
  /** The microphone is off because the stream has failed. */
  const isOffByFailure = useRef(false)
  useEffect(() => {
    if (!isOn || stream.status !== 'failed') {
      // The stream has come back by itself, such as after a sign-in in another tab.
      const isBack = isOffByFailure.current && isOn && microphone.status === 'idle'
      isOffByFailure.current = false
      if (isBack) void startMicrophone()
    } else {
      // No service gets its sound, so it must not stay open.
      isOffByFailure.current = true
      stopMicrophone()
    }
  }, [isOn, stream.status, microphone.status, startMicrophone, stopMicrophone])
  useEffect(() => {
    // Its minutes count, so the connection stays open only for the last words.
    if (wanted && microphone.status === 'failed') void finishStream()
  }, [wanted, microphone.status, finishStream])

  useEffect(() => pausePlayback(isPaused), [pausePlayback, isPaused])

  // Without the microphone no frame can end the ducking.
  const isDucking = echo === 'duck' && microphone.status === 'capturing'
  useEffect(() => {
    if (!isDucking) setDucking(1)
  }, [isDucking, setDucking])

  const failed = stream.error ?? (microphone.status === 'failed' ? microphone.error : null)
  const recovering = microphone.status === 'recovering' ? microphone.error : null
  const failureReason = failed ?? stream.failureReason ?? recovering ?? playback.error
  const error = status === 'failed' ? failureReason : null
  // The cast is safe: the status is `failed` only if the stream or the microphone has failed, and then that
  // part has an error.
  const result = {
    status,
    error,
    failureReason,
    stream,
    microphone,
    playback,
    queue: stream.queue,
    silence: state.savedFor === client ? state.saved : NOTHING_SAVED,
    ...session.actions,
  }
  return result as UseVoiceSessionResult<TSend, TMessage>
}

function readSound(message: unknown): ArrayBuffer | undefined {
  if (message instanceof ArrayBuffer) return message
  const { type, pcm } = (message ?? {}) as { type?: unknown; pcm?: unknown }
  return type === 'audio' && pcm instanceof ArrayBuffer ? pcm : undefined
}
