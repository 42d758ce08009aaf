import express from 'express'
import { createBff } from '@stagepass/bff'
import { createEmulator } from '@stagepass/emulator'

test('mints a token', async () => {
  const upstream = await createEmulator({ port: 0 })
  const { apiKey, baseUrl, streamingUrl } = upstream
  const bff = createBff({ apiKey, baseUrl, streamingUrl, authorize: () => ({ user: 'one' }) })
  const server = express().use('/api/voice', bff).listen(0)
  const answer = await fetch(`http://127.0.0.1:${server.address().port}/api/voice/session-token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-stagepass': '1' },
    body: JSON.stringify({ usage_type: 'stt' }),
  })
  expect(answer.status).toBe(200)
  await bff.close()
  server.close()
  await upstream.close()
})
