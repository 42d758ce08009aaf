import type { MEETINGS_PARAMS } from '@stagepass/contract'
import { expectTypeOf, it } from 'vitest'
// eslint-disable-next-line no-restricted-imports -- what users import is the subject
import type * as main from './index.js'

/* The members of each public type. All other members are internal, behind a symbol. */

/** The keys of a type, and of each member of a union. */
type Keys<T> = T extends unknown ? keyof T : never

it('VoiceClient shows only the members for users', () => {
  expectTypeOf<keyof main.VoiceClient>().toEqualTypeOf<'user' | 'setUser' | 'reset' | 'subscribe'>()
})

it('the results have the names of TanStack Query where it has one', () => {
  type Fetch = 'fetchStatus' | 'isPaused'
  type Status =
    | 'status'
    | 'isPending'
    | 'isSuccess'
    | 'isError'
    | 'error'
    | 'failureReason'
    | Fetch
    | 'isFetching'
    | 'dataUpdatedAt'
    | 'refetch'
  expectTypeOf<Keys<main.UseMeetingsResult<object>>>().toEqualTypeOf<
    | Status
    | 'meetings'
    | 'total'
    | 'isPlaceholderData'
    | 'hasNextPage'
    | 'isFetchingNextPage'
    | 'isFetchNextPageError'
    | 'isRefetchError'
    | 'fetchNextPage'
    | 'refresh'
    | 'isRefreshing'
    | 'refreshError'
  >()
  expectTypeOf<Keys<main.UseMeetingResult<object>>>().toEqualTypeOf<
    Status | 'meeting' | 'isPlaceholderData'
  >()
  expectTypeOf<Keys<main.UseTagsResult>>().toEqualTypeOf<Status | 'tags'>()
  expectTypeOf<Keys<main.UseSessionTokenResult>>().toEqualTypeOf<
    | Exclude<Status, Fetch | 'isFetching' | 'dataUpdatedAt' | 'refetch'>
    | 'token'
    | 'streamUrl'
    | 'expiresAt'
    | 'renew'
    | 'expiresInMs'
    | 'renewsInMs'
    | 'retryAt'
  >()
  expectTypeOf<Keys<main.UseStreamResult<string, string>>>().toEqualTypeOf<
    | 'status'
    | 'error'
    | 'failureReason'
    | 'retryAt'
    | 'queue'
    | 'send'
    | 'open'
    | 'prepare'
    | 'close'
    | 'finish'
    | 'subscribe'
    | 'stats'
  >()
})

it('the options', () => {
  expectTypeOf<keyof main.VoiceClientOptions>().toEqualTypeOf<
    | 'url'
    | 'vitals'
    | 'headers'
    | 'credentials'
    | 'fetch'
    | 'timeoutMs'
    | 'sessionId'
    | 'onEvent'
    | 'platform'
    | 'openSocket'
  >()
  expectTypeOf<keyof main.VoiceProviderProps>().toEqualTypeOf<
    'client' | 'user' | 'onUserChanged' | 'children'
  >()
  expectTypeOf<keyof main.UseMeetingsOptions>().toEqualTypeOf<'debounceMs' | 'enabled'>()
  expectTypeOf<keyof main.UseMeetingOptions>().toEqualTypeOf<'fields' | 'enabled'>()
  expectTypeOf<keyof main.UseSessionTokenOptions>().toEqualTypeOf<'ttlMinutes' | 'enabled'>()
  expectTypeOf<keyof main.UseStreamOptions<string, string>>().toEqualTypeOf<
    | 'onMessage'
    | 'enabled'
    | 'warm'
    | 'key'
    | 'codec'
    | 'connectTimeoutMs'
    | 'keepInBackground'
    | 'reconnect'
    | 'queue'
    | 'resend'
    | 'rollover'
  >()
  expectTypeOf<keyof main.MeetingsFilters>().toEqualTypeOf<Exclude<keyof typeof MEETINGS_PARAMS, 'cursor'>>()
  expectTypeOf<main.MeetingsFilters['from']>().toEqualTypeOf<Date | string | undefined>()
  expectTypeOf<main.MeetingsFilters['sortBy']>().toEqualTypeOf<
    'date' | 'duration' | 'last_modified' | undefined
  >()
  expectTypeOf<main.MeetingsFilters['pageSize']>().toEqualTypeOf<number | undefined>()
})

it('the things that a user holds', () => {
  expectTypeOf<keyof main.TokenSource>().toEqualTypeOf<
    'product' | 'current' | 'state' | 'get' | 'renew' | 'retain' | 'subscribe'
  >()
  expectTypeOf<keyof main.SessionToken>().toEqualTypeOf<'value' | 'reqId' | 'toString' | 'toJSON'>()
  expectTypeOf<keyof main.Participant>().toEqualTypeOf<
    'email' | 'first_name' | 'last_name' | 'status' | 'photo'
  >()
  expectTypeOf<keyof main.Tag>().toEqualTypeOf<'id' | 'name'>()
  expectTypeOf<keyof main.Codec<string, string>>().toEqualTypeOf<
    | 'encode'
    | 'decode'
    | 'start'
    | 'isReady'
    | 'readyTimeoutMs'
    | 'isFinal'
    | 'finalUntilMs'
    | 'finalDurationMs'
    | 'keepAlive'
  >()
  expectTypeOf<keyof main.StreamStats>().toEqualTypeOf<
    | 'sent'
    | 'queued'
    | 'bufferedBytes'
    | 'dropped'
    | 'latencyMs'
    | 'received'
    | 'generation'
    | 'unfinalMs'
    | 'behindMs'
  >()
  expectTypeOf<Exclude<keyof main.VoiceError, keyof Error | symbol>>().toEqualTypeOf<
    | 'code'
    | 'status'
    | 'retryable'
    | 'reqId'
    | 'requestId'
    | 'field'
    | 'retryAfterMs'
    | 'lostBy'
    | 'closeCode'
    | 'closeReason'
    | 'hint'
  >()
})

it('a misspelt key of a row does not compile', () => {
  const check = ({ tags, list }: { tags: main.UseTagsResult; list: main.Participant }): void => {
    // @ts-expect-error -- no such key
    void tags.tags[0]?.colour
    // @ts-expect-error -- no such key
    void list.fist_name
  }
  expectTypeOf(check).toBeFunction()
})

it('results narrow by status', () => {
  const check = (
    list: main.UseMeetingsResult<object>,
    one: main.UseMeetingResult<object>,
    tags: main.UseTagsResult,
    stream: main.UseStreamResult<string, string>,
  ): void => {
    for (const result of [list, one, tags]) {
      if (result.status === 'error') expectTypeOf(result.error).toEqualTypeOf<main.VoiceError>()
      else expectTypeOf(result.error).toEqualTypeOf<null>()
      if (result.isError) expectTypeOf(result.error).toEqualTypeOf<main.VoiceError>()
    }
    if (one.isSuccess) expectTypeOf(one.meeting).toEqualTypeOf<object>()
    if (stream.status === 'failed') expectTypeOf(stream.error).toEqualTypeOf<main.VoiceError>()
    else expectTypeOf(stream.error).toEqualTypeOf<null>()
    if (stream.status === 'reconnecting') expectTypeOf(stream.failureReason).toEqualTypeOf<main.VoiceError>()
  }
  expectTypeOf(check).toBeFunction()
})
