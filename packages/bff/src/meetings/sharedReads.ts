import type { Call } from '../request/Call.js'
import { createSingleFlight, type Flight } from '../singleFlight.js'

export interface SharedRead {
  /** Who may share: an HMAC over credential, effective ownership and fields, and canonical query. */
  readonly key: string
  readonly call: Call
  /** The client asked for `Cache-Control: no-cache`: an answer from before will not do, a call in flight will. */
  readonly fresh: boolean
}

/** All reading of the meetings interface goes through here: what can be shared is asked for once. */
export interface SharedReads {
  read(request: SharedRead, load: (shared: Call) => Promise<string>): Promise<Flight<string>>
}

/** Shares calls in flight and keeps nothing. */
export function createSharedReads(): SharedReads {
  const flights = createSingleFlight<string>()
  return { read: ({ key, call }, load) => flights.join(key, call, load) }
}
