/** Who is signed in on this phone, and the bearer token that says so to the server. */
export interface Session {
  /** The id of the user, or null. */
  readonly user: () => string | null
  /** Rejects with a sentence for the person at the screen. */
  readonly signIn: (user: string) => Promise<void>
  readonly signOut: () => void
  /** Headers for the voice client: it calls this before each request, and again after a 401. */
  readonly headers: (request: { readonly refused: boolean }) => Promise<Record<string, string>>
  readonly subscribe: (listener: () => void) => () => void
}

interface SignedIn {
  readonly user: string
  readonly token: string
}

/**
 * A session at the issuer of the development server. It is kept in memory, so each start of the application
 * begins without a user. In place of this file an application has its identity provider, whose refresh token
 * belongs into `expo-secure-store`.
 */
export function createSession(server: string): Session {
  let signedIn: SignedIn | null = null
  const listeners = new Set<() => void>()

  function change(next: SignedIn | null): void {
    signedIn = next
    for (const listener of listeners) listener()
  }

  /** The issuer of the development server signs a token for anyone who asks. */
  async function getToken(user: string): Promise<string> {
    const response = await fetch(`${server}/issuer/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ user }),
      credentials: 'omit',
    })
    if (!response.ok) throw new Error(`The server did not sign you in (status ${response.status}).`)
    return ((await response.json()) as { token: string }).token
  }

  return {
    user: () => signedIn?.user ?? null,
    async signIn(user) {
      change({ user, token: await getToken(user) })
    },
    signOut: () => change(null),
    async headers({ refused }) {
      const before = signedIn
      if (!before) return {}
      if (!refused) return { authorization: `Bearer ${before.token}` }
      const token = await getToken(before.user)
      // Another user may have signed in meanwhile.
      if (signedIn === before) signedIn = { ...before, token }
      return { authorization: `Bearer ${token}` }
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
