import type { MeetingsWire, Product } from '@stagepass/contract'
import type { MeetingsAccess } from '../meetings/access.js'
import type { Endpoint, HttpRequest, HttpResponse } from '../request/http.js'
import type { Store } from '../store/store.js'

/**
 * One operation of the HTTP interface. Routes respond from the store, at once; delays, faults and transport
 * are outside.
 */
export interface Route {
  readonly endpoint: Exclude<Endpoint, 'handshake'>
  readonly method: 'GET' | 'POST'
  /** Each with at most one `{id}`. */
  readonly paths: readonly string[]
  /** The product that a request is about, for faults limited to one. Left out if there is none. */
  productOf?(request: HttpRequest): Product | undefined
  /** `id` is the raw text in place of `{id}`, not decoded. Throws `Refused`. */
  respond(request: HttpRequest, id: string): HttpResponse
}

/**
 * The meetings interface has a base of its own; the emulator puts it on the same server under this prefix. It
 * is there without the prefix too, because a BFF without `meetings.baseUrl` looks for it under `baseUrl`.
 */
export const MEETINGS_PREFIX = '/v1'

/** Where a path of the meetings interface is. */
export const meetingsPaths = (path: string): readonly string[] => [MEETINGS_PREFIX + path, path]

/** What the routes of the meetings interface share. */
export interface MeetingsRouteOptions {
  readonly store: Store
  readonly access: MeetingsAccess
  readonly wire: MeetingsWire
}
