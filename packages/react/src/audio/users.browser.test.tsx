import { type BrowserStack, openBrowserStack } from '@stagepass/testing/browser'
import { act, cleanup, render } from '@testing-library/react'
import { StrictMode, useEffect } from 'react'
import { afterEach, expect, it, vi } from 'vitest'
import { createVoiceClient, type VoiceClient } from '../client/createVoiceClient.js'
import { sourceOf } from '../token/sourceOf.test.kit.js'
import type { VoiceError } from '../errors/VoiceError.js'
import { VoiceProvider } from '../client/VoiceProvider.js'
import {
  useMicrophone,
  type UseMicrophoneResult,
  usePlayback,
  type UsePlaybackResult,
  useVoiceSession,
  type UseVoiceSessionResult,
} from './index.js'
import { tone } from '../../../audio/src/playback/listen.browser.test.kit.js'

afterEach(cleanup)

interface Shown {
  readonly session: UseVoiceSessionResult<unknown, unknown>
  readonly microphone: UseMicrophoneResult
  readonly playback: UsePlaybackResult
}

/** A page of ada, with a session, and with a separate microphone and playback. */
async function openPage(stack: BrowserStack) {
  const opened = vi.spyOn(navigator.mediaDevices, 'getUserMedia')
  const client = createVoiceClient({ url: stack.url })
  let shown: Shown | undefined
  const now = (): Shown => shown as Shown

  function Page() {
    const session = useVoiceSession('stt')
    const microphone = useMicrophone({ onFrame: () => undefined })
    const playback = usePlayback()
    useEffect(() => {
      shown = { session: session as Shown['session'], microphone, playback }
    })
    return <button onClick={session.start}>{session.status}</button>
  }
  const other = createVoiceClient({ url: stack.url })
  const tree = (user: string | null, given = client) => (
    <StrictMode>
      <VoiceProvider client={given} user={user}>
        <Page />
      </VoiceProvider>
    </StrictMode>
  )
  const page = render(tree('ada'))
  page.getByText('idle').click()
  await vi.waitFor(() => expect(now().session.status).toBe('active'))
  await now().microphone.start()
  now().session.playback.play(tone(440, 0.5, 20))
  now().playback.play(tone(440, 0.5, 20))
  for (const { playback } of [now().session, now()]) {
    await vi.waitFor(() => expect(playback.level()).toBeGreaterThan(0.3))
  }
  const tracks = await Promise.all(
    opened.mock.results.map(async ({ value }) => ((await value) as MediaStream).getTracks()[0]!),
  )
  opened.mockRestore()
  expect(tracks.map(({ readyState }) => readyState)).toEqual(['live', 'live'])
  return {
    client,
    page,
    tracks,
    now,
    give: (user: string | null) => act(() => page.rerender(tree(user))),
    giveOther: () => act(() => page.rerender(tree('ada', other))),
  }
}

interface Page {
  readonly client: VoiceClient
  readonly stack: BrowserStack
  readonly give: (user: string | null) => void
  readonly giveOther: () => void
}

const ENDS: readonly (readonly [string, shown: readonly unknown[], (page: Page) => void | Promise<void>])[] =
  [
    ['another user', ['idle', undefined], ({ give }) => give('ben')],
    ['nobody', ['idle', undefined], ({ give }) => give(null)],
    ['a reset', ['idle', undefined], ({ client }) => act(() => client.reset())],
    ['another client', ['idle', undefined], ({ giveOther }) => giveOther()],
    [
      'the BFF, which has found another user',
      ['failed', 'USER_CHANGED'],
      async ({ client, stack }) => {
        await stack.run((own) => void (own.grant = { ...own.grant, user: 'ben' }))
        await act(() =>
          sourceOf(client, 'stt')
            .renew()
            .catch(() => undefined),
        )
      },
    ],
  ]

it.each(ENDS)('S35 sound and microphone end with the identity: %s', async (_name, shown, end) => {
  await using stack = await openBrowserStack({ emulator: { echo: true } })
  const { client, tracks, now, give, giveOther } = await openPage(stack)
  const { session, microphone, playback } = now()

  await end({ client, stack, give, giveOther })
  // The objects from before the change: they have stopped for the previous user.
  expect(tracks.map(({ readyState }) => readyState)).toEqual(['ended', 'ended'])
  expect([session.playback.bufferedMs(), playback.bufferedMs()]).toEqual([0, 0])
  for (const { level } of [session.playback, playback]) await vi.waitFor(() => expect(level()).toBe(0))
  expect([session.microphone.level(), microphone.level()]).toEqual([0, 0])
  expect([now().microphone.status, now().session.microphone.status]).toEqual(['idle', 'idle'])
  expect([now().playback.status, now().session.playback.status]).toEqual(['idle', 'idle'])
  const { status, error } = now().session
  expect([status, (error as VoiceError | null)?.code]).toEqual(shown)
  // No component needs a connection any longer.
  await vi.waitFor(async () => expect(await stack.run(({ upstream }) => upstream.sockets.length)).toBe(0))
  expect(await stack.run(({ upstream }) => upstream.counts.handshake)).toBe(1)
})

it('starts again for the next user, but not while nobody is signed in', async () => {
  await using stack = await openBrowserStack({ emulator: { echo: true } })
  const { page, now, give } = await openPage(stack)
  give(null)
  act(() => now().session.start())
  expect([now().session.status, now().session.microphone.status]).toEqual(['idle', 'idle'])

  await stack.run((own) => void (own.grant = { ...own.grant, user: 'ben' }))
  give('ben')
  expect(now().session.status).toBe('idle')
  const frames = await stack.run(({ upstream }) => upstream.frames.length)
  act(() => page.getByText('idle').click())
  await vi.waitFor(() => expect(now().session.status).toBe('active'))
  await vi.waitFor(async () =>
    expect(await stack.run(({ upstream }) => upstream.frames.length)).toBeGreaterThan(frames),
  )
  expect(now().microphone.status).toBe('idle')
  act(() => now().session.stop())
})
