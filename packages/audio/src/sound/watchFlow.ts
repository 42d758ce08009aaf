import { after, type Timer } from './after.js'

/*
 * Whether sound flows through a context. A context may be closed, suspended or interrupted, or it may say
 * `running` while its clock has stopped or its worklet has ended. So `progress` decides, and not `state`.
 *
 *              progress              no progress for 1 s (before the first: `firstMs`)
 *   waiting ─────────────▶ flowing ─────────────────────────────────────────────────▶ stopped
 *      └────────────── closed, `error`, `processorerror`, an interruption has ended ─────┘
 *   `stopped` is final: the context must be replaced.
 *
 * A timer that fires late proves nothing: the machine slept, or the page was blocked or throttled. What came
 * meanwhile may still be in the page's queue, so the time before a late check is not counted. In a page whose
 * timers are always late, only the first late check is skipped.
 */

const CHECK_MS = 250
/** The longest time without progress. */
const STILL_MS = 1_000
/** The longest time from a new context to the first progress. */
export const FIRST_MS = 3_000

export interface FlowOptions {
  /** A number that grows while sound flows. */
  readonly progress: () => number
  /** False while no progress is due. */
  readonly isExpected: () => boolean
  /** Default 3,000. */
  readonly firstMs?: number | undefined
  /** Called once. `cause`: the event, if there was one. */
  readonly onStopped: (cause?: Event) => void
  /** Called instead after an interruption that left the context suspended, such as a phone call. */
  readonly onInterrupted: () => void
}

/** Watches a context until it stops. */
export function watchFlow(context: AudioContext, options: FlowOptions) {
  const { progress, isExpected, firstMs = FIRST_MS, onStopped, onInterrupted } = options
  const over = new AbortController()
  const { signal } = over
  let timer: Timer
  let seen = progress()
  let stillMs = 0
  let longestMs = firstMs
  let checkedAt = performance.now()
  let wasLate = false
  let wasInterrupted = false

  function stop(): void {
    over.abort()
    clearTimeout(timer)
  }

  function stopped(cause?: Event): void {
    if (signal.aborted) return
    stop()
    onStopped(cause)
  }

  function check(): void {
    const now = performance.now()
    const elapsedMs = now - checkedAt
    const isLate = elapsedMs > 2 * CHECK_MS
    const current = progress()
    if (current !== seen) longestMs = STILL_MS
    if (current !== seen || !isExpected()) stillMs = 0
    else if (!isLate || wasLate) stillMs += Math.min(elapsedMs, STILL_MS)
    checkedAt = now
    wasLate = isLate
    seen = current
    if (stillMs >= longestMs) stopped()
    else timer = after(check, CHECK_MS)
  }

  timer = after(check, CHECK_MS)
  context.addEventListener(
    'statechange',
    () => {
      const { state } = context
      if (state === 'closed') return stopped()
      const isOver = wasInterrupted && state === 'suspended'
      wasInterrupted = state === 'interrupted'
      if (!isOver) return
      stop()
      onInterrupted()
    },
    { signal },
  )
  context.addEventListener('error', stopped, { signal })

  return {
    /** The worklet that makes the progress. */
    addNode(node: AudioWorkletNode): void {
      // The event of Chromium is called `error`.
      for (const name of ['processorerror', 'error']) node.addEventListener(name, stopped, { signal })
    },
    /** Ends the watch. No function is called afterwards. */
    stop,
  }
}
