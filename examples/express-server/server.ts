import { createApp } from './app.js'
import { readSettings } from './settings.js'
import { createUsers } from './users.js'
import { createVoice } from './voice.js'

const { port, publicOrigin, sessionSecret, password, voice: voiceSettings } = readSettings(process.env)

const users = await createUsers({ ada: password, ben: password })
const voice = createVoice(voiceSettings, (event) => console.log(JSON.stringify(event)))
const server = createApp({ publicOrigin, sessionSecret, users, voice }).listen(port, (error?: Error) => {
  if (error) throw error // such as a port that is taken
  console.log(`Listening on port ${port} for ${publicOrigin}`)
})

// Stop taking requests, let those in hand finish, give the budget's slots back.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    void voice.close().finally(() => server.close())
  })
}
