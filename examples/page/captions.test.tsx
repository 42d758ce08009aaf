// @vitest-environment jsdom
import { VoiceProvider } from '@stagepass/react'
import { useVoiceSession } from '@stagepass/react/audio'
import { createTestVoice, type TestVoice } from '@stagepass/react/testing'
import { Captions } from '@stagepass/registry/captions'
import { VoiceSession } from '@stagepass/registry/voice-session'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, configure, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'

// On a busy machine too.
configure({ asyncUtilTimeout: 20_000 })
vi.setConfig({ testTimeout: 60_000 })

afterEach(cleanup)

function Dictation() {
  const session = useVoiceSession('stt')
  return (
    <>
      <VoiceSession session={session} name="Speech-to-Text" onSignIn={() => {}} />
      <Captions stream={session.stream} />
    </>
  )
}

/** Dictation, on an emulator of the voice service without a network. Speaks until the stream is open. */
async function speak(voice: TestVoice): Promise<void> {
  render(
    <QueryClientProvider client={new QueryClient()}>
      <VoiceProvider client={voice.client}>
        <Dictation />
      </VoiceProvider>
    </QueryClientProvider>,
  )
  fireEvent.click(screen.getByRole('button', { name: 'Start, Speech-to-Text' }))
  await screen.findByText('You are heard.')
}

it('shows what was said', async () => {
  using voice = createTestVoice()
  await speak(voice)
  voice.emulator.sockets[0]?.send(JSON.stringify({ text: 'Good morning', final: true }))
  expect(await screen.findByText('Good morning')).toBeTruthy()
})

it('asks to sign in again when the login session ends in the middle of a stream', async () => {
  using voice = createTestVoice()
  await speak(voice)
  voice.user = null
  voice.emulator.sockets[0]?.close(1008, 'unauthorized')
  expect(await screen.findByRole('button', { name: 'Sign in again, Speech-to-Text' })).toBeTruthy()
})
