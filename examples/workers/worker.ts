import { Hono } from 'hono'
import { createLogin } from '../login/login.js'
import { bff } from '../server/voice.js'

const login = createLogin()

/**
 * `wrangler dev` does not say where a request comes from. It comes from this machine if the server listens
 * here alone, on the HOST that `npm run dev` gives.
 */
const address = process.env.HOST === '127.0.0.1' ? '127.0.0.1' : undefined

const app = new Hono()
app.all('/api/voice/*', (c) => bff.fetch(c.req.raw)) // the one line that mounts Stagepass
app.post('/login', (c) => login.signIn(c.req.raw, address))
app.post('/logout', (c) => login.signOut(c.req.raw))
app.get('/me', (c) => {
  c.header('cache-control', 'no-store')
  return c.json({ user: login.userOf(c.req.header('cookie')) ?? null })
})

/**
 * All requests come to one object. So login sessions, limits, and the budget of the account are in one place,
 * whatever isolate got the request.
 */
export class App {
  async fetch(request: Request): Promise<Response> {
    const response = await app.fetch(request)
    // The Worker that has passed it on fails if the object answers before the end of the body.
    if (!request.bodyUsed) await request.body?.pipeTo(new WritableStream())
    return response
  }
}

interface Environment {
  readonly APP: { getByName(name: string): { fetch(request: Request): Promise<Response> } }
}

export default {
  fetch: (request: Request, { APP }: Environment): Promise<Response> => APP.getByName('main').fetch(request),
}
