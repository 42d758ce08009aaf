import type { AddressInfo } from 'node:net'
import express from 'express'
import { createBff } from '@stagepass/bff'
import { PRODUCTS } from '@stagepass/contract'
import { SessionTokenResponse } from '@stagepass/contract/schemas'
import { createEmulator } from '@stagepass/emulator'

/**
 * Mints a token from the emulator, through the BFF in Express. Returns the path of its stream below the
 * streaming URL.
 */
export async function mintToken(): Promise<string> {
  const upstream = await createEmulator({ port: 0 })
  const bff = createBff({
    apiKey: upstream.apiKey,
    baseUrl: upstream.baseUrl,
    streamingUrl: upstream.streamingUrl,
    authorize: () => ({ user: 'one' }),
  })
  const server = express().use('/api/voice', bff).listen(0)
  const { port } = server.address() as AddressInfo
  const answer = await fetch(`http://127.0.0.1:${port}/api/voice/session-token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-stagepass': '1' },
    body: JSON.stringify({ usage_type: 'stt' }),
  })
  const token = SessionTokenResponse.parse(await answer.json())
  await bff.close()
  await new Promise((resolve) => server.close(resolve))
  await upstream.close()
  if (token.usage_type !== 'stt') throw new Error('wrong product')
  return token.stream_url.replace(upstream.streamingUrl + PRODUCTS.stt.path, 'ok')
}
