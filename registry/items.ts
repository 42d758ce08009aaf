/** What is in the registry: each item is `items/<name>.tsx` and `items/<name>.css`. */
export const ITEMS = {
  captions: {
    title: 'Captions',
    description: 'What is said, as it is heard. Size, contrast, background and lines are the reader’s.',
    packages: ['@stagepass/react'],
    items: [],
  },
  'push-to-talk': {
    title: 'Push to talk',
    description: 'A button that is held, or pressed twice, to talk. It never leaves the microphone on.',
    packages: ['@stagepass/react'],
    items: [],
  },
  'voice-session': {
    title: 'Voice session',
    description: 'Start, pause and end, what the connection does, and what to do if it fails.',
    packages: ['@stagepass/react'],
    items: [],
  },
  'device-select': {
    title: 'Device select',
    description: 'Which microphone and which loudspeaker, with the level of the voice.',
    packages: ['@stagepass/react', '@stagepass/audio'],
    items: [],
  },
  'meetings-list': {
    title: 'Meetings list',
    description: 'Search, filters, an endless list, and one meeting.',
    packages: ['@stagepass/react'],
    items: [],
  },
  'usage-meter': {
    title: 'Usage meter',
    description: 'The minutes of today: how many are left, and when there are new ones.',
    packages: ['@stagepass/react'],
    items: [],
  },
  'voice-page': {
    title: 'Voice page',
    description: 'A whole page: captions, push to talk, devices, minutes and meetings.',
    packages: ['@stagepass/react'],
    items: ['captions', 'push-to-talk', 'voice-session', 'device-select', 'meetings-list', 'usage-meter'],
  },
} as const

/** Name of an item. */
export type ItemName = keyof typeof ITEMS
