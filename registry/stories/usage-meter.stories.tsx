import { useStream, useUsage } from '@stagepass/react'
import { UsageMeter } from '../items/usage-meter'
import { OF_THE_PAGE, type Story, until } from './Story'

const Show = () => <UsageMeter product="stt" />

const play: Story['play'] = async ({ element }) => void (await until(() => element.querySelector('section')))

export const Enough: Story = { title: 'Enough minutes', voice: { usage: { minutesPerDay: 30 } }, Show, play }

export const NearlyGone: Story = {
  title: 'Minutes nearly gone',
  voice: { usage: { minutesPerDay: 60 }, usedMinutes: 54 },
  Show,
  play,
}

export const TooFew: Story = {
  title: 'Too few minutes to start again',
  voice: { usage: { minutesPerDay: 30 }, usedMinutes: 26 },
  Show,
  play,
}

export const Gone: Story = {
  title: 'Minutes gone',
  voice: { usage: { minutesPerDay: 30 }, usedMinutes: 30 },
  Show,
  play,
}

export const Unlimited: Story = {
  title: 'Counted, without a limit',
  voice: { usage: {}, usedMinutes: 12 },
  Show,
  play,
}

export const Saved: Story = {
  title: 'Minutes saved in silence',
  voice: { usage: { minutesPerDay: 30 }, usedMinutes: 11 },
  Show: () => <UsageMeter product="stt" savedMs={260_000} />,
  play,
}

export const Counting: Story = {
  title: 'A stream is open, and the time goes on',
  voice: { usage: { minutesPerDay: 30 }, usedMinutes: 11 },
  Show: function Dictation() {
    useStream('stt')
    return <UsageMeter product="stt" />
  },
  // A busy page may leave out a second.
  play: async ({ element }) => void (await until(() => /11:[0-5][1-9]/.test(element.textContent))),
}

export const German: Story = {
  title: 'A page in German',
  voice: { usage: { minutesPerDay: 30 }, usedMinutes: 30 },
  lang: 'de',
  Show,
  play,
}

export const Uncounted: Story = {
  title: 'Nothing is counted',
  Show,
  play: ({ voice }) =>
    new Promise((resolve) => {
      voice.emulator.onWire(({ type }) => (type === 'response' ? resolve() : undefined))
      voice.client.reset()
    }),
}

export const Failed: Story = {
  title: 'The login has expired',
  voice: { usage: { minutesPerDay: 30 } },
  Show,
  play: async ({ voice, element }) => {
    voice.user = null
    // The request is sent again.
    voice.client.reset()
    await until(() => element.querySelector('[role=alert]'))
  },
}

export const FailedLater: Story = {
  title: 'The login expires while the minutes are shown',
  voice: { usage: { minutesPerDay: 30 }, usedMinutes: 11 },
  Show: function Page() {
    const { refetch } = useUsage('stt')
    return (
      <>
        <UsageMeter product="stt" />
        <button onClick={() => void refetch()} style={OF_THE_PAGE}>
          Look again
        </button>
      </>
    )
  },
  play: async ({ voice, element }) => {
    await until(() => element.querySelector('[role=meter]'))
    voice.user = null
    element.querySelector<HTMLElement>('button')?.click()
    await until(() => element.querySelector('[role=alert]'))
  },
}
