import type { Clock } from '../core/Clock.js'
import type { VirtualClock } from '@stagepass/testing/virtualClock'

/**
 * A process: what happens to it while it is paused happens when it goes on, and nothing happens to it once it
 * has crashed.
 */
export interface Process {
  readonly index: number
  /** Its own monotonic clock: of another origin, and a little fast or slow. */
  readonly clock: Clock
  /** Its wall clock, which may be wrong by half a minute. */
  wallClock(): number
  isAlive(): boolean
  isRunning(): boolean
  deliver(task: () => void): void
  pause(): void
  resume(): void
  crash(): void
}

interface ProcessOptions {
  readonly index: number
  readonly originMs: number
  readonly skewMs: number
  /** How fast its clock runs, 1 being right. */
  readonly rate: number
}

export function createProcess(time: VirtualClock, options: ProcessOptions): Process {
  let status: 'running' | 'paused' | 'crashed' = 'running'
  let missed: (() => void)[] = []

  const deliver = (task: () => void): void => {
    if (status === 'paused') missed.push(task)
    else if (status === 'running') task()
  }

  return {
    index: options.index,
    clock: {
      now: () => options.originMs + time.now() * options.rate,
      after(delayMs, task) {
        let cancelled = false
        time.at(time.now() + Math.max(0, delayMs) / options.rate, () =>
          deliver(() => {
            if (!cancelled) task()
          }),
        )
        return () => {
          cancelled = true
        }
      },
    },
    wallClock: () => time.now() + options.skewMs,
    isAlive: () => status !== 'crashed',
    isRunning: () => status === 'running',
    deliver,
    pause() {
      if (status === 'running') status = 'paused'
    },
    resume() {
      if (status !== 'paused') return
      status = 'running'
      const late = missed
      missed = []
      for (const task of late) time.at(time.now(), () => deliver(task))
    },
    crash() {
      status = 'crashed'
    },
  }
}
