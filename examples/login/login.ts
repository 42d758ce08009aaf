/*
 * REPLACE THIS FILE with your own login. One click signs in anyone, as Ada or as Ben, so it works in
 * development only. The README says what a login of your own needs.
 */

export interface Login {
  /** The user of the login session that a `Cookie` header names. The voice routes need nothing else. */
  readonly userOf: (cookies: string | null | undefined) => string | undefined
  /**
   * Answers a request of this machine alone, not one that a tunnel or a proxy on this machine passes on.
   * `address` is the other end of the request's socket. It must not come from a header: a client writes those
   * as it likes.
   */
  readonly signIn: (request: Request, address: string | undefined) => Promise<Response>
  readonly signOut: (request: Request) => Response
}

/** 127.0.0.1, ::1, and the first as a socket for both versions of IP has it. */
const LOOPBACK = /^(?:::1|(?:::ffff:)?127(?:\.\d+){3})$/

/** Users by session id. A bundler may load this module more than once in a process. */
const kept = globalThis as { loginSessions?: Map<string, string> }

/** Throws in production. `npm run dev` sets PUBLIC_ORIGIN, the origin in the browser's address bar. */
export function createLogin(): Login {
  const { PUBLIC_ORIGIN = '' } = process.env
  if (process.env.NODE_ENV === 'production' || !/^https?:\/\/localhost(:\d+)?$/.test(PUBLIC_ORIGIN))
    throw new Error(
      'Failed to start: the login lets in anyone who clicks, so it works in development only, with PUBLIC_ORIGIN on localhost. Replace login.ts with your own login.',
    )
  // Some dev servers print this name of the same page. A click there leads to PUBLIC_ORIGIN.
  const otherName = PUBLIC_ORIGIN.replace('localhost', '127.0.0.1')
  const { host, protocol } = new URL(PUBLIC_ORIGIN)
  const hosts = [host, new URL(otherName).host]
  const sessions = (kept.loginSessions ??= new Map<string, string>())
  const idOf = (cookies = ''): string => /(?:^|; )session=([\w-]+)/.exec(cookies)?.[1] ?? ''

  /**
   * True if a tunnel, a port forward or a proxy has passed the request on. Some dev servers add
   * `X-Forwarded-*` themselves, with the values of this machine.
   */
  const isPassedOn = ({ headers, url }: Request): boolean =>
    !hosts.includes(headers.get('host') ?? new URL(url).host) ||
    !hosts.includes(headers.get('x-forwarded-host') ?? host) ||
    `${headers.get('x-forwarded-proto') ?? protocol.slice(0, -1)}:` !== protocol ||
    !LOOPBACK.test(headers.get('x-forwarded-for') ?? '::1') ||
    ['forwarded', 'via', 'x-real-ip'].some((name) => headers.has(name))

  /** Ends the login session of the browser, and begins one of the user. */
  function change({ headers }: Request, user?: string): Response {
    if (headers.get('origin') === otherName)
      return new Response(null, { status: 303, headers: { location: PUBLIC_ORIGIN } })
    if (headers.get('origin') !== PUBLIC_ORIGIN)
      return new Response(
        `This came from a page of ${headers.get('origin') || 'an unknown origin'}. Open ${PUBLIC_ORIGIN} instead.`,
        { status: 403 },
      )
    // On the server too: a copy of the cookie is worth nothing.
    sessions.delete(idOf(headers.get('cookie') ?? ''))
    const id = user ? crypto.randomUUID() : ''
    if (user) sessions.set(id, user)
    const cookie = `session=${id}; Path=/; HttpOnly; SameSite=Lax${user ? '' : '; Max-Age=0'}`
    return new Response(null, { status: 303, headers: { location: '/', 'set-cookie': cookie } })
  }

  return {
    userOf: (cookies) => sessions.get(idOf(cookies ?? '')),
    async signIn(request, address = 'an unknown address') {
      const isNear = LOOPBACK.test(address)
      if (!isNear || isPassedOn(request))
        return new Response(
          `This login lets in anyone who clicks, so it answers only the machine of the server. This request came ${isNear ? 'through a tunnel or a proxy' : `from ${address}`}. Sign in at ${PUBLIC_ORIGIN} there, or replace login.ts with your own login.`,
          { status: 403 },
        )
      const user = new URLSearchParams(await request.text()).get('user')
      const isUser = user === 'ada' || user === 'ben'
      return isUser ? change(request, user) : new Response('The users are ada and ben.', { status: 400 })
    },
    signOut: (request) => change(request),
  }
}
