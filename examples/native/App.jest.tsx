import { fail } from '@stagepass/emulator/browser'
import { createTestVoice, type TestVoice, type TestVoiceOptions } from '@stagepass/react/testing'
import { QueryClient } from '@tanstack/react-query'
import { act, cleanup, configure, fireEvent, render, screen, waitFor } from '@testing-library/react-native'
import { App } from './App'
import type { Session } from './createSession'
import { loudspeaker, microphone } from './testing/sound'

/* The screens on an emulator of the voice service, with the real BFF in front of it. */

// On a busy machine too: the first test also waits until its modules are translated.
configure({ asyncUtilTimeout: 60_000 })
jest.setTimeout(240_000)

let voice: TestVoice
let queryClient: QueryClient

/** Renders the application. A press in it changes the user of the login session too. */
async function open(options: TestVoiceOptions = {}): Promise<void> {
  voice = createTestVoice({ ...options, user: null })
  const listeners = new Set<() => void>()
  const change = (user: string | null): void => {
    voice.user = user
    for (const listener of listeners) listener()
  }
  const session: Session = {
    user: () => signedIn,
    signIn: async (user) => change((signedIn = user)),
    signOut: () => change((signedIn = null)),
    headers: async () => ({}),
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
  let signedIn: string | null = null
  queryClient = new QueryClient()
  await render(<App session={session} voice={voice.client} queryClient={queryClient} />)
}

const press = (name: string): Promise<void> => fireEvent.press(screen.getByRole('button', { name }))

async function signIn(name: string): Promise<void> {
  await press(`Sign in as ${name}`)
  await screen.findByText(`Signed in as ${name.toLowerCase()}`)
}

/** Presses "Speak", and waits for the stream. */
async function speak(): Promise<void> {
  await press('Speak')
  await screen.findByText('You are heard.')
}

const say = (text: string): Promise<void> =>
  act(() => voice.emulator.sockets[0]?.send(JSON.stringify({ text, final: true })))

afterEach(async () => {
  microphone.isAllowed = true
  loudspeaker.played = []
  await cleanup()
  // An unused query has a timer of five minutes, for which Jest would wait.
  queryClient.clear()
  voice.close()
})

it('sends what the recorder hears, and shows what was said', async () => {
  await open()
  await signIn('Ada')
  await speak()
  await act(() => microphone.hear(new Int16Array(1_600)))
  const sent = () => voice.emulator.frames.reduce((bytes, { data }) => bytes + data.length, 0)
  await waitFor(() => expect(sent()).toBe(2 * 1_600))
  await say('Good morning')
  await screen.findByText('Good morning')
  await press('Stop')
  await screen.findByText('Stopped.')
  expect(voice.emulator.sockets.length).toBe(0)
})

it('opens no stream without the permission, and says where to give it', async () => {
  microphone.isAllowed = false
  await open()
  await signIn('Ada')
  await press('Speak')
  await screen.findByText('The microphone is not allowed. Allow it in the settings of the phone.')
  expect(voice.emulator.counts.token).toBe(0)
})

it('does not send sound of another sample rate', async () => {
  await open()
  await signIn('Ada')
  await speak()
  await act(() => microphone.hear(new Int16Array(4_800), 48_000))
  await screen.findByText(/records 48000 samples a second/)
  await screen.findByText('Stopped.')
  expect(voice.emulator.frames.filter(({ data }) => typeof data !== 'string')).toEqual([])
})

it('reads a text aloud, and closes the stream as soon as its sound is there', async () => {
  await open()
  await signIn('Ada')
  await fireEvent.changeText(screen.getByLabelText('Text to read'), 'Hello')
  await press('Read aloud')
  await waitFor(() => expect(loudspeaker.played.length).toBe(1))
  expect(voice.emulator.sockets.length).toBe(0)
  const [wav = new Uint8Array()] = loudspeaker.played
  const header = new DataView(wav.buffer)
  expect(String.fromCharCode(...wav.subarray(0, 4))).toBe('RIFF')
  expect([header.getUint32(24, true), header.getUint32(40, true)]).toEqual([16_000, wav.length - 44])
  // The emulator speaks a word for 240 ms at least.
  expect(wav.length).toBeGreaterThan(44 + 0.2 * 32_000)
  await press('Stop reading')
  await screen.findByRole('button', { name: 'Read aloud' })
})

it('reads nothing aloud while it records', async () => {
  await open()
  await signIn('Ada')
  await speak()
  await press('Read aloud')
  expect(voice.emulator.counts.token).toBe(1)
  await press('Stop')
  await screen.findByText('Stopped.')
})

it('shows why a text was refused', async () => {
  await open()
  await signIn('Ada')
  await fireEvent.changeText(screen.getByLabelText('Text to read'), 'long '.repeat(10_000))
  await press('Read aloud')
  await screen.findByText(/The text is longer than/)
  expect(loudspeaker.played).toEqual([])
  await screen.findByRole('button', { name: 'Read aloud' })
})

it('loads the next page, and finds by a search', async () => {
  const meetings = Array.from({ length: 25 }, (_, index) => ({ id: `m${index}`, title: `Standup ${index}` }))
  await open({ meetings: [...meetings, { id: 'other', title: 'Roadmap' }] })
  await signIn('Ada')
  await fireEvent.press(await screen.findByRole('button', { name: 'More' }))
  await waitFor(() => expect(screen.queryAllByRole('button', { name: 'More' }).length).toBe(0))
  expect(voice.emulator.counts.list).toBe(2)
  await fireEvent.changeText(screen.getByLabelText('Search'), 'roadmap')
  await waitFor(() => expect(screen.queryAllByText(/Standup/).length).toBe(0))
  await screen.findByText('Roadmap')
})

it('shows why a stream failed', async () => {
  await open({ faults: [fail('PAYMENT_PAST_DUE')] })
  await signIn('Ada')
  await press('Speak')
  await screen.findByRole('alert')
  expect(screen.queryAllByText('You are heard.').length).toBe(0)
})

it('asks for a new sign-in when the session has ended', async () => {
  await open({ meetings: [{ id: 'm1', title: 'Roadmap' }] })
  await signIn('Ada')
  await screen.findByText('Roadmap')
  voice.user = null
  await press('Speak')
  await fireEvent.press(await screen.findByRole('button', { name: 'Sign in again' }))
  await signIn('Ada')
  await speak()
  expect(screen.queryAllByRole('alert').length).toBe(0)
})

it('shows nothing of one user to the next', async () => {
  await open({ meetings: [{ id: 'm1', title: 'Roadmap' }] })
  await signIn('Ada')
  await screen.findByText('Roadmap')
  await speak()
  await say('A secret of Ada')
  await screen.findByText('A secret of Ada')
  await press('Sign out')
  await signIn('Ben')
  expect(screen.queryAllByText('A secret of Ada').length).toBe(0)
  await screen.findByText('Press Speak, and say something.')
  await waitFor(() => expect(voice.emulator.sockets.length).toBe(0))
})
