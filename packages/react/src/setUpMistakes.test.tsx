import { fail } from '@stagepass/emulator'
import { fakeMicrophones } from '@stagepass/testing/fakeMicrophones'
import { act, cleanup, render, renderHook, waitFor } from '@testing-library/react'
import { StrictMode } from 'react'
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest'
import { useMicrophone } from './audio/useMicrophone.js'
import { createVoiceClient } from './createVoiceClient.js'
import { useMeetings } from './meetings/useMeetings.js'
import { setupVoice } from './testing/setupVoice.test.kit.js'
import { useSessionToken } from './token/useSessionToken.js'
import { VoiceProvider } from './VoiceProvider.js'

/* VoiceProvider.test.tsx has the client that is made in a render, and the hook without a provider. */

let said: MockInstance<typeof console.error>
beforeEach(() => {
  said = vi.spyOn(console, 'error').mockImplementation(() => {})
})
afterEach(() => {
  cleanup()
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

const sentences = (): unknown[] => said.mock.calls.map(([sentence]) => sentence)

describe('in development, once in the console', () => {
  it('two providers of one client', async () => {
    const voice = createVoiceClient({ url: '/api/voice' })
    const two = (
      <StrictMode>
        <VoiceProvider client={voice}>
          <VoiceProvider client={voice} />
        </VoiceProvider>
      </StrictMode>
    )
    const page = render(two)
    page.rerender(two)
    await Promise.resolve()
    expect(sentences()).toEqual([expect.stringMatching(/^Failed to keep one VoiceProvider: /)])
  })

  it('not one provider that replaces another', async () => {
    const voice = createVoiceClient({ url: '/api/voice' })
    const page = render(<VoiceProvider key="a" client={voice} />, { wrapper: StrictMode })
    page.rerender(<VoiceProvider key="b" client={voice} />)
    await Promise.resolve()
    expect(sentences()).toEqual([])
  })

  it('a user that is not the one of the grant', async () => {
    await using setup = await setupVoice()
    setup.voice.setUser('someone-else')
    const { result } = setup.render(() => [useSessionToken('stt'), useSessionToken('tts')])
    await waitFor(() => expect(result.current[0]?.error?.code).toBe('USER_CHANGED'))
    expect(sentences()).toEqual([expect.stringMatching(/^Failed to serve the user: .* not the grant's\. /)])
  })

  it('not a user who has changed later', async () => {
    await using setup = await setupVoice()
    const user = setup.stack.grant?.user ?? ''
    setup.voice.setUser(user)
    const { result } = setup.render(() => useSessionToken('stt'))
    await waitFor(() => expect(result.current.status).toBe('success'))
    setup.stack.intercept(
      (_req, res) => void res.status(403).json({ error_code: 'USER_CHANGED', retryable: false }),
    )
    await act(() => result.current.renew())
    expect(result.current.error?.code).toBe('USER_CHANGED')
    expect(sentences()).toEqual([])
  })

  it('an answer that is no BFF’s', async () => {
    await using setup = await setupVoice()
    setup.stack.intercept((_req, res) => void res.status(404).send('<html>'))
    const { result } = setup.render(() => [useSessionToken('stt'), useSessionToken('tts')])
    await waitFor(() => expect(result.current[1]?.error?.code).toBe('NOT_STAGEPASS'))
    expect(sentences()).toEqual([
      expect.stringMatching(/^Failed to reach the BFF: .* responded with 404 .*createVoiceClient/),
    ])
  })

  it('a name in fields that the service refuses', async () => {
    await using setup = await setupVoice()
    setup.stack.upstream.use(fail('INVALID_FIELDS'))
    const { result } = setup.render(() => [
      useMeetings({ fields: ['title'] }),
      useMeetings({ fields: ['duration'] }),
    ])
    await waitFor(() => expect(result.current[1]?.error?.code).toBe('VALIDATION_ERROR'))
    expect(sentences()).toEqual([expect.stringMatching(/^Failed to read the meetings: .*`fields`/)])
  })

  it('an onFrame whose promise is rejected', async () => {
    using devices = fakeMicrophones('built in')
    const rejections: unknown[] = []
    const listeners = process.listeners('unhandledRejection')
    process.removeAllListeners('unhandledRejection')
    process.on('unhandledRejection', (reason) => rejections.push(reason))
    const failure = new Error('no room')
    // eslint-disable-next-line typescript/no-misused-promises -- the mistake
    const { result } = renderHook(() => useMicrophone({ onFrame: () => Promise.reject(failure) }))
    await act(async () => {
      void result.current.start()
      await devices.pass(200)
    })
    await vi.waitFor(() => expect(rejections.length).toBeGreaterThan(1))
    process.removeAllListeners('unhandledRejection')
    for (const listener of listeners) process.on('unhandledRejection', listener)
    // The page gets each of them as before.
    expect(new Set(rejections)).toEqual(new Set([failure]))
    expect(sentences()).toEqual([expect.stringMatching(/^Failed to handle a frame: /)])
  })
})

it('none of them in production', async () => {
  await using setup = await setupVoice()
  vi.stubEnv('NODE_ENV', 'production')
  setup.stack.intercept((_req, res) => void res.status(404).send('<html>'))
  const { result } = setup.render(() => useSessionToken('stt'))
  await waitFor(() => expect(result.current.error?.code).toBe('NOT_STAGEPASS'))
  expect(result.current.error?.hint).toBeUndefined()
  expect(sentences()).toEqual([])
})
