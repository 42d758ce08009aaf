import { fail } from '@stagepass/emulator'
import { fakeMicrophones } from '@stagepass/testing/fakeMicrophones'
import { act, cleanup, render, renderHook, waitFor } from '@testing-library/react'
import { createRequire } from 'node:module'
import type * as ReactQuery from '@tanstack/react-query'
import { type ReactNode, StrictMode } from 'react'
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest'
import { useMicrophone } from '../audio/useMicrophone.js'
import { usePlayback } from '../audio/usePlayback.js'
import { usePushToTalk } from '../audio/usePushToTalk.js'
import { createVoiceClient, type VoiceClient } from './createVoiceClient.js'
import { meetingsOptions } from '../meetings/meetingsOptions.js'
import { useMeeting } from '../meetings/useMeeting.js'
import { useMeetings } from '../meetings/useMeetings.js'
import { useStream } from '../stream/useStream.js'
import { useVoiceClient } from './useVoiceClient.js'
import { useTags } from '../meetings/useTags.js'
import { setupVoice } from '../testing/setupVoice.test.kit.js'
import { tokenSource } from '../token/tokensOf.js'
import { useSessionToken } from '../token/useSessionToken.js'
import { useTranscript } from '../transcript/useTranscript.js'
import { useUsage } from '../usage/useUsage.js'
import { VoiceProvider } from './VoiceProvider.js'
import { pageOf } from './pageOf.test.kit.js'

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

  // Without types, as in a page of plain JavaScript. The misspelt name has no effect.
  it.each<[line: string, use: () => unknown]>([
    [
      'useMeetings does not know the filter "serach". Did you mean "search"?',
      () => useMeetings({ serach: 'x' } as object),
    ],
    [
      'useMeetings does not know the option "debounce". Did you mean "debounceMs"?',
      () => useMeetings({}, { debounce: 5 } as object),
    ],
    [
      'meetingsOptions does not know the filter "sort". Use only: pageSize, ownership, sortBy, order, search, from, to, tags, fields.',
      () => meetingsOptions(useVoiceClient(), { sort: 'date' } as object),
    ],
    [
      'useMeeting does not know the option "field". Did you mean "fields"?',
      () => useMeeting('a', { field: ['title'] } as object),
    ],
    [
      'useTags does not know the option "enable". Did you mean "enabled"?',
      () => useTags({ enable: false } as object),
    ],
    [
      'useSessionToken does not know the option "ttlMinute". Did you mean "ttlMinutes"?',
      () => useSessionToken('stt', { enabled: false, ttlMinute: 5 } as object),
    ],
    [
      'useStream does not know the option "onmessages". Did you mean "onMessage"?',
      () => useStream('stt', { enabled: false, onmessages() {} } as object),
    ],
    [
      'useStream does not know the setting of reconnect "minDelay". Did you mean "minDelayMs"?',
      () => useStream('stt', { enabled: false, reconnect: { minDelay: 5 } as object }),
    ],
    [
      'useTranscript does not know the option "keeps". Did you mean "keep"?',
      () => useTranscript(useStream('stt', { enabled: false }), { select: () => null, keeps: 5 } as never),
    ],
    [
      'useMicrophone does not know the option "sampleRates". Did you mean "sampleRate"?',
      () => useMicrophone({ onFrame() {}, sampleRates: 8_000 } as never),
    ],
    [
      'usePlayback does not know the option "cushion". Did you mean "cushionMs"?',
      () => usePlayback({ cushion: 5 } as object),
    ],
    [
      'usePushToTalk does not know the option "modes". Did you mean "mode"?',
      () =>
        usePushToTalk(
          { status: 'idle', start() {}, stop: async () => {} } as never,
          { modes: 'hold' } as object,
        ),
    ],
  ])('%s', async (line, use) => {
    await using setup = await setupVoice()
    const { rerender } = setup.render(use)
    rerender()
    expect(sentences()).toEqual([line])
  })

  it('an option of the client, and a prop of the provider, that does not exist', () => {
    const voice = createVoiceClient({ url: '/api/voice', timeout: 5 } as { url: string })
    const props: object = { client: voice, onUserChange() {}, user: undefined }
    render(<VoiceProvider {...(props as { client: VoiceClient })} />)
    expect(sentences()).toEqual([
      'createVoiceClient does not know the option "timeout". Did you mean "timeoutMs"?',
      'VoiceProvider does not know the prop "onUserChange". Did you mean "onUserChanged"?',
    ])
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

  it('a response that is not from a BFF', async () => {
    await using setup = await setupVoice()
    setup.stack.intercept((_req, res) => void res.status(404).send('<html>'))
    const { result } = setup.render(() => [useSessionToken('stt'), useSessionToken('tts')])
    await waitFor(() => expect(result.current[1]?.error?.code).toBe('NOT_STAGEPASS'))
    expect(sentences()).toEqual([
      expect.stringMatching(
        /^Failed to reach the BFF: Nothing is at .* \(404 text\/html\)\. Compare .*createVoiceClient/,
      ),
    ])
  })

  it('a first request to another origin that fails', async () => {
    await using setup = await setupVoice()
    setup.stack.intercept((req) => void req.socket.destroy())
    const { result } = setup.render(() => [useSessionToken('stt'), useSessionToken('tts')])
    await waitFor(() => expect(result.current[1]?.failureReason?.code).toBe('NETWORK_ERROR'))
    expect(sentences()).toEqual([
      expect.stringMatching(
        /^Failed to reach the BFF: http.* is on another origin than this page \(http.*CORS/,
      ),
    ])
  })

  it('not a later one', async () => {
    await using setup = await setupVoice()
    const { result } = setup.render(() => useSessionToken('stt'))
    await waitFor(() => expect(result.current.status).toBe('success'))
    setup.stack.intercept((req) => void req.socket.destroy())
    act(() => void result.current.renew())
    await waitFor(() => expect(result.current.failureReason?.code).toBe('NETWORK_ERROR'))
    expect(sentences()).toEqual([])
  })

  it('not one to the origin of the page', async () => {
    const fetch = (): Promise<Response> => Promise.reject(new TypeError('refused'))
    const voice = createVoiceClient({ url: '/api/voice', fetch })
    const failed = new Promise((resolve) => voice.subscribe(resolve))
    const undo = tokenSource(voice, 'stt').retain()
    expect(await failed).toMatchObject({ type: 'request.failed', code: 'NETWORK_ERROR' })
    undo()
    expect(sentences()).toEqual([])
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
    // The page's error handler still gets each of them.
    expect(new Set(rejections)).toEqual(new Set([failure]))
    expect(sentences()).toEqual([expect.stringMatching(/^Failed to handle a frame: /)])
  })
})

describe('thrown, with what to write', () => {
  const voice = createVoiceClient({ url: '/api/voice' })

  it('a user that is not a string', () => {
    const said = 'Failed to set the user: its type is number. Give a string or null: String(user.id)'
    const user = 42 as unknown as string
    expect(() => voice.setUser(user)).toThrow(said)
    expect(() => render(<VoiceProvider client={voice} user={user} />)).toThrow(said)
    expect(() => voice.setUser(0 as unknown as string)).toThrow(said)
    expect(voice.user).toBeUndefined()
  })

  const HOOKS = [
    ['useMeetings', () => useMeetings()],
    ['useMeeting', () => useMeeting('m1')],
    ['useTags', () => useTags()],
    ['useUsage', () => useUsage()],
  ] as const
  const NO_QUERY_CLIENT =
    /^Failed to find the query client: no QueryClientProvider is above .* `npm ls @tanstack\/react-query`/

  it.each(HOOKS)('%s without a QueryClientProvider', (_name, use) => {
    const wrapper = pageOf(voice)
    expect(() => renderHook<unknown, unknown>(use, { wrapper })).toThrow(NO_QUERY_CLIENT)
  })

  it.each(HOOKS)('%s with the QueryClientProvider of another copy of TanStack Query', (_name, use) => {
    // Its CommonJS is another copy than its ES modules.
    const copy = createRequire(import.meta.url)('@tanstack/react-query') as typeof ReactQuery
    const wrapper = ({ children }: { children: ReactNode }): ReactNode => (
      <copy.QueryClientProvider client={new copy.QueryClient()}>
        <VoiceProvider client={voice}>{children}</VoiceProvider>
      </copy.QueryClientProvider>
    )
    expect(() => renderHook<unknown, unknown>(use, { wrapper })).toThrow(NO_QUERY_CLIENT)
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
