import type { Clock } from '../base/platform.js'
import { untilAborted } from './untilAborted.js'

/** Resolves after `ms`, or rejects with the signal's reason as soon as the signal is aborted. */
export async function pause(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
  let cancel = (): void => {}
  const over = new Promise<void>((resolve) => (cancel = clock.after(ms, resolve)))
  await untilAborted(over, signal).finally(cancel)
}
