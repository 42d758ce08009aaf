import { randomBytes, scrypt, type ScryptOptions, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'

/*
 * A login for every host that has Request and Response. It stands in place of yours: two users with one
 * password, all in the memory of one process.
 */

export interface LoginOptions {
  /** The address in the browser's address bar. */
  readonly publicOrigin: string
  /** Of both users. */
  readonly password: string | undefined
  readonly attempts?: Attempts
  /** How much work a check of a password is. */
  readonly cost?: ScryptOptions
}

export interface Login {
  readonly publicOrigin: string
  /**
   * The user of the login session that a `Cookie` header names. A session ends eight hours after its login,
   * whatever happened since.
   */
  readonly userOf: (cookieHeader: string | null | undefined) => string | undefined
  /** Responds to the form of the sign-in page. */
  readonly signIn: (request: Request) => Promise<Response>
  /** Ends the login session on the server, so a copy of the cookie is worth nothing. */
  readonly signOut: (request: Request) => Response
}

const USERS: readonly string[] = ['ada', 'ben']
const SESSION_MS = 8 * 60 * 60_000
const MAX_FORM_BYTES = 4_096

/**
 * One of the settings that OWASP's password cheat sheet calls equally strong. A check takes 16 MiB and about
 * 0.2 s of another thread.
 */
const COST: ScryptOptions = { N: 2 ** 14, r: 8, p: 5 }
const KEY_BYTES = 32
const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)

export function createLogin({
  publicOrigin: address,
  password: expected,
  attempts = createAttempts(),
  cost = COST,
}: LoginOptions): Login {
  const publicOrigin = readOrigin(address)
  const isSecure = publicOrigin.startsWith('https:')
  /*
   * A browser takes a `__Host-` cookie only with `Secure`, with the path `/` and without a domain, so no
   * other host can set or replace it. On plain http, for development on localhost, browsers differ in whether
   * they take `Secure` cookies.
   */
  const cookie = isSecure ? '__Host-session' : 'session'
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
  const sessions = new Map<string, { readonly user: string; readonly endsAtMs: number }>()
  let stored: Promise<{ readonly salt: Buffer; readonly key: Buffer }> | undefined

  function sessionIdOf(cookieHeader: string | null | undefined): string {
    const pairs = (cookieHeader ?? '').split(/; */).map((pair) => pair.split('='))
    return pairs.find(([name]) => name === cookie)?.[1] ?? ''
  }

  /** Takes the same time for an unknown user, so that the time does not say which users exist. */
  async function isPassword(user: string, password: string): Promise<boolean> {
    const { salt, key } = await (stored ??= hash(expected, cost))
    const isRight = timingSafeEqual(await derive(password, salt, KEY_BYTES, cost), key)
    return isRight && USERS.includes(user)
  }

  /**
   * https means one proxy in front, which says where the browser is. Without one, on localhost, there is one
   * machine.
   */
  function addressOf({ headers }: Request): string {
    const addresses = headers.get('x-forwarded-for')?.split(',') ?? []
    return isSecure ? (addresses.at(-1)?.trim().slice(0, 45) ?? '') : 'localhost'
  }

  /**
   * `SameSite=Lax` does not keep out a sibling subdomain, and a login needs no cookie. Browsers send `Origin`
   * with every POST.
   */
  const isFromOwnPage = ({ headers }: Request): boolean => headers.get('origin') === publicOrigin

  return {
    publicOrigin,
    userOf(cookieHeader) {
      const session = sessions.get(sessionIdOf(cookieHeader))
      return session && Date.now() < session.endsAtMs ? session.user : undefined
    },
    async signIn(request) {
      const form = await readForm(request)
      if (!isFromOwnPage(request)) return refuse(403, 'This request did not come from a page of this site.')
      const user = form?.get('user')
      const password = form?.get('password')
      if (!isText(user, 64) || !isText(password, 256)) return refuse(400, 'Send user and password.')
      const from = addressOf(request)
      const retryAfterMs = await attempts.take(user, from)
      if (retryAfterMs > 0) {
        const headers = { 'retry-after': String(Math.ceil(retryAfterMs / 1_000)) }
        return refuse(429, 'Too many attempts. Try again later.', headers)
      }
      // The same for an unknown user.
      if (!(await isPassword(user, password))) return goTo('/?failed')
      await attempts.forget(user, from)
      for (const [id, { endsAtMs }] of sessions) if (endsAtMs <= Date.now()) sessions.delete(id)
      // The session gets a new id. An id that an attacker knew before the login is of no use after it.
      sessions.delete(sessionIdOf(request.headers.get('cookie')))
      const id = randomBytes(32).toString('base64url')
      sessions.set(id, { user, endsAtMs: Date.now() + SESSION_MS })
      return goTo('/', `${cookie}=${id}; Max-Age=${SESSION_MS / 1_000}; ${attributes}`)
    },
    signOut(request) {
      if (!isFromOwnPage(request)) return refuse(403, 'This request did not come from a page of this site.')
      sessions.delete(sessionIdOf(request.headers.get('cookie')))
      return goTo('/', `${cookie}=; Max-Age=0; ${attributes}`)
    },
  }
}

