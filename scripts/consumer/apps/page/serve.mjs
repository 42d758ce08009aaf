import express from 'express'
import { createBff } from '@stagepass/bff'
import { createEmulator } from '@stagepass/emulator'

// Serves the BFF in Express, with the emulator behind it, and the files of a folder: `serve.mjs dist 30`
// allows a user 30 minutes a day.
const [folder, minutes = 600] = process.argv.slice(2)
const upstream = await createEmulator({ port: 0 })
const bff = createBff({
  apiKey: upstream.apiKey,
  baseUrl: upstream.baseUrl,
  streamingUrl: upstream.streamingUrl,
  meetings: { baseUrl: upstream.meetingsUrl },
  authorize: () => ({
    user: 'one',
    meetings: { credential: upstream.meetingsCredential },
    usage: { minutesPerDay: Number(minutes) },
  }),
  onEvent: (event) => console.log(JSON.stringify(event)),
})
const app = express().use('/api/voice', bff)
if (folder) app.use(express.static(folder))
const server = app.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`))
