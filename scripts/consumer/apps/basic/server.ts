import express from 'express'
import { createBff } from '@stagepass/bff'
import { createEmulator } from '@stagepass/emulator'
import { PRODUCTS } from '@stagepass/contract'
import { SessionTokenResponse } from '@stagepass/contract/schemas'

const upstream = await createEmulator({ port: 0 })
const bff = createBff({
  apiKey: upstream.apiKey,
  baseUrl: upstream.baseUrl,
  streamingUrl: upstream.streamingUrl,
  authorize: () => ({ user: 'one' }),
})
const server = express().use('/api/voice', bff).listen(0)
const { port } = server.address() as { port: number }
const answer = await fetch(`http://127.0.0.1:${port}/api/voice/session-token`, {
  method: 'POST',
  headers: { 'content-type': 'application/json', 'x-stagepass': '1' },
  body: JSON.stringify({ usage_type: 'stt' }),
})
const token = SessionTokenResponse.parse(await answer.json())
if (token.stream_url !== upstream.streamingUrl + PRODUCTS.stt.path)
  throw new Error('wrong stream_url: ' + token.stream_url)
await bff.close()
server.close()
await upstream.close()
console.log('server: a token for', token.usage_type)
