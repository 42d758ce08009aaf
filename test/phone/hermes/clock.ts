interface Timer {
  readonly at: number
  readonly callback: () => void
}

const timers = new Map<number, Timer>()
let lastId = 0
let now = 1_000

/** Lets all promises go on that can. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 100; turn += 1) await Promise.resolve()
}

/**
 * The clocks and timers of the program. They move only here. Promises of Hermes go on by its own
 * `setImmediate`.
 */
export const clock = {
  install(): void {
    Object.assign(globalThis, {
      setTimeout(callback: () => void, delayMs = 0): number {
        lastId += 1
        timers.set(lastId, { at: now + Math.max(0, delayMs), callback })
        return lastId
      },
      clearTimeout: (id: number) => void timers.delete(id),
      queueMicrotask: (callback: () => void) => void Promise.resolve().then(callback),
      performance: { now: () => now },
    })
    Date.now = () => 1_700_000_000_000 + now
  },
  now: (): number => now,
  settle,
  /** Runs all timers of this time, in order. */
  async advance(ms: number): Promise<void> {
    const end = now + ms
    await settle()
    for (;;) {
      const due = [...timers].filter(([, { at }]) => at <= end).toSorted(([, a], [, b]) => a.at - b.at)[0]
      if (!due) break
      const [id, { at, callback }] = due
      timers.delete(id)
      now = Math.max(now, at)
      callback()
      await settle()
    }
    now = end
  },
  /** The phone stops the application: time passes, and no timer fires. */
  stopFor(ms: number): void {
    now += ms
  },
}
