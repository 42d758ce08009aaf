import { createLogin } from '../login/login.js'
import { createApp } from './app.js'
import { openPage } from './openPage.js'
import { createVoice } from './voice.js'

const login = createLogin()
const voice = createVoice(login, process.env)
const page = await openPage({ dev: process.argv.includes('--dev') })
const app = createApp(login, voice).use(page.handler)
const server = app.listen(Number(process.env.PORT ?? 3000), (error?: Error) => {
  // Express 5 gives it to this function, for instance if the port is taken.
  if (error) throw error
  console.log(`Listening for ${process.env.PUBLIC_ORIGIN}`)
})

// Stop taking requests, let those in hand finish, give the budget's slots back.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void Promise.all([voice.close(), page.close()]).finally(() => server.close()))
}
