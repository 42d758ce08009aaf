import { hang } from '@stagepass/emulator/browser'
import { useVoiceSession } from '@stagepass/react/audio'
import type { ReactNode } from 'react'
import { PushToTalk, type PushToTalkProps } from '../items/push-to-talk'
import { press, shows } from './press'
import { SILENCE, type Story, until } from './Story'

function Talk(props: Omit<PushToTalkProps, 'session'>): ReactNode {
  return <PushToTalk session={useVoiceSession('stt')} name="Speech-to-Text" {...props} />
}

const Show = (): ReactNode => <Talk />

/** A finger comes down on the button, and stays. */
async function hold(element: HTMLElement): Promise<void> {
  const button = await until(() => element.querySelector('button'))
  button.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true, pointerId: 1 }))
}

export const Off: Story = {
  title: 'Not listening',
  Show,
  play: ({ element }) => shows(element, 'Not listening'),
}

export const NotAllowed: Story = {
  title: 'The microphone is not allowed',
  Show,
  play: async ({ voice, element }) => {
    voice.microphone.setPermission('denied')
    await shows(element, 'is not allowed')
  },
}

export const Held: Story = {
  title: 'Held, and listening',
  Show,
  play: async ({ element }) => {
    await hold(element)
    await until(() => element.querySelector('[data-status=active]'))
  },
}

export const Toggled: Story = {
  title: 'Pressed once, and listening',
  Show: () => <Talk mode="toggle" onMode={() => {}} />,
  play: async ({ element }) => {
    await press(element, 'Press to talk')
    await shows(element, 'Listening, press to stop')
  },
}

export const Waiting: Story = {
  title: 'Held in silence, and nothing is paid',
  Show: function Saving() {
    return <PushToTalk session={useVoiceSession('stt', { silence: SILENCE })} name="Speech-to-Text" />
  },
  play: async ({ element }) => {
    await hold(element)
    await until(() => element.querySelector('[data-status=waiting]'))
  },
}

export const Connecting: Story = {
  title: 'Held, while it connects',
  voice: { faults: [hang({ on: 'token' })] },
  Show,
  play: async ({ element }) => {
    await hold(element)
    await shows(element, 'Listening while it connects')
  },
}

export const LastWords: Story = {
  ...Connecting,
  title: 'Last words on their way',
  play: async ({ element }) => {
    await hold(element)
    await shows(element, 'Listening while it connects')
    window.dispatchEvent(new PointerEvent('pointerup', { pointerId: 1 }))
    await shows(element, 'Last words…')
  },
}

export const Refused: Story = {
  title: 'Microphone refused',
  Show,
  play: async ({ voice, element }) => {
    voice.microphone.refuse()
    await hold(element)
    await shows(element, 'not allowed')
  },
}

export const SignedOut: Story = {
  title: 'Nobody is signed in',
  voice: { user: null },
  Show,
  play: ({ element }) => shows(element, 'Sign in to talk'),
}
