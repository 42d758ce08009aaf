import {
  BFF_ROUTES,
  type BffRouteName,
  type ListFilters,
  type Meeting,
  type MeetingField,
  listParam,
  MEETINGS_PARAMS,
  meetingsParams,
  type Product,
  PRODUCT_NAMES,
  type RowWith,
  type Tag,
  type UsageResponse,
} from '@stagepass/contract'
import {
  MeetingQuery,
  MeetingsQuery,
  SessionTokenRequest,
  type SessionTokenResponse,
} from '@stagepass/contract/schemas'
import { BffError } from '../base/BffError.js'
import { invalidValue } from '../base/invalidValue.js'
import { gotText } from '../base/valueKind.js'
import type { CheckedGrant } from '../grant/readGrant.js'
import type { Page } from '../meetings/createPages.js'
import { allMeetings } from './allMeetings.js'
import type { Caller } from './Caller.js'
import type { Run } from './createRun.js'
import { getMeeting, listMeetings, listTags } from './listMeetings.js'
import { meetingId } from '../meetings/meetingId.js'
import { mintToken } from './mintToken.js'
import { nameable, parseRequest } from './parseRequest.js'
import { methodOf, requestOther, type UserRequest } from './requestOther.js'
import { readUsage } from './usage.js'
import type { Services } from './Services.js'

/** Names of fields: those of the contract, and those of `meetings.wire.extraFields`. */
type FieldNames = readonly (MeetingField | (string & {}))[] | undefined

/** A field of `meetings.wire.extraFields` comes as the service sends it. */
type AnyField = Meeting & { readonly [name: string]: unknown }

/**
 * A meeting with only the requested fields. If the names are known only at run time, each field may be
 * missing. Fields that the grant does not cover are missing too.
 */
export type UserMeeting<TFields extends FieldNames> = RowWith<AnyField, TFields>

/** Options of every call of `bff.as(grant)`. */
export interface UserCallOptions {
  /** If it is aborted, the call rejects with its reason. */
  readonly signal?: AbortSignal | undefined
}

/** The filters of `useMeetings`, and the page. */
export interface UserMeetingsFilters<TFields extends FieldNames = FieldNames> extends ListFilters {
  /** Fields of each meeting, in addition to `id`. Default: all except `participants`. */
  readonly fields?: TFields
  /** `next_cursor` of the page before. `null`, or left out: the first page. */
  readonly cursor?: string | null | undefined
}

/** Options of `bff.as(grant).meeting()`. */
export interface UserMeetingOptions<TFields extends FieldNames = FieldNames> extends UserCallOptions {
  /** Fields of the meeting, in addition to `id`. Default: all except `participants`. */
  readonly fields?: TFields
}

/** Options of `bff.as(grant).sessionToken()`. */
export interface UserTokenOptions extends UserCallOptions {
  /** Lifetime of the token. Default: that of the product. The grant may make it shorter. */
  readonly ttlMinutes?: number | undefined
  /** Groups the tokens of one conversation. A `sessionId` of the grant replaces it. */
  readonly sessionId?: string | undefined
}

/** A page of a list. */
export interface UserMeetingsPage<TMeeting> {
  readonly meetings: readonly TMeeting[]
  /** `null` at the end. */
  readonly next_cursor: string | null
  /** Number of all meetings, if the service sends it. */
  readonly total?: number | undefined
}

/**
 * What a user may do, for server code. Each call resolves with the JSON of its route, and counts in the
 * limits of the user. It rejects with a `BffError`, or with the reason of the signal.
 */
export interface UserCalls {
  /** A page of the meetings that the grant's credential may see: `GET /meetings`. */
  readonly meetings: <const TFields extends FieldNames = undefined>(
    filters?: UserMeetingsFilters<TFields>,
    options?: UserCallOptions,
  ) => Promise<UserMeetingsPage<UserMeeting<TFields>>>
  /**
   * All meetings of the list, one after the other, for a job: `for await (const meeting of …)`. It reads the
   * pages as they are needed. When a limit is reached, or the service fails for a while, it waits and goes on;
   * after ten failures in a row it throws the last one. `pageSize`: default 100.
   */
  readonly allMeetings: <const TFields extends FieldNames = undefined>(
    filters?: Omit<UserMeetingsFilters<TFields>, 'cursor'>,
    options?: UserCallOptions,
  ) => AsyncGenerator<UserMeeting<TFields>, void, undefined>
  /** One meeting: `GET /meetings/:id`. */
  readonly meeting: <const TFields extends FieldNames = undefined>(
    id: string,
    options?: UserMeetingOptions<TFields>,
  ) => Promise<UserMeeting<TFields>>
  /** The tags of the account: `GET /tags`. */
  readonly tags: (options?: UserCallOptions) => Promise<{ readonly tags: readonly Tag[] }>
  /** A new session token: `POST /session-token`. */
  readonly sessionToken: (product: Product, options?: UserTokenOptions) => Promise<SessionTokenResponse>
  /**
   * Sends a request for an operation of the meetings interface that has no call here, with the credential of the
   * grant, in the budget of the account. Resolves with the JSON of the response, or `undefined` if it is empty.
   * `ownership` and `fields` of the grant do not limit it. A request other than GET is sent once, except if the
   * service has not read it. For server code alone: pages can send no such request.
   *
   * @example await bff.as(grant).request({ method: 'POST', path: '/recordings/import', json: { url } })
   */
  readonly request: (request: UserRequest, options?: UserCallOptions) => Promise<unknown>
  /** The minutes of today: `GET /usage`. `products`: only these. Default: all of the grant. */
  readonly usage: (products?: readonly Product[], options?: UserCallOptions) => Promise<UsageResponse>
}

