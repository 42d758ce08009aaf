import { promisify } from 'node:util'
import type { Request, RequestHandler, Response } from 'express'
import { Router } from 'express'
import session from 'express-session'
import type { Attempts } from './attempts.js'
import { createAttempts } from './attempts.js'
import type { Users } from './users.js'

declare module 'express-session' {
  interface SessionData {
    userId: string
    signedInAtMs: number
  }
}

export interface LoginOptions {
  readonly publicOrigin: string
  readonly sessionSecret: string
  readonly users: Users
  /** Where login sessions are kept. Default: in the memory of this process, for development. */
  readonly store?: session.Store | undefined
  readonly attempts?: Attempts | undefined
}

const SESSION_MS = 8 * 60 * 60_000

/** The user of a request's login session, or `undefined`. A session ends eight hours after its login, whatever happened since. */
export function userOf({ session: { userId, signedInAtMs = 0 } }: Request): string | undefined {
  return Date.now() - signedInAtMs < SESSION_MS ? userId : undefined
}

/** Reads and writes the login session, and responds to `POST /login`, `POST /logout` and `GET /me`. */
export function createLogin({
  publicOrigin,
  sessionSecret,
  users,
  store,
  attempts = createAttempts(),
}: LoginOptions): Router {
  const { name, ...cookie } = cookieFor(publicOrigin)
  const router = Router()

  router.use(
    session({
      name,
      secret: sessionSecret,
      // A visitor gets a cookie at login and not before.
      saveUninitialized: false,
      resave: false,
      cookie: { ...cookie, maxAge: SESSION_MS },
      ...(store ? { store } : {}),
    }),
  )

  router.post(
    '/login',
    sameOrigin(publicOrigin),
    passErrorsOn(async (req, res) => {
      const { user, password } = (req.body ?? {}) as Record<string, unknown>
      if (!isText(user, 64) || !isText(password, 256)) {
        res.status(400).json({ error: 'Send user and password as JSON.' })
        return
      }
      const address = req.ip ?? ''
      const retryAfterMs = await attempts.take(user, address)
      if (retryAfterMs > 0) {
        res.status(429).set('retry-after', String(Math.ceil(retryAfterMs / 1_000)))
        res.json({ error: 'Too many attempts. Try again later.' })
        return
      }
      if (!(await users.isPassword(user, password))) {
        // The same for an unknown user.
        res.status(401).json({ error: 'User or password is wrong.' })
        return
      }
      await attempts.forget(user, address)
      // The session gets a new id. An id that an attacker knew before the login is of no use after it.
      await promisify(req.session.regenerate.bind(req.session))()
      req.session.userId = user
      req.session.signedInAtMs = Date.now()
      res.set('cache-control', 'no-store').json({ user })
    }),
  )

  router.post(
    '/logout',
    sameOrigin(publicOrigin),
    passErrorsOn(async (req, res) => {
      await promisify(req.session.destroy.bind(req.session))()
      res.clearCookie(name, cookie).set('cache-control', 'no-store').json({ user: null })
    }),
  )

  router.get('/me', (req, res) => {
    res.set('cache-control', 'no-store').json({ user: userOf(req) ?? null })
  })

  return router
}

/**
 * A browser takes a `__Host-` cookie only with `Secure`, with the path `/` and without a domain, so no other host and no page on plain http
 * can set or replace it. On plain http, which `readSettings` allows on localhost alone, browsers differ in whether they take `Secure` cookies:
 * the cookie has another name there, and no `Secure`.
 */
function cookieFor(publicOrigin: string) {
  const secure = publicOrigin.startsWith('https:')
  return {
    name: secure ? '__Host-session' : 'session',
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure,
  } as const
}

/**
 * Against login and logout by another site. `SameSite=Lax` keeps the cookie out of another site's POST, but not out of a sibling subdomain's,
 * and a login needs no cookie. Browsers send `Origin` with every POST.
 */
function sameOrigin(publicOrigin: string): RequestHandler {
  return (req, res, next) => {
    if (req.get('origin') === publicOrigin) next()
    else res.status(403).json({ error: 'This request did not come from a page of this site.' })
  }
}

/** Express 5 does this by itself. On Express 4 a rejected promise would end the process. */
function passErrorsOn(handle: (req: Request, res: Response) => Promise<void>): RequestHandler {
  return (req, res, next) => void handle(req, res).catch(next)
}

const isText = (value: unknown, maxLength: number): value is string =>
  typeof value === 'string' && value !== '' && value.length <= maxLength
