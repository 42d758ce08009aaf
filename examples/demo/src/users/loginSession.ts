import type { DemoUser } from './users.js'

/**
 * The login session of this browser, which the demo's server keeps; see server/signIn.ts. The cookie is out
 * of a script's reach.
 */
const ADDRESS = '/api/demo/session'

async function send(init: RequestInit): Promise<DemoUser | null> {
  const response = await fetch(ADDRESS, init)
  if (!response.ok) throw new Error(`The demo's server responded with ${response.status}.`)
  const { user } = (await response.json()) as { readonly user: DemoUser | null }
  return user
}

export const readUser = (): Promise<DemoUser | null> => send({ cache: 'no-store' })

export const signIn = (user: DemoUser): Promise<DemoUser | null> =>
  send({
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ user }),
  })

export const signOut = (): Promise<DemoUser | null> => send({ method: 'DELETE' })
