import type { Product } from '@stagepass/contract'
import type { Effect, Fault, Surface } from './faults.js'

/** The request for which faults are asked. */
export interface Struck {
  readonly surface: Surface
  readonly path: string
  readonly product: Product | undefined
}

/** What strikes one request: the waits before it, and what happens instead of the answer. */
export interface Strike {
  readonly delayMs: number
  readonly effect: Exclude<Effect, { type: 'delay' }> | undefined
}

const NOTHING: Strike = { delayMs: 0, effect: undefined }

export interface FaultQueue {
  /** Puts it in front of the others. Returns its undo. */
  use(fault: Fault): () => void
  /** Is the connection to be destroyed before the body is read? */
  takeDropBeforeReading(struck: Struck): boolean
  /** Uses up, from the newest, every delay up to the first fault that decides the answer. */
  take(struck: Struck): Strike
  reset(): void
}

function strikes(fault: Fault, { surface, path, product }: Struck): boolean {
  if (!fault.on.includes(surface)) return false
  if (fault.product !== undefined && fault.product !== product) return false
  if (fault.path === undefined) return true
  return typeof fault.path === 'string' ? fault.path === path : fault.path.test(path)
}

const dropsBeforeReading = ({ effect }: Fault): boolean =>
  effect.type === 'drop' && effect.when === 'before-reading'

export function createFaultQueue(): FaultQueue {
  let queue: { fault: Fault; left: number }[] = []

  const spend = (entry: { fault: Fault; left: number }): void => {
    entry.left -= 1
    if (entry.left <= 0) queue = queue.filter((other) => other !== entry)
  }

  return {
    use(fault) {
      const entry = { fault, left: fault.times }
      queue = [entry, ...queue]
      return () => {
        queue = queue.filter((other) => other !== entry)
      }
    },
    takeDropBeforeReading(struck) {
      const entry = queue.find(({ fault }) => dropsBeforeReading(fault) && strikes(fault, struck))
      if (entry) spend(entry)
      return entry !== undefined
    },
    take(struck) {
      if (queue.length === 0) return NOTHING
      let delayMs = 0
      for (const entry of queue) {
        const { fault } = entry
        if (dropsBeforeReading(fault) || !strikes(fault, struck)) continue
        spend(entry)
        if (fault.effect.type !== 'delay') return { delayMs, effect: fault.effect }
        delayMs += fault.effect.ms
      }
      return { delayMs, effect: undefined }
    },
    reset() {
      queue = []
    },
  }
}
