import { randomBytes, scryptSync, timingSafeEqual } from 'node:crypto'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'

/*
 * The login of this example, for any host that speaks Request and Response: two users with one password, and login sessions in the memory of
 * this process. The README of examples/express-server says what a reviewer asks of a login, and what to change before production.
 */

interface LoginSession {
  readonly user: string
  readonly endsAtMs: number
}

const USERS: readonly string[] = ['ada', 'ben']
const SESSION_MS = 8 * 60 * 60_000

/** The address in the browser's address bar. */
export const publicOrigin = readOrigin(
  process.env.PUBLIC_ORIGIN ?? `http://localhost:${process.env.PORT ?? 3000}`,
)

/*
 * A browser takes a `__Host-` cookie only with `Secure`, with the path `/` and without a domain, so no other host can set or replace it. On
 * plain http, for development on localhost, browsers differ in whether they take `Secure` cookies.
 */
const isSecure = publicOrigin.startsWith('https:')
const COOKIE = isSecure ? '__Host-session' : 'session'
const ATTRIBUTES = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`

/** A bundler may load this module more than once in a process. */
const kept = globalThis as { loginSessions?: Map<string, LoginSession>; loginAttempts?: RateLimiterMemory }
const sessions = (kept.loginSessions ??= new Map())
const attempts = (kept.loginAttempts ??= new RateLimiterMemory({ points: 10, duration: 15 * 60 }))

/** The user of the login session that the cookie names. */
export function userOf(cookieHeader: string | null | undefined): string | undefined {
  const session = sessions.get(sessionIdOf(cookieHeader))
  return session && Date.now() < session.endsAtMs ? session.user : undefined
}

/** Responds to the form of the sign-in page. */
export async function signIn(request: Request): Promise<Response> {
  if (!isFromOwnPage(request)) return refuse(403, 'This request did not come from a page of this site.')
  const form = await request.formData()
  const [user, password] = [form.get('user'), form.get('password')]
  if (typeof user !== 'string' || typeof password !== 'string') return refuse(400, 'Send user and password.')
  try {
    // Before the password is checked, so attempts side by side are limited too.
    await attempts.consume(user)
  } catch (refused) {
    if (refused instanceof RateLimiterRes) return refuse(429, 'Too many attempts. Try again later.')
    throw refused
  }
  // The same for an unknown user.
  if (!isPassword(password) || !USERS.includes(user)) return goTo('/?failed')
  await attempts.delete(user)
  // The session gets a new id. An id that an attacker knew before the login is of no use after it.
  sessions.delete(sessionIdOf(request.headers.get('cookie')))
  const id = randomBytes(32).toString('base64url')
  forgetEnded()
  sessions.set(id, { user, endsAtMs: Date.now() + SESSION_MS })
  return goTo('/', `${COOKIE}=${id}; Max-Age=${SESSION_MS / 1_000}; ${ATTRIBUTES}`)
}

/** Ends the login session on the server, so a copy of the cookie is worth nothing. */
export function signOut(request: Request): Response {
  if (!isFromOwnPage(request)) return refuse(403, 'This request did not come from a page of this site.')
  sessions.delete(sessionIdOf(request.headers.get('cookie')))
  return goTo('/', `${COOKIE}=; Max-Age=0; ${ATTRIBUTES}`)
}

function sessionIdOf(cookieHeader: string | null | undefined): string {
  const pairs = (cookieHeader ?? '').split(/; */).map((pair) => pair.split('='))
  return pairs.find(([name]) => name === COOKIE)?.[1] ?? ''
}

function forgetEnded(): void {
  for (const [id, { endsAtMs }] of sessions) if (endsAtMs <= Date.now()) sessions.delete(id)
}

/** `SameSite=Lax` does not keep out a sibling subdomain, and a login needs no cookie. Browsers send `Origin` with every POST. */
function isFromOwnPage(request: Request): boolean {
  return request.headers.get('origin') === publicOrigin
}

function isPassword(password: string): boolean {
  const expected = process.env.EXAMPLE_PASSWORD
  if (!expected)
    throw new Error("Failed to sign in: EXAMPLE_PASSWORD is not set. Set it to the users' password.")
  const salt = randomBytes(16)
  return timingSafeEqual(scryptSync(password, salt, 32), scryptSync(expected, salt, 32))
}

function goTo(location: string, cookie?: string): Response {
  const headers = new Headers({ location, 'cache-control': 'no-store' })
  if (cookie) headers.set('set-cookie', cookie)
  return new Response(null, { status: 303, headers })
}

function refuse(status: number, text: string): Response {
  return new Response(text, { status, headers: { 'cache-control': 'no-store' } })
}

function readOrigin(text: string): string {
  const { protocol, hostname, origin } = new URL(text)
  if (protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname)) return origin
  throw new Error(
    'Failed to start: PUBLIC_ORIGIN must be an https address, or an http address of localhost for development.',
  )
}
