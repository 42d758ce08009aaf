import { randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import express, { type Request, type RequestHandler, Router } from 'express'
import session from 'express-session'

/** The demo's users; src/users/users.ts has their names. */
const USERS = ['ada', 'ben'] as const
export type DemoUser = (typeof USERS)[number]

declare module 'express-session' {
  interface SessionData {
    demoUser: DemoUser
  }
}

/** The user who is signed in in the browser that sent the request. */
export const userOf = ({ session: { demoUser } }: Request): DemoUser | undefined => demoUser

/**
 * Login sessions of the demo: real ones, in the memory of this process, but without a password. A real login
 * needs more than this; see docs/users.md.
 */
export function createSessions(port: string): RequestHandler {
  return session({
    // The ports of a host share their cookies: two demos side by side must not use one name.
    name: `stagepass-demo-${port}`,
    secret: randomBytes(32).toString('hex'),
    resave: false,
    saveUninitialized: false,
    // Without `Secure`: the demo runs on plain http on this machine.
    cookie: { httpOnly: true, sameSite: 'lax', path: '/' },
  })
}

/**
 * Who is signed in, sign in, sign out. Another site's page cannot send these: JSON and DELETE need a
 * preflight, which this server does not allow.
 */
export function signInRoutes(): Router {
  const router = Router()

  router.get('/', (request, response) => {
    response.set('cache-control', 'no-store').json({ user: userOf(request) ?? null })
  })

  router.post('/', express.json({ limit: '1kb' }), async (request, response) => {
    const { user: wanted } = (request.body ?? {}) as { user?: unknown }
    const user = USERS.find((name) => name === wanted)
    if (user === undefined) {
      response.status(400).json({ error: 'This is not a user of the demo.' })
      return
    }
    await promisify(request.session.regenerate.bind(request.session))()
    request.session.demoUser = user
    response.json({ user })
  })

  router.delete('/', async (request, response) => {
    await promisify(request.session.destroy.bind(request.session))()
    response.json({ user: null })
  })

  return router
}

/** For the routes that show what happens behind the page: they are for users alone. */
export const forUsers: RequestHandler = (request, response, next) => {
  if (userOf(request) === undefined) response.status(401).json({ error: 'Nobody is signed in.' })
  else next()
}
