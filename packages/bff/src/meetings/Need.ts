import type { Turn } from '../upstream/Upstream.js'

/** A wait of the load for its turn. */
export class Need {
  readonly turn: Promise<Turn>
  readonly frozenMs: number | undefined
  /** `taken`: there is a slot, and a last look for the page. */
  status: 'open' | 'taken' | 'over' = 'open'
  /** Waiters that have asked the budget. */
  readonly queue = new Set<object>()
  /** The wait for another instance, one for all waiters. */
  following: Promise<void> | undefined
  #resolve!: (turn: Turn) => void
  #reject!: (reason: unknown) => void

  constructor(frozenMs: number | undefined) {
    this.frozenMs = frozenMs
    this.turn = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  settle(turn: Turn): void {
    this.status = 'over'
    this.#resolve(turn)
  }

  fail(reason: unknown): void {
    this.status = 'over'
    this.#reject(reason)
  }
}
