import type { Client } from '../client/Client.js'
import { isVoiceError } from '../VoiceError.js'
import { type RetryPolicy, retryPolicy } from './retryPolicy.js'

interface QueryDefaults extends RetryPolicy {
  readonly enabled: boolean
  readonly placeholderData: () => undefined
  readonly refetchOnWindowFocus: (query: { readonly state: { readonly error: unknown } }) => 'always' | false
}

/** Options that all queries share. */
export function queryDefaults(client: Client): QueryDefaults {
  return {
    ...retryPolicy(client),
    // Nobody is signed in: nothing is requested.
    enabled: client.user !== null,
    // An application's default may show the data of the previous query, which may belong to another user.
    placeholderData: () => undefined,
    // The user may have signed in again elsewhere. Nothing else is requested again at focus.
    refetchOnWindowFocus: ({ state }) => isVoiceError(state.error, 'UNAUTHENTICATED') && 'always',
  }
}
