import { VoicePage } from '../items/voice-page'
import { type Story, until } from './Story'

const Show = () => <VoicePage onSignIn={() => {}} />

export const AllOfIt: Story = {
  title: 'All of it',
  voice: {
    usage: { minutesPerDay: 30 },
    usedMinutes: 4,
    meetings: [
      { id: 'm1', title: 'Roadmap', started_at: '2026-11-02T09:00:00Z', duration: 1_800 },
      { id: 'm2', title: 'Review', started_at: '2026-11-03T14:30:00Z', duration: 2_700 },
    ],
  },
  Show,
  play: async ({ element }) => void (await until(() => element.querySelector('li'))),
}
