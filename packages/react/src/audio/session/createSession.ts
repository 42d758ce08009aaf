import { FRAME_MS } from '@stagepass/audio'
import type { Product } from '@stagepass/contract'
import { createListeners } from '../../events/createListeners.js'
import { sayOnce } from '../../errors/sayOnce.js'
import type { Client } from '../../identity/Client.js'
import type { FollowedSpeech } from '../silence/followSpeech.js'
import { NOTHING_SAVED } from '../silence/SilenceOptions.js'
import type { SessionParts } from './SessionParts.js'
import { isWanted, OFF, type SessionState } from './state.js'
import { type SessionEffect, type SessionInput, transition } from './transition.js'

/** This much silence ends a sentence. */
const SILENCE_MS = 1_000
/** A chunk of its own, so that only sessions with the option `silence` load it. */
const load = () => import('../silence/followSpeech.js')

/**
 * Runs the machine of `transition.ts` for one session. It knows no React. The part `stream` is run by
 * `silence/followSpeech.ts`, which only a session with the option `silence` loads.
 */
export function createSession() {
  const changes = createListeners()
  let parts = {} as SessionParts
  let state = OFF
  /** The last `stop`. */
  let stopping: object | undefined
  /** Set while the session waits for speech. Otherwise all frames pass. */
  let speech: FollowedSpeech | undefined

  const run: Readonly<Record<SessionEffect, () => unknown>> = {
    'unlock playback': () => parts.playback.unlock(),
    'start microphone': () => parts.microphone.start(),
    'stop microphone': () => parts.microphone.stop(),
    'interrupt playback': () => parts.playback.interrupt(),
    'end sentence'() {
      const frame = new ArrayBuffer(Math.round((parts.sampleRate * FRAME_MS) / 1_000) * 2)
      for (let ms = 0; ms < SILENCE_MS; ms += FRAME_MS) push(frame)
    },
    open: () => parts.stream.open(),
    close: () => parts.stream.close(),
    finish() {
      const mine = (stopping = {})
      void parts.stream.finish().then(() => stopping === mine && step('settled'))
    },
  }

  function step(input: SessionInput): void {
    const [next, ...effects] = transition(state, input, parts)
    if (next !== state) show(next)
    for (const effect of effects) run[effect]()
  }

  function show(next: Partial<SessionState>): void {
    state = { ...state, ...next }
    changes.notify()
  }

  function push(frame: ArrayBuffer): void {
    if (speech) speech.push(frame)
    else parts.stream.send(frame)
  }

  return {
    read: (): SessionState => state,
    subscribe: changes.subscribe,
    /** Called in each commit, before anything else. */
    setParts(next: SessionParts): void {
      parts = next
    },
    /** Loads the code of the option `silence`, and waits for speech. Returns a function that ends it. */
    waitForSpeech(client: Client, product: Product, key: string): () => void {
      let isEnded = false
      load()
        .then(({ followSpeech }) => {
          if (!isEnded) speech = followSpeech(() => parts, show)
        })
        .catch((cause: unknown) => {
          if (isEnded) return
          // In production the browser's own line is enough.
          if (process.env.NODE_ENV !== 'production')
            sayOnce(
              client.said,
              `Failed to wait for speech, so the stream stays open in silence: ${String(cause)}`,
            )
          show({ saved: { ...NOTHING_SAVED, unavailable: 'code' }, savedFor: client })
          const at = client.platform.wallNow()
          client.emit({ type: 'silence.unavailable', reason: 'code', product, key, at })
        })
      return () => {
        isEnded = true
        // The option was removed.
        speech?.end(!parts.silence && isWanted(state, parts.client))
        speech = undefined
      }
    },
    /** Takes a frame of the microphone. */
    hear(frame: ArrayBuffer): void {
      // A late frame of a user who has left goes nowhere.
      if (state.client && state.client !== parts.client) return
      // The words of a user who waits would come minutes late.
      if (parts.stream.status === 'queued') return
      // At once after `pause`, so that the frames before the next render are silent too.
      push(state.wish === 'paused' ? new ArrayBuffer(frame.byteLength) : frame)
    },
    end: (): void => step('end'),
    /** For the application. Stable, so that an effect may depend on them. */
    actions: {
      start: (): void => {
        if (!parts.client.signal.aborted) step('start')
      },
      stop: (): void => step('stop'),
      pause: (): void => step('pause'),
      resume: (): void => step('resume'),
    },
  }
}
