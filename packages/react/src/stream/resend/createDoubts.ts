import type { Platform, TimerHandle } from '../../platform/platform.js'
import { createAnswerWatch } from './createAnswerWatch.js'

interface DoubtsOptions {
  readonly platform: Platform
  /** True if a connection has sound, and no other one is opened or tried. */
  readonly isPossible: () => boolean
  /** True while there is speech that is not final. */
  readonly isUnfinished: () => boolean
  /** The current connection has left speech without an answer. Another one has `limitMs` to answer. */
  readonly onUnanswered: (limitMs: number) => void
}

/** Frames that come later than this after the one before are those of a hidden page, or the machine slept. */
const LATE_MS = 1_000

/** Notices a connection that leaves speech without an answer, when frames come, and after the last of them. */
export function createDoubts({ platform, isPossible, isUnfinished, onUnanswered }: DoubtsOptions) {
  const now = (): number => platform.now()
  const answers = createAnswerWatch()
  let lastFrameAt = -Infinity
  /** True if no more speech follows, so that a single word must be answered too. */
  let isLast = false
  /** The limit of the last doubt, and until when the connection that it caused may answer. */
  let limitMs = 0
  let trialUntil = Infinity
  let timer: TimerHandle | undefined

  function doubt(isOver: boolean): void {
    if (!isPossible() || now() < answers.dueAt(isOver)) return
    limitMs = answers.limitMs()
    answers.doubt()
    onUnanswered(limitMs)
  }

  /** After the last frame, such as the release of a button, only a timer can notice it. */
  function doubtLater(): void {
    const due = Math.ceil(answers.dueAt(true))
    if (timer !== undefined || due === Infinity) return
    const at = Math.max(now() + LATE_MS, due)
    const fire = (): void => {
      timer = undefined
      // The machine slept.
      if (now() - at > LATE_MS) answers.restart(now())
      if (isLast || now() - lastFrameAt > LATE_MS) doubt(true)
      if (isUnfinished()) doubtLater()
    }
    timer = platform.setTimeout(fire, at - now())
  }

  return {
    /** The microphone gave a frame. Doubts begin here, because a timer is late in a hidden page. */
    frame(at: number): void {
      if (at - lastFrameAt > LATE_MS) answers.restart(at)
      lastFrameAt = at
      doubt(false)
    },
    sent(ms: number, isSpeech: boolean): void {
      answers.sent(ms, isSpeech, now())
      if (isSpeech) doubtLater()
    },
    answered: (isGrowing: boolean): void => answers.answered(isGrowing, now()),
    /** Another connection is tried, or none any longer. `isAfter`: after one that was tried. */
    tried(isAfter: boolean): void {
      // None of the two has answered.
      if (isAfter && now() >= trialUntil) answers.restart(now())
      trialUntil = now() + limitMs
    },
    /** How long the current connection may leave speech without an answer, or the one that is tried. */
    limitMs: (isTrying: boolean): number => (isTrying ? limitMs : answers.limitMs()),
    expectLast(isExpected: boolean): void {
      isLast = isExpected
    },
    /** Another connection: what was sent before does not count. */
    forget: answers.forget,
    stop(): void {
      isLast = false
      answers.forget()
      platform.clearTimeout(timer)
      timer = undefined
    },
  }
}