/** Counts attempts to sign in. */
export interface Attempts {
  /** Counts one attempt. Returns how long the next one has to wait: 0 if this one may go on. */
  take(user: string, address: string): Promise<number>
  /** After a login that succeeded: it does not count, because many people may share an address. */
  forget(user: string, address: string): Promise<void>
}

const WINDOW_S = 15 * 60

/**
 * Attempts in 15 minutes: for one name, whatever the address, and from one address, whatever the name. An
 * attempt counts before its password is checked, so attempts side by side are limited too. Several instances
 * need `RateLimiterRedis` of the same library.
 */
export function createAttempts({ perUser = 10, perAddress = 50 } = {}): Attempts {
  const byUser = new RateLimiterMemory({ points: perUser, duration: WINDOW_S })
  const byAddress = new RateLimiterMemory({ points: perAddress, duration: WINDOW_S })
  return {
    async take(user, address) {
      try {
        // The address first: one that is over its limit must not use up the attempts of every name.
        await byAddress.consume(address)
        await byUser.consume(user)
        return 0
      } catch (refused) {
        if (refused instanceof RateLimiterRes) return refused.msBeforeNext
        throw refused
      }
    },
    async forget(user, address) {
      await byUser.delete(user)
      await byAddress.reward(address)
    },
  }
}

async function hash(password: string | undefined, cost: ScryptOptions) {
  if (!password)
    throw new Error("Failed to sign in: EXAMPLE_PASSWORD is not set. Set it to the users' password.")
  const salt = randomBytes(16)
  return { salt, key: await derive(password, salt, KEY_BYTES, cost) }
}

/**
 * The fields of a form, or `undefined` if it is too long. It is read to its end, because a client may miss
 * the response otherwise, but not kept.
 */
async function readForm({ body }: Request): Promise<URLSearchParams | undefined> {
  const reader = body?.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for (let part = await reader?.read(); part?.value; part = await reader?.read()) {
    bytes += part.value.byteLength
    if (bytes <= MAX_FORM_BYTES) text += decoder.decode(part.value, { stream: true })
  }
  return bytes <= MAX_FORM_BYTES ? new URLSearchParams(text) : undefined
}

const isText = (value: string | null | undefined, maxLength: number): value is string =>
  typeof value === 'string' && value !== '' && value.length <= maxLength

function goTo(location: string, cookie?: string): Response {
  const headers = new Headers({ location, 'cache-control': 'no-store' })
  if (cookie) headers.set('set-cookie', cookie)
  return new Response(null, { status: 303, headers })
}

function refuse(status: number, text: string, headers: Record<string, string> = {}): Response {
  return new Response(text, { status, headers: { 'cache-control': 'no-store', ...headers } })
}

/**
 * Only a browser on the same machine may come over plain http: anyone on the network path could read the
 * cookie.
 */
function readOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const local = url !== undefined && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && local)) return url.origin
  throw new Error(
    'Failed to start: PUBLIC_ORIGIN must be an https address, or an http address of localhost for development.',
  )
}

/** A bundler may load this module more than once in a process. */
const kept = globalThis as { exampleLogin?: Login }

export const login = (kept.exampleLogin ??= createLogin({
  publicOrigin: process.env.PUBLIC_ORIGIN ?? `http://localhost:${process.env.PORT ?? 3000}`,
  password: process.env.EXAMPLE_PASSWORD,
}))