const FILTERS = Object.keys(MEETINGS_PARAMS)

/** A stored page may be used. */
const STORED = { noCache: false }

/** The names of the calls, by those of the wire. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ...Object.entries(MEETINGS_PARAMS).map(([filter, { name }]) => [name, filter] as const),
  ['usage_type', 'product'],
  ['expiration_ttl', 'ttlMinutes'],
  ['session_id', 'sessionId'],
])

/** The calls of one user. Each is a function of this folder, after the same checks as its route. */
export function userCalls(grant: CheckedGrant, run: Run, services: Services): UserCalls {
  const call = <TResult>(
    operation: BffRouteName | 'request',
    options: UserCallOptions,
    known: readonly string[],
    work: (caller: Caller) => Promise<TResult>,
    method: string = operation === 'request' ? 'GET' : BFF_ROUTES[operation].method,
  ): Promise<TResult> => {
    // Code without types may give anything.
    const { signal } = Object(options) as UserCallOptions
    const nameOf = (field: string): string => NAMES.get(field) ?? field
    return run({ grant, operation, method, signal, nameOf }, async (caller) => {
      refuseUnknown(options, known, 'options')
      return work(caller)
    })
  }

  /** The types of what was read are those of `UserCalls`: `rebuild` builds it from the requested fields. */
  const read = (
    operation: BffRouteName,
    options: UserCallOptions,
    known: readonly string[],
    work: (caller: Caller) => Promise<Page>,
  ): Promise<never> =>
    call(operation, options, known, async (caller) => {
      const { json, shared } = await work(caller)
      caller.context.shared = shared
      return JSON.parse(json) as never
    })

  const readPage = (filters: UserMeetingsFilters, options: UserCallOptions): Promise<never> =>
    read('meetings', options, ['signal'], async (caller) => {
      refuseUnknown(filters, FILTERS, 'filters')
      const { cursor, ...given } = filters
      for (const [filter, value] of Object.entries(filters)) refuseValue(filter, value)
      const written = { ...meetingsParams(given), cursor: cursor ?? undefined }
      return listMeetings(caller, parseRequest(MeetingsQuery, written, 'query'), STORED, services)
    })

  return {
    meetings: (filters = {}, options = {}) => readPage(filters, options),
    allMeetings: (filters = {}, options = {}) =>
      allMeetings(
        (cursor) =>
          readPage({ pageSize: MEETINGS_PARAMS.pageSize.schema.maximum, ...filters, cursor }, options),
        services.settings.platform.clock,
        options.signal,
      ),
    meeting: (id, options = {}) =>
      read('meeting', options, ['fields', 'signal'], async (caller) => {
        refuseValue('fields', options.fields)
        const query = parseRequest(MeetingQuery, { fields: listParam(options.fields) }, 'query')
        return getMeeting(caller, meetingId(id), query, STORED, services)
      }),
    tags: (options = {}) => read('tags', options, ['signal'], (caller) => listTags(caller, STORED, services)),
    sessionToken: (product, options = {}) =>
      call('session-token', options, ['ttlMinutes', 'sessionId', 'signal'], async (caller) => {
        const { ttlMinutes, sessionId } = options
        const wanted = { usage_type: product, expiration_ttl: ttlMinutes, session_id: sessionId }
        return mintToken(caller, parseRequest(SessionTokenRequest, wanted, 'body'), services)
      }),
    request: (request, options = {}) =>
      call(
        'request',
        options,
        ['signal'],
        async (caller) => {
          refuseUnknown(request, ['method', 'path', 'query', 'json'], 'options')
          return requestOther(caller, request, services)
        },
        methodOf(request),
      ),
    usage: (products, options = {}) =>
      call('usage', options, ['signal'], async (caller) => {
        const given: unknown = products === undefined ? [] : products
        const unknown = Array.isArray(given)
          ? given.find((one) => !PRODUCT_NAMES.includes(one as Product))
          : given
        if (unknown !== undefined) throw invalidValue('products', gotText(unknown), 'usage_type')
        return readUsage(caller, services, products)
      }),
  }
}

/** A filter with a wrong name would be no filter, and the list would show more than was asked for. */
function refuseUnknown(given: unknown, known: readonly string[], whole: 'filters' | 'options'): void {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw invalidValue(whole)
  const unknown = Object.keys(given).find((name) => !known.includes(name))
  if (unknown === undefined) return
  const name = nameable(unknown, whole)
  throw new BffError('VALIDATION_ERROR', { field: name, seen: { cause: 'unknown', name } })
}

/** On the wire each value is a text, so a value of another type would be sent as its text. */
function refuseValue(filter: string, value: unknown): void {
  const { schema, name } = MEETINGS_PARAMS[filter as keyof typeof MEETINGS_PARAMS]
  const isItem = (item: unknown): boolean => typeof item === 'string'
  const isRight =
    value === undefined ||
    value === null ||
    (schema.type === 'array'
      ? Array.isArray(value) && value.every(isItem)
      : typeof value === (schema.type === 'integer' ? 'number' : 'string') || value instanceof Date)
  if (!isRight) throw invalidValue(name, gotText(value))
}
