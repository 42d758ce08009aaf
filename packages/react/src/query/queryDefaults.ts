import type { Client } from '../identity/Client.js'
import { isVoiceError } from '../errors/VoiceError.js'
import { type RetryPolicy, retryPolicy } from './retryPolicy.js'

interface QueryDefaults extends RetryPolicy {
  readonly enabled: boolean
  readonly placeholderData: () => undefined
  readonly refetchOnWindowFocus: (query: { readonly state: { readonly error: unknown } }) => 'always' | false
  readonly refetchOnReconnect: false
  readonly refetchInterval: false
}

/**
 * Options that all queries share. They come before the options of a query, so that it can have its own. They
 * replace default options of an application that would change what the hooks promise; an option that is
 * `undefined` does so too. (README: "Default options of an application".)
 */
export function queryDefaults(client: Client): QueryDefaults {
  const ours = {
    ...retryPolicy(client),
    // It would return what is on the disk in place of a request, also for a refresh.
    persister: undefined,
    // These would change or leave out rows.
    select: undefined,
    maxPages: undefined,
    // A hook would not render when its status changes.
    notifyOnChangeProps: undefined,
    // Nobody is signed in: nothing is requested.
    enabled: client.user !== null,
    // An application's default may show the data of the previous query, which may belong to another user.
    placeholderData: () => undefined,
    // The user may have signed in again elsewhere. Nothing else is requested again at focus.
    refetchOnWindowFocus: ({ state }: { state: { error: unknown } }) =>
      isVoiceError(state.error, 'UNAUTHENTICATED') && 'always',
    // All users share a few calls a second.
    refetchOnReconnect: false,
    refetchInterval: false,
  } as const
  return ours
}
