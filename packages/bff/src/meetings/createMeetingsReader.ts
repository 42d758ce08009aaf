import { randomBytes } from 'node:crypto'
import { BffError } from '../context/BffError.js'
import type { UpstreamOperation } from '../context/events.js'
import type { RequestContext } from '../context/RequestContext.js'
import type { MeetingsGrant } from '../settings/Grant.js'
import type { Credential, Upstream } from '../upstream/Upstream.js'
import { cacheKey } from './cacheKey.js'
import type { PageCache } from './createPageCache.js'

export interface MeetingsRead {
  readonly operation: UpstreamOperation
  readonly grant: MeetingsGrant
  readonly user: string
  readonly context: RequestContext
  /** The client sent `Cache-Control: no-cache`. */
  readonly noCache: boolean
  /** Path and query under the meetings base, encoded. */
  readonly path: string
  /** Equal for equal reads. The credential is added here. */
  readonly canonical: readonly unknown[]
  /** Makes the response's body from the upstream's. */
  readonly rebuild: (body: unknown) => object
}

export type ReadMeetings = (
  read: MeetingsRead,
) => Promise<{ readonly json: string; readonly shared: boolean }>

export function createMeetingsReader(upstream: Upstream, pages: PageCache): ReadMeetings {
  const keySecret = randomBytes(32)

  const readWith = async (read: MeetingsRead, credential: Credential) => {
    const { operation, grant, user, context, noCache, path, canonical, rebuild } = read
    const { weight } = grant
    const key = cacheKey(keySecret, { operation, identity: credential.identity, canonical })
    const { value, shared } = await pages.read({ key, context, noCache }, async (load) =>
      toJson(rebuild(await credential.get({ path, operation, user, weight, ...load }))),
    )
    return { json: value, shared }
  }

  return async (read) => {
    const { grant, user, context } = read
    const credential = await upstream.openCredential(grant.credential, user, context)
    try {
      return await readWith(read, credential)
    } catch (error) {
      if (!(error instanceof BffError && error.code === 'MEETINGS_CREDENTIAL_REJECTED')) throw error
      // Each caller renews its own credential: callers with equal credentials may get different ones.
      const renewed = await credential.renew(context)
      if (!renewed) throw error
      return readWith(read, renewed)
    }
  }
}

function toJson(value: object): string {
  try {
    return JSON.stringify(value)
  } catch (cause) {
    // It is nested too deeply for the stack.
    throw new BffError('UPSTREAM_MALFORMED', { cause })
  }
}
