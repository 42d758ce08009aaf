import { fail, hang } from '@stagepass/emulator/browser'
import { useStream } from '@stagepass/react'
import { useVoiceSession } from '@stagepass/react/audio'
import type { ReactNode } from 'react'
import { VoiceSession } from '../items/voice-session'
import { press, shows } from './press'
import { SILENCE, type Story, until } from './Story'

function Show(): ReactNode {
  const session = useVoiceSession('stt')
  return <VoiceSession session={session} name="Speech-to-Text" onSignIn={() => {}} />
}

type Play = NonNullable<Story['play']>
type Stage = Parameters<Play>[0]

async function start({ element }: Stage): Promise<void> {
  await press(element, 'Start')
  await shows(element, 'You are heard.')
}

/** A state with this text, which comes after the press on Start. */
const pressed = (text: string): Play => {
  return async ({ element }) => {
    await press(element, 'Start')
    await shows(element, text)
  }
}

/** A state with this text, into which `act` brings a session whose person is heard. */
const heard = (text: string, act: (stage: Stage) => unknown = () => {}): Play => {
  return async (stage) => {
    await start(stage)
    await act(stage)
    await shows(stage.element, text)
  }
}

export const Idle: Story = {
  title: 'Not started',
  Show,
  play: ({ element }) => shows(element, 'The microphone is off.'),
}

export const NotAllowed: Story = {
  title: 'Not allowed, before the first press',
  Show,
  play: async ({ voice, element }) => {
    voice.microphone.setPermission('denied')
    await shows(element, 'is not allowed. Press the icon')
  },
}

export const Starting: Story = {
  title: 'It connects',
  voice: { faults: [hang({ on: 'token' })] },
  Show,
  play: pressed('Connecting.'),
}

export const InTheQueue: Story = {
  title: 'All sessions are in use, and it waits in the queue',
  voice: { sessions: { max: 1 } },
  Show: function Waiting() {
    const other = useStream('tts')
    return other.status === 'open' ? <Show /> : null
  },
  play: async ({ element }) => {
    await until(() => element.querySelector('button'))
    await press(element, 'Start')
    await shows(element, 'Everything is in use.')
    await shows(element, 'in the queue')
  },
}

export const Active: Story = { title: 'The person is heard', Show, play: start }

export const Isolation: Story = {
  title: 'Voice Isolation, and the cleaned voice is heard',
  Show: function Isolated() {
    return <VoiceSession session={useVoiceSession('viva')} name="Voice Isolation" />
  },
  play: async (stage) => {
    await start(stage)
    const { microphone, loudspeaker } = stage.voice
    microphone.speak(new Int16Array(16_000).fill(8_000))
    await until(() => loudspeaker.heard().some((sample) => sample > 4_000))
  },
}

export const Waiting: Story = {
  title: 'Nobody speaks, and it waits for speech',
  Show: function Saving() {
    const session = useVoiceSession('stt', { silence: SILENCE })
    return <VoiceSession session={session} name="Speech-to-Text" />
  },
  play: heard('Waiting for speech.'),
}

export const Paused: Story = {
  title: 'Paused',
  Show,
  play: heard('Paused.', ({ element }) => press(element, 'Pause')),
}

export const Refused: Story = {
  title: 'Microphone refused',
  Show,
  play: async ({ voice, element }) => {
    voice.microphone.refuse()
    await press(element, 'Start')
    await shows(element, 'The microphone is not allowed.')
  },
}

export const Taken: Story = {
  title: 'Microphone taken by the system',
  Show,
  play: heard('has the microphone', ({ voice }) => voice.microphone.setTaken(true)),
}

export const Unplugged: Story = {
  title: 'Microphone unplugged',
  Show,
  play: heard('The microphone is gone.', ({ voice }) => voice.microphone.unplug()),
}

export const Stopped: Story = {
  title: 'The sound of the microphone stopped',
  Show,
  play: heard('The microphone has stopped.', ({ voice }) => voice.microphone.setDead(true)),
}

export const Blocked: Story = {
  title: 'Playback blocked until a press',
  Show,
  play: heard('Play the sound', async ({ voice: { emulator, loudspeaker } }) => {
    emulator.sockets[0]?.send(new Uint8Array(320_000))
    await until(() => loudspeaker.heard().length > 0)
    loudspeaker.block()
  }),
}

export const Reconnecting: Story = {
  title: 'The connection is lost',
  Show,
  play: heard('of what you said', ({ voice: { emulator } }) => {
    emulator.use(hang({ on: 'handshake' }))
    emulator.sockets[0]?.drop()
  }),
}

export const LastWords: Story = {
  title: 'Last words on their way',
  // Sound from before the connection.
  voice: { faults: [hang({ on: 'token' })] },
  Show,
  play: async ({ element }) => {
    await press(element, 'Start')
    await shows(element, 'Connecting.')
    await press(element, 'End')
    await shows(element, 'last words')
  },
}

export const MinutesGone: Story = {
  title: 'No minutes left',
  voice: { usage: { minutesPerDay: 0 } },
  Show,
  play: pressed('used up'),
}

export const CompanyMinutesGone: Story = {
  title: 'No minutes of the company left',
  voice: { accountUsage: { minutesPerMonth: 0 } },
  Show,
  play: pressed('minutes of your company'),
}

export const SignInOver: Story = {
  title: 'The sign-in has ended',
  Show,
  play: async ({ voice, element }) => {
    voice.user = null
    await press(element, 'Start')
    await shows(element, 'Your sign-in has ended.')
  },
}

export const SignedOut: Story = {
  title: 'Nobody is signed in',
  voice: { user: null },
  Show,
  play: ({ element }) => shows(element, 'Sign in to begin.'),
}

export const Failed: Story = {
  title: 'Another error',
  voice: { faults: [fail('BALANCE_EXHAUSTED')] },
  Show,
  play: pressed('Id for support'),
}
