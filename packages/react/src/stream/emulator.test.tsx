import { acceptThenClose } from '@stagepass/emulator'
import { waitFor } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { setupVoice } from '../testing/setupVoice.test.kit.js'
import { sourceOf } from '../token/sourceOf.test.kit.js'
import { useStream } from './useStream.js'

describe('useStream against the emulator', () => {
  it('speaks over a real socket', async () => {
    await using setup = await setupVoice({ emulator: { echo: true } })
    const { upstream } = setup.stack
    const heard: unknown[] = []
    const onMessage = (message: unknown) => void heard.push(message)
    const { result, unmount } = setup.render(() => useStream('stt', { onMessage }))
    result.current.send('before it is open')
    await waitFor(() => expect(heard).toEqual(['before it is open']))
    expect(upstream.counts.handshake).toBe(1)
    const authorization = `api-key ${upstream.tokens.all()[0]?.sessionKey}`
    expect(upstream.requests.at(-1)?.query).toEqual({ authorization })
    unmount()
    await waitFor(() => expect(upstream.sockets).toHaveLength(0))
  })

  it('does not count an opened socket as a success: a server that accepts and closes', async () => {
    await using setup = await setupVoice()
    setup.stack.upstream.use(acceptThenClose(1011))
    const reconnect = { minDelayMs: 5, maxDelayMs: 20, maxAttempts: 2 }
    const { result } = setup.render(() => useStream('stt', { reconnect }))
    await waitFor(() => expect(result.current.status).toBe('failed'))
    expect(setup.stack.upstream.counts.handshake).toBe(3)
  })

  it('opens when the BFF is back, if a page of HTML came in its place after a success', async () => {
    await using setup = await setupVoice()
    await sourceOf(setup.voice, 'tts').get()
    const stop = setup.stack.intercept((_req, res) => void res.type('html').send('<!doctype html>'))
    const { result } = setup.render(() => useStream('stt', { reconnect: { minDelayMs: 20 } }))
    await waitFor(() => expect(result.current.failureReason).toMatchObject({ code: 'NOT_STAGEPASS' }))
    expect(result.current.status).toBe('reconnecting')
    stop()
    await waitFor(() => expect(result.current.status).toBe('open'))
  })
})
