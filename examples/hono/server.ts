import { serve } from '@hono/node-server'
import { app } from './app.js'
import { publicOrigin } from './login.js'
import { bff } from './voice.js'

const server = serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000) }, () => {
  console.log(`Listening for ${publicOrigin}`)
})

// Stop taking requests, let those in hand finish, give the budget's slots back.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void bff.close().finally(() => server.close()))
}
