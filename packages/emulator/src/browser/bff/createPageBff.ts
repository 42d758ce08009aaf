import type { MeetingsWire } from '@stagepass/contract'
import type { EmulatorCore } from '../../core/EmulatorCore.js'
import type { Platform } from '../../core/platform/Platform.js'
import type { PageRequest, PageResponse, Serve } from '../wire/PageRequest.js'
import type { Service } from './askService.js'
import type { BffFaults, BffRoute } from './BffFault.js'
import { mintToken } from './mintToken.js'
import { jsonResponse, Problem, problemResponse } from './Problem.js'
import { createMeetingsReader } from './readMeetings.js'
import { pageUserOf } from './readPageRequest.js'
import { tryHandshake } from './tryHandshake.js'

export interface PageBffOptions {
  readonly core: EmulatorCore
  readonly platform: Platform
  readonly service: Service
  readonly faults: BffFaults
  /** Path of the routes. */
  readonly mount: string
  readonly wire: Partial<MeetingsWire> | undefined
  /** Who is signed in. `undefined`: the user that the page names. */
  readonly user: () => string | null | undefined
  readonly credentialOf: (user: string) => string
}

/** The user of a page that names none, if the option says nothing of a user. */
const ANYONE = 'user'

/**
 * The BFF's routes, in the page. `@stagepass/bff` itself needs Node. This one has no gate, no limits, no budget, no cache and
 * no retries. `pageBff.test.ts` compares its responses with those of the BFF.
 */
export function createPageBff(options: PageBffOptions): Serve {
  const { core, platform, service, faults, mount } = options
  const meetings = createMeetingsReader(service, options.wire)
  let requests = 0

  async function respond(request: PageRequest): Promise<PageResponse> {
    const path = request.url.pathname.slice(mount.length)
    if (path === '/health' && request.method === 'GET') return jsonResponse(200, { status: 'ok' })
    if (request.headers['x-stagepass'] !== '1') throw new Problem('CROSS_SITE_BLOCKED')
    const pageUser = pageUserOf(request)
    const signedIn = options.user()
    const user = signedIn === undefined ? (pageUser ?? ANYONE) : signedIn
    const route = routeOf(path)
    const fault = route && faults.take(route.name)
    if (fault) throw new Problem(fault.problem, { retryAfterMs: fault.retryAfterMs })
    if (user === null) throw new Problem('UNAUTHENTICATED')
    if (pageUser !== undefined && pageUser !== user) throw new Problem('USER_CHANGED')
    if (!route) throw new Problem('NOT_FOUND')
    if (request.method !== route.method) throw new Problem('METHOD_NOT_ALLOWED', { allow: route.method })
    const credential = options.credentialOf(user)
    switch (route.name) {
      case 'session-token':
        return jsonResponse(200, await mintToken(service, request))
      case 'handshake-check':
        return jsonResponse(200, await tryHandshake(core, platform, request))
      case 'meetings':
        return jsonResponse(200, await meetings.list(request, credential))
      case 'meeting':
        return jsonResponse(200, await meetings.one(request, credential, route.encodedId))
      case 'tags':
        return jsonResponse(200, await meetings.tags(request, credential))
      default:
        return route.name satisfies never
    }
  }

  return async (request) => {
    requests += 1
    try {
      return await respond(request)
    } catch (thrown) {
      if (thrown instanceof Problem) return problemResponse(thrown, `page-${requests}`)
      // The page has left, or the emulator itself has an error.
      throw thrown
    }
  }
}

interface Route {
  readonly name: BffRoute
  readonly method: 'GET' | 'POST'
  readonly encodedId: string
}

const ROUTES: Readonly<Record<string, Omit<Route, 'encodedId'>>> = {
  '/session-token': { name: 'session-token', method: 'POST' },
  '/handshake-check': { name: 'handshake-check', method: 'POST' },
  '/meetings': { name: 'meetings', method: 'GET' },
  '/tags': { name: 'tags', method: 'GET' },
}

function routeOf(path: string): Route | undefined {
  const route = ROUTES[path]
  if (route) return { ...route, encodedId: '' }
  const encodedId = /^\/meetings\/([^/]+)$/.exec(path)?.[1]
  return encodedId === undefined ? undefined : { name: 'meeting', method: 'GET', encodedId }
}
