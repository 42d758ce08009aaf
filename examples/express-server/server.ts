import { createServer } from 'node:http'
import { createLogin } from '../login/login.js'
import { createApp } from './app.js'
import { openPage } from './openPage.js'
import { createVoice } from './voice.js'

const { PORT = '3000', HOST = '127.0.0.1' } = process.env
const login = createLogin()
const voice = createVoice(login, process.env)
const app = createApp(login, voice)
const server = createServer(app)
const page = await openPage({ dev: process.argv.includes('--dev'), server })
app.use(page.handler)
server.listen(Number(PORT), HOST, () => console.log(`Listening for ${process.env.PUBLIC_ORIGIN}`))

// Refuse new requests, finish those in progress, and release the slots of the budget.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void Promise.all([voice.close(), page.close()]).finally(() => server.close()))
}
