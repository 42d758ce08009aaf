import { type HttpBindings, serve } from '@hono/node-server'
import { Hono } from 'hono'
import { createLogin } from '../login/login.js'
import { bff } from '../server/voice.js'
import { openPage } from './openPage.js'

const login = createLogin()
const page = await openPage({ dev: process.argv.includes('--dev') })

const app = new Hono<{ Bindings: HttpBindings }>()
app.all('/api/voice/*', (c) => bff.fetch(c.req.raw)) // the one line that mounts Stagepass
app.post('/login', (c) => login.signIn(c.req.raw))
app.post('/logout', (c) => login.signOut(c.req.raw))
app.get('/me', (c) => {
  c.header('cache-control', 'no-store')
  return c.json({ user: login.userOf(c.req.header('cookie')) ?? null })
})
app.get('*', page.handler)

const server = serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000) }, () => {
  console.log(`Listening for ${process.env.PUBLIC_ORIGIN}`)
})

// Stop taking requests, let those in hand finish, give the budget's slots back.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void Promise.all([bff.close(), page.close()]).finally(() => server.close()))
}
