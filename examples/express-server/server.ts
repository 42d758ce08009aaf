import { createApp } from './app.js'
import { createVoice } from './voice.js'

const { PORT = '3000', SESSION_SECRET } = process.env
if (!SESSION_SECRET)
  throw new Error('Failed to start: SESSION_SECRET is not set. Set it to a long random string.')

const voice = createVoice(process.env, (event) => console.log(JSON.stringify(event)))
const server = createApp({ sessionSecret: SESSION_SECRET, voice }).listen(Number(PORT), () => {
  console.log(`Listening on http://localhost:${PORT}`)
})

// Stop taking requests, let those in hand finish, give the budget's slots back.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    void voice.close().finally(() => server.close())
  })
}
