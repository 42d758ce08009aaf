import type { Product } from '@stagepass/contract'
import type { Coding, Endpoint, OddFields } from '../request/http.js'
import type { Mute } from '../sockets/sockets.js'
import type { Effect, Fault } from './Fault.js'

/** The request or handshake to which faults may apply. */
interface FaultTarget {
  readonly endpoint: Endpoint
  readonly path: string
  readonly product: Product | undefined
  readonly hasCursor?: boolean | undefined
}

/** Changes of a response that any effect or none may have made. */
export interface ResponseChanges {
  readonly coding: Coding | undefined
  readonly byteOrderMark: boolean
  /** A `bigint` is written as a number. Otherwise it is no JSON. */
  readonly bigints: boolean
}

/**
 * The effect of the faults on one request: the delay before it, the effect that replaces its response, and
 * the changes of that response.
 */
export interface TakenFault {
  readonly delayMs: number
  readonly effect: Effect | undefined
  readonly changes: ResponseChanges
  /** The newest first. */
  readonly odd: readonly OddFields[]
  readonly mutes: readonly Mute[]
}

export type FaultQueue = ReturnType<typeof createFaultQueue>

function applies(fault: Fault, { endpoint, path, product, hasCursor = false }: FaultTarget): boolean {
  if (!fault.on.includes(endpoint)) return false
  if (fault.product !== undefined && fault.product !== product) return false
  if (fault.onlyWithCursor && !hasCursor) return false
  if (fault.path === undefined) return true
  return typeof fault.path === 'string' ? fault.path === path : fault.path.test(path)
}

/** True for a fault that acts before the request is read. */
const isEarly = ({ effect }: Fault): boolean =>
  effect.type === 'close-idle' || (effect.type === 'drop' && effect.when === 'before-reading')

const isIdleLongEnough = ({ effect }: Fault, idleMs: number | undefined): boolean =>
  effect.type !== 'close-idle' || (idleMs !== undefined && idleMs >= effect.afterMs)

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
    /** True if a fault closes the connection before the body is read. `idleMs`: see `Connection`. */
    takeDropBeforeReading(target: FaultTarget, idleMs: number | undefined): boolean {
      const entry = queue.find(
        ({ fault }) => isEarly(fault) && applies(fault, target) && isIdleLongEnough(fault, idleMs),
      )
      if (entry) spend(entry)
      return entry !== undefined
    },
    /**
     * From the newest to the oldest fault, takes all delays and changes up to the first fault that replaces
     * the response, and that fault. The newest encoding counts.
     */
    take(target: FaultTarget): TakenFault {
      let delayMs = 0
      let coding: Coding | undefined
      let byteOrderMark = false
      const odd: OddFields[] = []
      const mutes: Mute[] = []
      const taken = (effect?: Effect): TakenFault => ({
        delayMs,
        effect,
        changes: { coding, byteOrderMark, bigints: odd.length > 0 },
        odd,
        mutes,
      })
      for (const entry of queue) {
        const { fault } = entry
        if (isEarly(fault) || !applies(fault, target)) continue
        spend(entry)
        const { effect } = fault
        if (effect.type === 'delay') delayMs += effect.ms
        else if (effect.type === 'encoded') coding ??= effect.coding
        else if (effect.type === 'byte-order-mark') byteOrderMark = true
        else if (effect.type === 'odd-fields') odd.push(effect.odd)
        else if (effect.type === 'mute') mutes.push(effect)
        else return taken(effect)
      }
      return taken()
    },
    has: (type: Effect['type']): boolean => queue.some(({ fault }) => fault.effect.type === type),
    reset(): void {
      queue = []
    },
  }
}
