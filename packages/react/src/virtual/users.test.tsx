import { act, cleanup, render } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import type { SocketListener } from '../platform/socket.js'
import { joinStream } from '../stream/joinStream.test.kit.js'
import { useStream } from '../stream/useStream.js'
import { sourceOf } from '../token/sourceOf.test.kit.js'
import { VoiceProvider } from '../client/VoiceProvider.js'
import { createScriptedService } from './createScriptedService.test.kit.js'
import { createVirtualVoice } from './createVirtualVoice.test.kit.js'
import { createUserWatch } from './createUserWatch.test.kit.js'
import { createVirtualPlatform } from './createVirtualPlatform.test.kit.js'

afterEach(cleanup)

it('signs users in, changes them and signs them out', async () => {
  const voice = createVirtualVoice()
  const Status = () => useStream('stt').status
  const page = render(
    <VoiceProvider client={voice.client}>
      <Status />
    </VoiceProvider>,
  )
  act(() => voice.setUser('ada'))
  await act(() => voice.advance(100))
  expect(page.container.textContent).toBe('open')
  act(() => voice.setUser('ben'))
  await act(() => voice.advance(100))
  act(() => voice.setUser(null))
  await act(() => voice.advance(100))
  expect(page.container.textContent).toBe('idle')
  expect(voice.service.connections.map(({ identity, status }) => [identity.user, status])).toEqual([
    ['ada', 'closed'],
    ['ben', 'closed'],
  ])
  voice.checkUsers()
})

it('closes the connection of a user who leaves inside an event of that connection', async () => {
  const voice = createVirtualVoice()
  voice.setUser('ada')
  const stream = joinStream(voice)
  let left: unknown[] = []
  voice.client.subscribe(({ type }) => {
    if (type !== 'stream.opened') return
    voice.client.setUser(null)
    left = [stream.send('of ada'), ...voice.service.connections.map(({ status }) => status)]
  })
  stream.send('queued')
  await voice.advance(10_000)
  expect(left).toEqual(['dropped', 'closed'])
  expect(stream.snapshot().status).toBe('idle')
  expect(voice.service.connections).toHaveLength(1)
  voice.checkUsers()
})

it('responds USER_CHANGED if the login session belongs to another user, and UNAUTHENTICATED if to nobody', async () => {
  const voice = createVirtualVoice()
  voice.setUser('ada')
  voice.service.user = 'ben'
  const asking = Promise.allSettled([sourceOf(voice.client, 'stt').get()])
  await voice.advance(100)
  expect(await asking).toMatchObject([{ reason: { code: 'USER_CHANGED' } }])
  voice.client.reset()
  voice.service.user = null
  const again = Promise.allSettled([sourceOf(voice.client, 'stt').get()])
  await voice.advance(100)
  expect(await again).toMatchObject([{ reason: { code: 'UNAUTHENTICATED' } }])
})

/** A page that keeps its data after a change of user: the fault that the kit must find. */
async function brokenPage() {
  const platform = createVirtualPlatform()
  const ada = { user: 'ada', generation: 0 }
  let present: { user: string; generation: number } = ada
  const watch = createUserWatch(() => present)
  const service = createScriptedService({ platform, now: () => platform.now(), watch })
  const ask = (path: string, user: string, body: object) =>
    service.fetch(`/api/voice${path}`, {
      method: 'POST',
      headers: { 'x-stagepass-user': user },
      body: JSON.stringify(body),
    })
  const granted = ask('/session-token', 'ada', { usage_type: 'stt' })
  await platform.advance(100)
  const { stream_url, session_key } = (await (await granted).json()) as Record<string, string>
  const listener: SocketListener = { opened() {}, received() {}, closed() {}, blocked() {} }
  const streamUrl = String(stream_url)
  const access = { streamUrl, token: { value: String(session_key) } }
  const open = () =>
    service.openSocket(`${streamUrl}?authorization=api-key%20${session_key}`, listener, access)
  const socket = open()
  await platform.advance(100)
  return {
    service,
    socket,
    open,
    ask,
    watch,
    signInBen: () => {
      present = { user: 'ben', generation: 1 }
      watch.leave(ada)
    },
  }
}

it('fails a test in which data of one user reaches another', async () => {
  const { service, socket, open, ask, watch, signInBen } = await brokenPage()
  socket.send('words of ada')
  service.connections[0]?.send('for ada')
  watch.throwFound()
  signInBen()
  const left = /of ada \(0\), who has left\. The user is ben \(1\) now/
  expect(() => socket.send('more words of ada')).toThrow(left)
  expect(() => service.connections[0]?.send('more for ada')).toThrow(left)
  expect(open).toThrow(left)
  await expect(ask('/session-token', 'ada', { usage_type: 'stt' })).rejects.toThrow(left)
  expect(service.connections[0]?.received).toEqual(['words of ada'])
  expect(() => watch.throwFound()).toThrow(left)
})
