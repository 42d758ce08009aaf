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

type Stage = Parameters<NonNullable<Story['play']>>[0]

async function start({ element }: Stage): Promise<void> {
  await press(element, 'Start')
  await shows(element, 'You are heard.')
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
  play: async ({ element }) => {
    await press(element, 'Start')
    await shows(element, 'Connecting.')
  },
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
  play: async (stage) => {
    await start(stage)
    await shows(stage.element, 'Waiting for speech.')
  },
}

export const Paused: Story = {
  title: 'Paused',
  Show,
  play: async (stage) => {
    await start(stage)
    await press(stage.element, 'Pause')
    await shows(stage.element, 'Paused.')
  },
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
  play: async (stage) => {
    await start(stage)
    stage.voice.microphone.setTaken(true)
    await shows(stage.element, 'has the microphone')
  },
}

export const Unplugged: Story = {
  title: 'Microphone unplugged',
  Show,
  play: async (stage) => {
    await start(stage)
    stage.voice.microphone.unplug()
    await shows(stage.element, 'The microphone is gone.')
  },
}

export const Stopped: Story = {
  title: 'The sound of the microphone stopped',
  Show,
  play: async (stage) => {
    await start(stage)
    stage.voice.microphone.setDead(true)
    await shows(stage.element, 'The microphone has stopped.')
  },
}

export const Blocked: Story = {
  title: 'Playback blocked until a press',
  Show,
  play: async (stage) => {
    await start(stage)
    const { emulator, loudspeaker } = stage.voice
    emulator.sockets[0]?.send(new Uint8Array(320_000))
    await until(() => loudspeaker.heard().length > 0)
    loudspeaker.block()
    await shows(stage.element, 'Play the sound')
  },
}

export const Reconnecting: Story = {
  title: 'The connection is lost',
  Show,
  play: async (stage) => {
    await start(stage)
    const { emulator } = stage.voice
    emulator.use(hang({ on: 'handshake' }))
    emulator.sockets[0]?.drop()
    await shows(stage.element, 'of what you said')
  },
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
  play: async ({ element }) => {
    await press(element, 'Start')
    await shows(element, 'used up')
  },
}

export const CompanyMinutesGone: Story = {
  title: 'No minutes of the company left',
  voice: { accountUsage: { minutesPerMonth: 0 } },
  Show,
  play: async ({ element }) => {
    await press(element, 'Start')
    await shows(element, 'minutes of your company')
  },
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
  play: async ({ element }) => {
    await press(element, 'Start')
    await shows(element, 'Id for support')
  },
}
