import express from 'express'
import { createBff } from '@stagepass/bff'
import { createEmulator } from '@stagepass/emulator'

// Serves the BFF in Express, with the emulator behind it, and the files of a folder.
const upstream = await createEmulator({ port: 0 })
const bff = createBff({
  apiKey: upstream.apiKey,
  baseUrl: upstream.baseUrl,
  streamingUrl: upstream.streamingUrl,
  meetings: { baseUrl: upstream.meetingsUrl },
  authorize: () => ({
    user: 'one',
    meetings: { credential: upstream.meetingsCredential },
    usage: { minutesPerDay: 30 },
  }),
  onEvent: (event) => console.log(JSON.stringify(event)),
})
const app = express().use('/api/voice', bff)
const folder = process.argv[2]
if (folder) app.use(express.static(folder))
const server = app.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`))
