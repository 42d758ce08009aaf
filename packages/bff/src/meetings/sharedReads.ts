import type { Call } from '../request/Call.js'
import { createSingleFlight, type Flight } from '../singleFlight.js'
import type { SlotRequest } from '../budget/Budget.js'

export interface SharedRead {
  /** Who may share: an HMAC over credential, effective ownership and fields, and canonical query. */
  readonly key: string
  readonly call: Call
  /** The client asked for `Cache-Control: no-cache`: an answer from before will not do, a call in flight will. */
  readonly fresh: boolean
}

/** Under what a read is made: for the users who wait, or to freshen what has been served already. */
export interface ReadWork {
  readonly call: Call
  readonly priority: NonNullable<SlotRequest['priority']>
}

export interface SavedReads {
  /** Another request's call in flight served. */
  readonly shared: number
}

/** All reading of the meetings interface goes through here: what can be shared is asked for once. */
export interface SharedReads {
  /** Reads that cost no upstream call of their own, since the start. */
  readonly saved: SavedReads
  read(request: SharedRead, load: (work: ReadWork) => Promise<string>): Promise<Flight<string>>
}

/** Shares calls in flight and keeps nothing. */
export function createSharedReads(): SharedReads {
  const flights = createSingleFlight<string>()
  let shared = 0
  return {
    get saved() {
      return { shared }
    },
    async read({ key, call }, load) {
      const flight = await flights.join(key, call, (own) => load({ call: own, priority: 'user' }))
      if (flight.shared) shared += 1
      return flight
    },
  }
}
