import type { MeetingsWire } from '@stagepass/contract'
import { BffError } from '../context/BffError.js'
import type { RequestContext } from '../context/RequestContext.js'
import type { MeetingsGrant } from '../settings/Grant.js'
import type { Credential, MeetingsOperation, Upstream } from '../upstream/Upstream.js'
import { createHmac } from '../crypto/keys.js'
import type { PageCache } from './createPageCache.js'
import type { PageNames } from './createSharedPages.js'
import { readKey } from './readKey.js'

export interface MeetingsRead {
  readonly operation: MeetingsOperation
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

export interface MeetingsReaderOptions {
  readonly upstream: Upstream
  readonly pages: PageCache
  /** Of the pages that instances share; empty if this instance shares none. */
  readonly secrets: readonly string[]
  readonly baseUrl: URL
  readonly wire: MeetingsWire
}

export function createMeetingsReader(options: MeetingsReaderOptions): ReadMeetings {
  const { upstream, pages } = options
  const hmacs = options.secrets.map((secret) => createHmac(secret, 'page names'))
  // Another service, or another way to read it, has other pages in the same Redis.
  const source = [options.baseUrl.href, options.wire]

  const readWith = async (
    { path, canonical, rebuild, grant, ...read }: MeetingsRead,
    credential: Credential,
  ) => {
    const { operation } = read
    const key = readKey({ operation, credential: credential.id, canonical })
    const names = async (): Promise<PageNames> => {
      const text = JSON.stringify([source, readKey({ operation, credential: '', canonical })])
      return Promise.all(hmacs.map((hmac) => credential.sign(hmac, text)))
    }
    return pages.read({ ...read, key, names, weight: grant.weight }, ({ share, ...load }) => {
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
