import { createBff, type Grant } from '@stagepass/bff'
import type { Emulator } from '@stagepass/emulator'
import express, { type RequestHandler } from 'express'
import type { RequestListener } from 'node:http'
import { fetchRoute } from '../../express-server/fetchRoute.js'
import { createLogin } from '../../login/login.js'
import { isUser, USERS } from '../src/users.js'
import { VISITOR_HEADER, VISITORS } from '../src/visitors.js'
import { createFeed, type FeedMessages } from './createFeed.js'
import { applyFault } from './faults.js'
import { openUpstream } from './openUpstream.js'

/** The server of the demo: an application's own server, and the emulator in place of the voice service. */
export interface Demo {
  /** Lines for the terminal. */
  readonly about: readonly string[]
  /** Headers that a production server would send with the page. */
  readonly pageHeaders: Readonly<Record<string, string>>
  readonly handle: RequestListener
  /** What stands for the voice service. `undefined`: the real one does. */
  readonly emulator: Emulator | undefined
  close(): Promise<void>
}

/** The shortest life of a token, so that users can see a renewal. */
const TOKEN_MINUTES = 5

/** Interval of the gauges. */
const GAUGE_MS = 500

export async function createDemo(environment: NodeJS.ProcessEnv): Promise<Demo> {
  const { bffOptions, emulator, meetingsCredential: credential, keyOf } = await openUpstream(environment)
  const login = createLogin()
  const userOf = (request: { headers: { cookie?: string | undefined } }) => {
    const user = login.userOf(request.headers.cookie)
    return isUser(user) ? user : undefined
  }

  const bff = createBff({
    ...bffOptions,
    // An open meeting shows them. Without this they stay in the server.
    meetings: { ...bffOptions.meetings, wire: { extraFields: ['notes', 'transcript'] } },
    authorize(request: express.Request): Grant | null {
      const user = userOf(request)
      if (!user) return null
      const { customer, products, usage, meetings } = USERS[user]
      const apiKey = keyOf(customer)
      return {
        user,
        products,
        usage,
        maxTtlMinutes: TOKEN_MINUTES,
        // Undefined: the key of the options.
        account: apiKey === undefined ? undefined : customer,
        apiKey,
        // One credential, so one rate limit, whatever customer the user belongs to.
        meetings: credential === undefined ? undefined : { credential, account: 'main', ...meetings },
      }
    },
    // One person tries everything here, also the faults.
    limits: { tokensPerMinute: 600, meetingsPerMinute: 1_200 },
    vitals: true,
    onEvent: (event) => feed.send('bff', event, 'user' in event ? event.user : undefined),
  })

  // A second BFF, because the visitors of one tab share a session, and the other tabs do not.
  const queue = createBff({
    ...bffOptions,
    apiKey: keyOf('Queue') ?? bffOptions.apiKey,
    sessions: { max: 1 },
    authorize(request: express.Request): Grant | null {
      const user = userOf(request)
      const visitor = VISITORS.find((name) => name === request.get(VISITOR_HEADER))
      if (!user || !visitor) return null
      return { user: `${visitor} of ${user}`, products: ['stt'], maxTtlMinutes: TOKEN_MINUTES }
    },
    onEvent: (event) => feed.send('bff', event, 'user' in event ? event.user?.split(' ').at(-1) : undefined),
  })

  const stand = (): FeedMessages['gauge'] => ({
    upstream: emulator ? 'emulator' : 'service',
    budget: bff.gauge(),
    // Without the tokens, because it is sent to the page.
    billedMs: emulator?.billedMs(),
    sockets: emulator?.sockets.map(({ id, product, received, sent }) => ({ id, product, received, sent })),
  })
  const feed = createFeed(stand)
  const gauge = setInterval(() => feed.send('gauge', stand()), GAUGE_MS)

  /** Only for users who are signed in. */
  const forUsers: RequestHandler = (request, response, next) => {
    if (userOf(request)) next()
    else response.status(401).json({ error: 'No user is signed in.' })
  }

  const app = express()
  app.disable('x-powered-by')
  app.post('/api/login', fetchRoute(login.signIn))
  app.post('/api/logout', fetchRoute(login.signOut))
  app.get('/api/me', (request, response) => {
    response.set('cache-control', 'no-store').json({ user: userOf(request) ?? null })
  })
  app.use('/api/voice', bff) // the one line that mounts Stagepass
  app.use('/api/queue', queue)
  app.get('/api/demo/events', forUsers, (request, response) => feed.listen(response, userOf(request)))
  app.post('/api/demo/faults', forUsers, express.json({ limit: '1kb' }), (request, response) => {
    const result = emulator && applyFault(emulator, request.body)
    if (result) feed.send('fault', request.body)
    response.status(result ? 200 : 400).json(result ?? { error: 'The emulator has no such fault.' })
  })
  app.use((_request, response) => {
    response.status(404).json({ error: 'There is nothing at this address.' })
  })

  return {
    about: [
      emulator
        ? `Upstream  emulator at ${bffOptions.baseUrl} (no key, no account; set VOICE_API_KEY and others for the real service)`
        : `Upstream  ${bffOptions.baseUrl} (VOICE_* is set)`,
      'BFF       /api/voice',
    ],
    pageHeaders: pageHeaders(new URL(bffOptions.streamingUrl).origin),
    handle: app,
    emulator,
    async close() {
      clearInterval(gauge)
      await Promise.all([bff.close(), queue.close()])
      await emulator?.close()
    },
  }
}

/** `streamingOrigin`: the page may connect to it and to its own origin. */
const pageHeaders = (streamingOrigin: string): Demo['pageHeaders'] => ({
  'content-security-policy': `default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self'; connect-src 'self' ${streamingOrigin}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
})
