import { isObject, stripBom } from '@stagepass/contract'
import { LRUCache } from 'lru-cache/raw'
import { z } from 'zod'
import { createHmac, type Hmac } from '../../base/keys.js'
import { AuthorizeError } from '../AuthorizeError.js'
import { atMost, type Clock, newId, systemPlatform } from '../../base/platform.js'
import { address } from '../../base/addresses.js'
import type { Grant } from '../Grant.js'
import { objectOf, parseOptions, type ShapeOf } from '../../base/schema.js'
import { type Secret, secret } from '../../base/Secret.js'
import { askServer } from './askServer.js'
import { fillCredential } from './fillCredential.js'
import { type HostRequest, LOGIN_HEADERS, readHeader } from './HostRequest.js'

/** Options of `fromUrl`. */
export interface FromUrlOptions {
  /**
   * The route of your server that says who is signed in: https, or http on loopback. The BFF sends it a GET
   * with the `Cookie` and `Authorization` headers of the page's request. It must answer with the grant as
   * JSON, or with 401 or 403 if nobody is signed in. Any other answer is AUTHORIZE_FAILED. Required.
   */
  readonly url: string | undefined
  /**
   * Seconds for which requests with the same `Cookie` and `Authorization` share one answer, counted from the
   * request for it. A user who signs out keeps the grant for at most this long. From 0 to 60; with 0 the
   * route is called for every request. Default 5.
   */
  readonly grantCacheSeconds?: number | undefined
  /**
   * The credential of the meetings interface, for grants whose `meetings` has none. Then the answer need not
   * contain a secret.
   */
  readonly meetingsCredential?: Secret | undefined
  /** For tests. */
  readonly clock?: Clock | undefined
}

const NOT_SECONDS = 'is not a number from 0 to 60{seen}. Leave it out for 5.'

const OptionsSchema = objectOf({
  url: address('https'),
  grantCacheSeconds: z.number(NOT_SECONDS).min(0, NOT_SECONDS).max(60, NOT_SECONDS).default(5),
  meetingsCredential: secret('Pass the bearer credential, or a function that returns it.').optional(),
  clock: z.custom<Clock>().optional(),
} satisfies ShapeOf<FromUrlOptions>)

/** Longest answer. A grant has a few hundred bytes. */
const MAX_ANSWER_BYTES = 16_384

/** Maximum number of answers that are kept. Beyond it, the least recently used answer is dropped. */
const MAX_KEPT = 10_000

/**
 * An `authorize` that asks your own server who is signed in: `createBff({ …, authorize: fromUrl({ url }) })`.
 * No other header of the page is sent, and no header names a user. If an option is wrong, throws a
 * `TypeError` with a remedy.
 */
export function fromUrl(options: FromUrlOptions): (request: HostRequest) => Promise<Grant | null> {
  const checked = parseOptions(OptionsSchema, options, 'fromUrl')
  const { url, meetingsCredential, clock = systemPlatform.clock } = checked
  const keptMs = 1_000 * checked.grantCacheSeconds
  const kept = new LRUCache<string, Promise<string | null>>({
    ...atMost(MAX_KEPT),
    // At exactly `keptMs` an answer is no longer shared.
    ttl: Math.max(1, Math.ceil(keptMs) - 1),
    ttlResolution: 0,
    perf: clock,
  })
  let keyOf: Hmac | undefined

  const ask = async (headers: Record<string, string>): Promise<string | null> => {
    const asked = { name: 'The authorize server', url, headers, maxBytes: MAX_ANSWER_BYTES }
    const { status, text } = await askServer(asked)
    if (status === 401 || status === 403) return null
    if (status !== 200)
      throw new AuthorizeError(
        `The authorize server answered ${status}. It must answer with 200 and the grant, or with 401 if nobody is signed in.`,
      )
    parseGrant(text)
    return text
  }

  /**
   * Equal requests share one answer. Its time begins with the request for it, so that a sign-out takes effect
   * in time.
   */
  const askShared = async (headers: Record<string, string>): Promise<string | null> => {
    // Not at creation, because Cloudflare Workers have no random numbers before the first request.
    keyOf ??= createHmac(newId(), 'grants')
    const key = await keyOf(JSON.stringify(LOGIN_HEADERS.map((name) => headers[name])))
    const found = kept.get(key)
    if (found) return found
    const answer = ask(headers)
    kept.set(key, answer)
    const forget = (): void => {
      if (kept.peek(key) === answer) kept.delete(key)
    }
    // Do not keep a refusal or a failure: the user may sign in with the same cookie, and the server may
    // recover.
    answer.then((text) => text === null && forget(), forget)
    return answer
  }

  return async (request) => {
    const headers: Record<string, string> = {}
    for (const name of LOGIN_HEADERS) {
      const value = readHeader(request, name)
      if (value !== undefined) headers[name] = value
    }
    const text = await (keptMs === 0 ? ask(headers) : askShared(headers))
    // Each request gets its own object. The BFF checks its content later.
    return text === null ? null : (fillCredential(parseGrant(text), meetingsCredential) as Grant | null)
  }
}

function parseGrant(text: string): unknown {
  let grant: unknown
  try {
    grant = JSON.parse(stripBom(text))
  } catch {
    grant = undefined
  }
  if (grant === null || isObject(grant)) return grant
  throw new AuthorizeError(
    'The authorize server answered 200 with something that is not a JSON object. If the server shows a login page to users who are not signed in, let this route answer 401.',
  )
}
