import { useVoiceSession } from '@stagepass/react/audio'
import { type ReactNode, useState } from 'react'
import { DeviceSelect } from '../items/device-select'
import { press, shows } from './press'
import { OF_THE_PAGE, type Story, until } from './Story'

interface PageProps {
  readonly chosen?: string
  readonly name?: string
}

/** A page that keeps the choice. */
function Page({ chosen, name }: PageProps): ReactNode {
  const [deviceId, setDeviceId] = useState(chosen)
  const [speakerId, setSpeakerId] = useState<string>()
  const session = useVoiceSession('stt', {
    microphone: { deviceId },
    playback: { deviceId: speakerId },
  })
  return (
    <>
      <DeviceSelect
        session={session}
        deviceId={deviceId}
        onDevice={setDeviceId}
        speakerId={speakerId}
        onSpeaker={setSpeakerId}
        name={name}
      />
      <p>
        <button type="button" onClick={session.start} style={OF_THE_PAGE}>
          Start
        </button>
      </p>
    </>
  )
}

const Show = (): ReactNode => <Page />

type Stage = Parameters<NonNullable<Story['play']>>[0]

async function start({ voice, element }: Stage): Promise<void> {
  await press(element, 'Start')
  // A device that is pulled out before it gives sound is no device.
  await until(() => voice.emulator.frames.length > 0)
  await shows(element, 'Scripted microphone')
}

export const Unnamed: Story = {
  title: 'Before the microphone is allowed',
  Show,
  play: ({ element }) => shows(element, 'Microphone 1'),
}

export const NotAllowed: Story = {
  title: 'The microphone is not allowed',
  Show,
  play: async ({ voice, element }) => {
    voice.microphone.setPermission('denied')
    await shows(element, 'is not allowed')
  },
}

export const Named: Story = {
  title: 'One of several on a page',
  Show: () => <Page name="Speech-to-Text" />,
  play: ({ element }) => shows(element, 'Microphone 1'),
}

export const Speaking: Story = {
  title: 'The microphone hears',
  Show,
  play: async (stage) => {
    const { voice, element } = stage
    voice.microphone.plug('Headset')
    await start(stage)
    voice.microphone.speak(new Int16Array(16_000 * 600).fill(4_000))
    await until(() => Number(element.querySelector('[role=meter]')?.getAttribute('aria-valuenow')) > 30)
  },
}

export const Muted: Story = {
  title: 'Muted',
  Show,
  play: async (stage) => {
    await start(stage)
    await press(stage.element, 'Mute')
    await shows(stage.element, 'You are not heard.')
  },
}

export const Another: Story = {
  title: 'Another microphone than the chosen one',
  Show: () => <Page chosen="Headset" />,
  play: async (stage) => {
    const { microphone } = stage.voice
    microphone.plug('Headset')
    await start(stage)
    microphone.unplug('Headset')
    await shows(stage.element, 'You are heard through Scripted microphone')
  },
}

export const NoLoudspeaker: Story = {
  title: 'The system chooses the loudspeaker',
  Show,
  play: async ({ voice, element }) => {
    await shows(element, 'Loudspeaker')
    // As in Firefox and Safari.
    Reflect.deleteProperty(AudioContext.prototype, 'setSinkId')
    voice.microphone.plug('Headset')
    await until(() => !element.textContent.includes('Loudspeaker'))
  },
}
