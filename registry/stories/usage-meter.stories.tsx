import { UsageMeter } from '../items/usage-meter'
import { type Story, until } from './Story'

const Show = () => <UsageMeter product="stt" />

export const Enough: Story = {
  title: 'Enough minutes',
  voice: { usage: { minutesPerDay: 30 } },
  Show,
  play: async ({ element }) => void (await until(() => element.querySelector('[role=meter]'))),
}

export const Uncounted: Story = { title: 'Nothing is counted', Show }

export const Failed: Story = {
  title: 'The minutes are not known',
  voice: { user: null, usage: { minutesPerDay: 30 } },
  Show,
}
