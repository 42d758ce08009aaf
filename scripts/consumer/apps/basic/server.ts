import type { AddressInfo } from 'node:net'
import express from 'express'
import { createBff } from '@stagepass/bff'
import { PRODUCTS } from '@stagepass/contract'
import { SessionTokenResponse } from '@stagepass/contract/schemas'
import { createEmulator } from '@stagepass/emulator'

/** Mints a token from the emulator, through the BFF in Express. */
async function main(): Promise<void> {
  const upstream = await createEmulator({ port: 0 })
  const { apiKey, baseUrl, streamingUrl } = upstream
  const bff = createBff({ apiKey, baseUrl, streamingUrl, authorize: () => ({ user: 'one' }) })
  const server = express().use('/api/voice', bff).listen(0)
  const { port } = server.address() as AddressInfo
  const answer = await fetch(`http://127.0.0.1:${port}/api/voice/session-token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-stagepass': '1' },
    body: JSON.stringify({ usage_type: 'stt' }),
  })
  const token = SessionTokenResponse.parse(await answer.json())
  await bff.close()
  server.close()
  await upstream.close()
  if (token.stream_url !== streamingUrl + PRODUCTS.stt.path) throw new Error(`wrong: ${token.stream_url}`)
}

void main()
