const { createBff } = require('@stagepass/bff')
const { createEmulator } = require('@stagepass/emulator')
const express = require('express')

async function main() {
  const upstream = await createEmulator({ port: 0 })
  const { apiKey, baseUrl, streamingUrl } = upstream
  const bff = createBff({ apiKey, baseUrl, streamingUrl, authorize: () => ({ user: 'one' }) })
  const server = express().use('/api/voice', bff).listen(0)
  const answer = await fetch(`http://127.0.0.1:${server.address().port}/api/voice/session-token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-stagepass': '1' },
    body: JSON.stringify({ usage_type: 'stt' }),
  })
  if (answer.status !== 200) throw new Error(`status ${answer.status}`)
  await bff.close()
  server.close()
  await upstream.close()
}

exports.minted = main()
