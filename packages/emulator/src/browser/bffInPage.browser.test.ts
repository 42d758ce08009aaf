import { createBff } from '@stagepass/bff/fetch'
import { createVoiceClient } from '@stagepass/react'
import { QueryClient } from '@tanstack/react-query'
import { expect, it, vi } from 'vitest'
import { createBrowserEmulator, fail } from './index.js'

/* The BFF itself in a browser: no part of it needs Node. `bffInPage.test.ts` compares its answers with those of one in Express. */

function startPage() {
  const emulator = createBrowserEmulator({ meetings: [{ id: 'm1', title: 'Roadmap' }] })
  const meetings = { credential: emulator.meetingsCredential }
  const bff = createBff({ ...emulator.bffOptions, authorize: () => ({ user: 'ada', meetings }) })
  return { emulator, bff, voice: createVoiceClient(emulator.clientOptions(bff)) }
}

it('mints tokens and lists meetings for the hooks of the page', async () => {
  const { emulator, bff, voice } = startPage()
  const queries = new QueryClient()
  const token = await queries.fetchQuery(voice.sessionTokenOptions('stt'))
  expect(token.product).toBe('stt')
  const pages = await queries.fetchInfiniteQuery(voice.meetingsOptions({ fields: ['title'] }))
  expect(pages.pages[0]?.meetings).toEqual([{ id: 'm1', title: 'Roadmap' }])
  // The second comes from the cache of the BFF.
  await new QueryClient().fetchInfiniteQuery(voice.meetingsOptions({ fields: ['title'] }))
  expect(emulator.counts.list).toBe(1)
  expect(bff.gauge()).toMatchObject({ inFlight: 0, saved: { cached: 1 } })
  await bff.close()
})

it('tells a page why a handshake was refused', async () => {
  const { emulator, bff, voice } = startPage()
  const { fetch, url } = emulator.clientOptions(bff)
  const check = async () => {
    const response = await fetch(`${url}/handshake-check`, {
      method: 'POST',
      headers: { 'x-stagepass': '1', 'content-type': 'application/json' },
      body: JSON.stringify({ usage_type: 'stt', session_key: emulator.tokens.all()[0]?.sessionKey }),
    })
    return response.json()
  }
  await new QueryClient().fetchQuery(voice.sessionTokenOptions('stt'))
  expect(await check()).toEqual({ ok: true })
  for (const refuseBy of ['status', 'frame', 'close'] as const) {
    const undo = emulator.use(fail('concurrency_limit_exceeded', { refuseBy }))
    expect(await check()).toMatchObject({ ok: false, error_code: 'concurrency_limit_exceeded' })
    undo()
  }
  await vi.waitFor(() => expect(emulator.sockets).toEqual([]))
})
