import { readFileSync } from 'node:fs'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { createLogin } from '../login/login.js'
import { bff } from './voice.js'

const page = readFileSync(new URL('index.html', import.meta.url), 'utf8')

const login = createLogin()

const app = new Hono()
app.all('/api/voice/*', (c) => bff.fetch(c.req.raw)) // the one line that mounts Stagepass
app.post('/login', (c) => login.signIn(c.req.raw))
app.post('/logout', (c) => login.signOut(c.req.raw))
app.get('/me', (c) => {
  c.header('cache-control', 'no-store')
  return c.json({ user: login.userOf(c.req.header('cookie')) ?? null })
})
app.get('/', (c) => c.html(page))

const server = serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000) }, () => {
  console.log(`Listening for ${process.env.PUBLIC_ORIGIN}`)
})

// Stop taking requests, let those in hand finish, give the budget's slots back.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void bff.close().finally(() => server.close()))
}
