import type { Client } from '../client/Client.js'
import { type RetryPolicy, retryPolicy } from './retryPolicy.js'

interface QueryDefaults extends RetryPolicy {
  readonly enabled: boolean
  readonly placeholderData: () => undefined
}

/** What all queries have in common. */
export function queryDefaults(client: Client): QueryDefaults {
  return {
    ...retryPolicy(client),
    // Nobody is signed in: nothing is requested.
    enabled: client.user !== null,
    // An application's default may keep the data of the query before, which may be another user's.
    placeholderData: () => undefined,
  }
}
