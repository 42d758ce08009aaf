import type { EmulatorClock } from '../core/platform/clock.js'

export type IdleTimes = ReturnType<typeof createIdleTimes>

/** Measures how long connections are idle, on the emulator's clock. */
export function createIdleTimes(clock: EmulatorClock) {
  const endedAt = new WeakMap<object, number>()
  return {
    /** Call it when the last byte of a response was written. */
    ended(connection: object): void {
      endedAt.set(connection, clock.now())
    },
    /** Time since the last response of the connection; `undefined` if it has had none. */
    of(connection: object): number | undefined {
      const atMs = endedAt.get(connection)
      return atMs === undefined ? undefined : clock.now() - atMs
    },
  }
}
