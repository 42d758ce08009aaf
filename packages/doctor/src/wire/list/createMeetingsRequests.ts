import { headerOf, type Http, type HttpResponse } from '../../net/createHttp.js'
import type { Platform } from '../../net/Platform.js'
import { below } from '../../settings/readVariables.js'
import type { ServiceSettings } from '../../settings/Settings.js'

export type Params = Readonly<Record<string, string>>

/** Requests to the meetings interface: few, and slow, because the account's rate limit is shared. (Contract: "Rate limit".) */
export interface MeetingsRequests {
  /** List requests that may still be sent. */
  readonly listsLeft: number
  /** Rejects if there is no response, and if none may be sent. */
  list(path: string, params?: Params): Promise<HttpResponse>
  /** Not a list: one meeting, or the tags. */
  get(path: string, params?: Params): Promise<HttpResponse>
}

const MAX_LISTS = 10

/** From one response to the next request: at most two requests arrive in any second. */
const SPACING_MS = 505

const FREEZE_MS = 5_000
const MAX_FREEZE_MS = 30_000

interface Options {
  readonly http: Http
  readonly platform: Platform
  readonly signal: AbortSignal
  readonly settings: ServiceSettings
}

export function createMeetingsRequests({ http, platform, signal, settings }: Options): MeetingsRequests {
  let lists = 0
  let lastMs = -Infinity
  let frozen = false

  const send = async (path: string, params: Params): Promise<HttpResponse> => {
    const waitMs = lastMs + SPACING_MS - platform.elapsed()
    if (waitMs > 0) await platform.sleep(waitMs, signal)
    const url = below(settings.meetingsUrl, path)
    url.search = new URLSearchParams(params).toString()
    try {
      return await http.send({ url, headers: { authorization: `Bearer ${settings.meetingsToken}` } })
    } finally {
      lastMs = platform.elapsed()
    }
  }
  /** After the first 429 it waits and tries once more. */
  const sendPatiently = async (
    path: string,
    params: Params,
    mayRepeat: () => boolean,
  ): Promise<HttpResponse> => {
    const response = await send(path, params)
    if (response.status !== 429 || frozen || !mayRepeat()) return response
    frozen = true
    const seconds = Number(headerOf(response, 'retry-after'))
    await platform.sleep(seconds > 0 ? Math.min(seconds * 1_000, MAX_FREEZE_MS) : FREEZE_MS, signal)
    return send(path, params)
  }

  return {
    get listsLeft() {
      return MAX_LISTS - lists
    },
    async list(path, params = {}) {
      const count = (): boolean => {
        if (lists >= MAX_LISTS) return false
        lists += 1
        return true
      }
      if (!count()) throw new Error('All list requests are used.')
      const response = await sendPatiently(path, params, count)
      // There is no list at this path, so this was none.
      if (response.status === 404) lists -= 1
      return response
    },
    get: (path, params = {}) => sendPatiently(path, params, () => true),
  }
}
