import type { Client } from '../identity/Client.js'
import { isVoiceError } from '../errors/VoiceError.js'
import { type FailedState, isRecoverable, recoveryMs } from './recovery.js'
import { type RetryPolicy, retryPolicy } from './retryPolicy.js'

interface QueryDefaults extends RetryPolicy {
  readonly enabled: boolean
  readonly placeholderData: () => undefined
  readonly refetchOnWindowFocus: (query: { readonly state: FailedState }) => 'always' | false
  readonly refetchOnReconnect: (query: { readonly state: FailedState }) => 'always' | false
  readonly refetchInterval: (query: { readonly state: FailedState }) => number | false
  readonly refetchIntervalInBackground: false
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
    // All users share a few calls a second: only a query that has failed is requested again. The user may
    // have signed in again elsewhere.
    refetchOnWindowFocus: ({ state }: { state: FailedState }) =>
      (isVoiceError(state.error, 'UNAUTHENTICATED') || isRecoverable(client, state)) && 'always',
    refetchOnReconnect: ({ state }: { state: FailedState }) => isRecoverable(client, state) && 'always',
    refetchInterval: ({ state }: { state: FailedState }) => recoveryMs(client, state),
    refetchIntervalInBackground: false,
  } as const
  return ours
}
