import { randomBytes } from 'node:crypto'
import { BffError } from '../context/BffError.js'
import type { UpstreamOperation } from '../context/events.js'
import type { RequestContext } from '../context/RequestContext.js'
import type { MeetingsGrant } from '../settings/Grant.js'
import type { Credential, Upstream } from '../upstream/Upstream.js'
import { cacheKey } from './cacheKey.js'
import { deriveKey } from './createPageSeal.js'
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

/** `secrets`: of the pages that instances share; empty if this instance shares none. */
export function createMeetingsReader(
  upstream: Upstream,
  pages: PageCache,
  secrets: readonly string[],
): ReadMeetings {
  const [nameKey = randomBytes(32), ...previous] = secrets.map((secret) => deriveKey(secret, 'page names'))

  const readWith = ({ path, canonical, rebuild, grant, ...read }: MeetingsRead, credential: Credential) => {
    const { operation } = read
    const keyUnder = (key: Uint8Array): string =>
      cacheKey(key, { operation, identity: credential.identity(key), canonical })
    const keys = [keyUnder(nameKey), ...previous.map(keyUnder)] as const
    return pages.read({ ...read, keys, weight: grant.weight }, ({ share, ...load }) => {
      const keep = (body: unknown) => {
        const json = toJson(rebuild(body))
        return { json, shared: share(json) }
      }
      return credential.get({ ...load, path, operation, keep })
    })
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
