import type { Client } from '../client/Client.js'
import { isVoiceError } from '../VoiceError.js'
import { type RetryPolicy, retryPolicy } from './retryPolicy.js'

interface QueryDefaults extends RetryPolicy {
  readonly enabled: boolean
  readonly placeholderData: () => undefined
  readonly refetchOnWindowFocus: (query: { readonly state: { readonly error: unknown } }) => 'always' | false
  readonly refetchOnReconnect: false
  readonly refetchInterval: false
}

/**
 * Defaults of an application that would change what the hooks promise. An option that is `undefined` still
 * replaces the default. (README: "Default options of an application".)
 */
const NOT_FOR_US = {
  // It would return what is on the disk in place of a request, also for `refresh`.
  persister: undefined,
  // These three would replace the rows, or leave some out.
  select: undefined,
  initialData: undefined,
  maxPages: undefined,
  // A hook would not render when its status changes.
  notifyOnChangeProps: undefined,
}

/**
 * Options that all queries share. They come before the options of a query, so that it can have its own. Each
 * default option of TanStack Query has a row in `defaultOptions.test.tsx`.
 */
export function queryDefaults(client: Client): QueryDefaults {
  return {
    ...NOT_FOR_US,
    ...retryPolicy(client),
    // Nobody is signed in: nothing is requested.
    enabled: client.user !== null,
    // An application's default may show the data of the previous query, which may belong to another user.
    placeholderData: () => undefined,
    // The user may have signed in again elsewhere. Nothing else is requested again at focus.
    refetchOnWindowFocus: ({ state }) => isVoiceError(state.error, 'UNAUTHENTICATED') && 'always',
    // All users share a few calls a second.
    refetchOnReconnect: false,
    refetchInterval: false,
  }
}
