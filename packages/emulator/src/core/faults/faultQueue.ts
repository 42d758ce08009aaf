import type { Product } from '@stagepass/contract'
import type { Endpoint } from '../request/http.js'
import type { Effect, Fault } from './Fault.js'

/** The request or handshake to which faults may apply. */
interface FaultTarget {
  readonly endpoint: Endpoint
  readonly path: string
  readonly product: Product | undefined
}

/**
 * The effect of the faults on one request: the delay before it, and the effect that replaces its response.
 */
export interface TakenFault {
  readonly delayMs: number
  readonly effect: Exclude<Effect, { type: 'delay' }> | undefined
}

export type FaultQueue = ReturnType<typeof createFaultQueue>

function applies(fault: Fault, { endpoint, path, product }: FaultTarget): boolean {
  if (!fault.on.includes(endpoint)) return false
  if (fault.product !== undefined && fault.product !== product) return false
  if (fault.path === undefined) return true
  return typeof fault.path === 'string' ? fault.path === path : fault.path.test(path)
}

const dropsBeforeReading = ({ effect }: Fault): boolean =>
  effect.type === 'drop' && effect.when === 'before-reading'

export function createFaultQueue() {
  let queue: { fault: Fault; left: number }[] = []

  const spend = (entry: { fault: Fault; left: number }): void => {
    entry.left -= 1
    if (entry.left <= 0) queue = queue.filter((other) => other !== entry)
  }

  return {
    /** Adds a fault. The newest one is tried first. Returns a function that removes it. */
    use(fault: Fault): () => void {
      const entry = { fault, left: fault.times }
      queue = [entry, ...queue]
      return () => {
        queue = queue.filter((other) => other !== entry)
      }
    },
    /** True if a fault closes the connection before the body is read. */
    takeDropBeforeReading(target: FaultTarget): boolean {
      const entry = queue.find(({ fault }) => dropsBeforeReading(fault) && applies(fault, target))
      if (entry) spend(entry)
      return entry !== undefined
    },
    /**
     * From the newest to the oldest fault, takes all delays up to the first fault that replaces the response,
     * and that fault.
     */
    take(target: FaultTarget): TakenFault {
      let delayMs = 0
      for (const entry of queue) {
        const { fault } = entry
        if (dropsBeforeReading(fault) || !applies(fault, target)) continue
        spend(entry)
        if (fault.effect.type !== 'delay') return { delayMs, effect: fault.effect }
        delayMs += fault.effect.ms
      }
      return { delayMs, effect: undefined }
    },
    reset(): void {
      queue = []
    },
  }
}
