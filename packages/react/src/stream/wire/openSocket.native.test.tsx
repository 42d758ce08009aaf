import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fail, refuse } from '@stagepass/emulator'
import { native } from '@stagepass/testing/nativePhone'
import { act, waitFor } from '@testing-library/react'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { setupVoice } from '../../testing/setupVoice.test.kit.js'
import { useStream } from '../useStream.js'

const QUICK = { minDelayMs: 20, maxDelayMs: 100 }

it('S61 a phone sends the token in a header, and in no address', async () => {
  const before = { asked: native.asked.length, opened: native.opened.length }
  await using setup = await setupVoice({ emulator: { echo: true } })
  const { upstream } = setup.stack
  const heard: unknown[] = []
  const { result, unmount } = setup.render(() => useStream('stt', { onMessage: (data) => heard.push(data) }))
  result.current.send('Grüße')
  result.current.send(new Uint8Array([0, 255, 128]).buffer)
  await waitFor(() => expect(heard).toHaveLength(2))
  expect(heard[0]).toBe('Grüße')
  expect([...new Uint8Array(heard[1] as ArrayBuffer)]).toEqual([0, 255, 128])

  const tokens = upstream.tokens.all().map(({ sessionKey }) => sessionKey)
  expect(tokens).toHaveLength(1)
  const handshake = upstream.requests.at(-1)
  expect(handshake?.query).toEqual({})
  expect(handshake?.headers['authorization']).toBe(`api-key ${tokens[0]}`)
  const addresses = [
    ...upstream.requests.map(({ path, query }) => path + JSON.stringify(query)),
    ...setup.asked,
    ...native.asked.slice(before.asked).map(({ url }) => url),
    ...native.opened.slice(before.opened).map(({ url }) => url),
  ]
  expect(addresses.length).toBeGreaterThan(3)
  expect(addresses.filter((address) => address.includes(tokens[0] ?? 'no token'))).toEqual([])
  expect(native.asked.slice(before.asked).filter(({ withCredentials }) => withCredentials)).toEqual([])
  unmount()
  await waitFor(() => expect(upstream.sockets).toHaveLength(0))
})

it('S61 React Native adds the cookies of its jar to each WebSocket, as the documents say', () => {
  const folder = dirname(createRequire(import.meta.url).resolve('react-native/package.json'))
  const read = (path: string): string => readFileSync(join(folder, path), 'utf8')
  const android = read('ReactAndroid/src/main/java/com/facebook/react/modules/websocket/WebSocketModule.kt')
  expect(android).toMatch(/val cookie = this\.getCookie\(url\)[\s\S]{0,80}addHeader\("Cookie", cookie\)/)
  expect(read('React/CoreModules/RCTWebSocketModule.mm')).toContain(
    '[[NSHTTPCookieStorage sharedHTTPCookieStorage] cookiesForURL:components.URL]',
  )
})

it('a phone that opens no WebSocket at all ends the stream with a code', async () => {
  await using setup = await setupVoice()
  // The native module throws, so the constructor of React Native does.
  const connect = vi.spyOn(native.opened, 'push').mockImplementation(() => {
    throw new Error('The module is not linked.')
  })
  onTestFinished(() => connect.mockRestore())
  const { result } = setup.render(() => useStream('stt'))
  await waitFor(() => expect(result.current.error?.code).toBe('CONNECTION_REFUSED'))
  expect(result.current.status).toBe('failed')
})

describe('a refusal of which the phone shows the status', () => {
  it.each([
    [401, 'unauthorized', 'failed'],
    [403, 'unauthorized', 'failed'],
    [402, 'STREAM_ERROR', 'failed'],
    [429, 'concurrency_limit_exceeded', 'open'],
    [503, 'STREAM_ERROR', 'open'],
  ] as const)(
    '%i is %s, and the stream is %s in the end, without a check by the BFF',
    async (status, code, end) => {
      await using setup = await setupVoice()
      const times = end === 'open' ? 2 : undefined
      setup.stack.upstream.use(refuse(status, { refuseBy: 'status', times }))
      const failures: unknown[] = []
      const { result } = setup.render(() => {
        const stream = useStream('stt', { reconnect: QUICK })
        if (stream.failureReason) failures.push([stream.failureReason.code, stream.failureReason.status])
        return stream
      })
      await waitFor(() => expect(result.current.status).toBe(end))
      expect(failures[0]).toEqual([code, status])
      expect(setup.asked.filter((path) => path.includes('handshake-check'))).toEqual([])
      // A token that was refused is replaced once.
      expect(setup.stack.upstream.tokens.all()).toHaveLength(code === 'unauthorized' ? 2 : 1)
    },
  )

  it('404 says nothing about the handshake, so the BFF tries it', async () => {
    await using setup = await setupVoice()
    setup.stack.upstream.use(fail('concurrency_limit_exceeded', { refuseBy: 'frame', times: 1 }))
    setup.stack.upstream.use(refuse(404, { refuseBy: 'status', times: 2 }))
    const { result } = setup.render(() => useStream('stt', { reconnect: QUICK }))
    await waitFor(() =>
      expect(setup.asked.filter((path) => path.includes('handshake-check'))).toHaveLength(1),
    )
    await waitFor(() => expect(result.current.status).toBe('open'))
  })
})

it.each([
  ['an iPhone', false],
  ['Android, which ignores the close', true],
])('closes a socket that is left in its handshake: %s', async (_, ignores) => {
  native.setIgnoresEarlyCloses(ignores)
  onTestFinished(() => native.setIgnoresEarlyCloses(false))
  await using setup = await setupVoice()
  const { upstream } = setup.stack
  const { result } = setup.render(() => useStream('stt'))
  await waitFor(() => expect(result.current.status).toBe('open'))
  act(() => result.current.close())
  await waitFor(() => expect(upstream.sockets).toHaveLength(0))
  const opened = native.opened.length
  act(() => result.current.open())
  // Before the network has a turn.
  for (let turn = 0; turn < 100 && native.opened.length === opened; turn += 1) await Promise.resolve()
  expect(native.opened.length).toBe(opened + 1)
  act(() => result.current.close())
  // On Android the service opens it.
  const connections = ignores ? 2 : 1
  await waitFor(() => expect(Object.keys(upstream.billedMs())).toHaveLength(connections))
  await waitFor(() => expect(upstream.sockets).toHaveLength(0))
  expect(result.current.status).toBe('closed')
})
