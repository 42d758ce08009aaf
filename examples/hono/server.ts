import { createAdaptorServer, type HttpBindings } from '@hono/node-server'
import { Hono } from 'hono'
import type { Server } from 'node:http'
import { createLogin } from '../login/login.js'
import { bff } from '../server/voice.js'
import { openPage } from './openPage.js'

const { PORT = '3000', HOST = '127.0.0.1' } = process.env
const login = createLogin()

const app = new Hono<{ Bindings: HttpBindings }>()
app.all('/api/voice/*', (c) => bff.fetch(c.req.raw)) // the one line that mounts Stagepass
app.post('/login', (c) => login.signIn(c.req.raw, c.env.incoming.socket.remoteAddress))
app.post('/logout', (c) => login.signOut(c.req.raw))
app.get('/me', (c) => {
  c.header('cache-control', 'no-store')
  return c.json({ user: login.userOf(c.req.header('cookie')) ?? null })
})

const server = createAdaptorServer({ fetch: app.fetch }) as Server // of HTTP/1, the default
const page = await openPage({ dev: process.argv.includes('--dev'), server })
app.get('*', page.handler)
server.listen(Number(PORT), HOST, () => console.log(`Listening for ${process.env.PUBLIC_ORIGIN}`))

// Stop taking requests, let those in hand finish, give the budget's slots back.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void Promise.all([bff.close(), page.close()]).finally(() => server.close()))
}
