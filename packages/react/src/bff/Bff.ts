import type { Platform } from '../platform.js'
import type { Request } from './createRequest.js'

/** The BFF as the query options see it. */
export interface Bff {
  /** Where it is mounted. Part of every query key. */
  readonly url: string
  /** @internal */
  readonly request: Request
  /** @internal Time, chance and surroundings; `now()` has counted the machine's sleep. */
  readonly platform: Platform
}
