import { randomBytes } from 'node:crypto'
import { BffError } from '../context/BffError.js'
import type { UpstreamOperation } from '../context/events.js'
import type { Call } from '../context/RequestContext.js'
import type { Answer } from '../request/OutgoingResponse.js'
import type { MeetingsGrant } from '../settings/Grant.js'
import type { Credential, Upstream } from '../upstream/Upstream.js'
import { cacheKey } from './cacheKey.js'
import type { SharedReads } from './createPageCache.js'

export interface MeetingsRead {
  readonly operation: UpstreamOperation
  readonly grant: MeetingsGrant
  readonly user: string
  readonly call: Call
  readonly fresh: boolean
  /** Path and query under the meetings base, encoded. */
  readonly path: string
  /** Equal for equal questions; the credential is added here. */
  readonly canonical: readonly unknown[]
  /** The answer's body from the upstream's. */
  readonly rebuild: (body: unknown) => object
}

export interface MeetingsReader {
  read(request: MeetingsRead): Promise<Answer>
}

export function createMeetingsReader(upstream: Upstream, sharedReads: SharedReads): MeetingsReader {
  const keyOfKeys = randomBytes(32)

  const readWith = async (request: MeetingsRead, credential: Credential): Promise<Answer> => {
    const { operation, grant, user, call, fresh, path, canonical, rebuild } = request
    const { weight } = grant
    const key = cacheKey(keyOfKeys, { operation, identity: credential.identity, canonical })
    const { value, shared } = await sharedReads.read({ key, call, fresh }, async (work) =>
      toJson(rebuild(await credential.get({ path, operation, user, weight, ...work }))),
    )
    return { status: 200, json: value, shared }
  }

  return {
    async read(request) {
      const credential = await upstream.openCredential(request.grant.credential, request.user, request.call)
      try {
        return await readWith(request, credential)
      } catch (error) {
        if (!(error instanceof BffError && error.code === 'MEETINGS_CREDENTIAL_REJECTED')) throw error
        // Each caller renews its own credential: who shared the old one need not share the new one.
        const renewed = await credential.renew(request.call)
        if (!renewed) throw error
        return readWith(request, renewed)
      }
    },
  }
}

function toJson(value: object): string {
  try {
    return JSON.stringify(value)
  } catch (cause) {
    // Nested deeper than the stack is: that is no meeting.
    throw new BffError('UPSTREAM_MALFORMED', { cause })
  }
}
