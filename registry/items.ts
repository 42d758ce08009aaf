/** A row of the list. */
interface Item {
  readonly title: string
  readonly description: string
  /** Its keys besides Tab, and the action of each. */
  readonly keys?: Readonly<Record<string, string>>
}

/**
 * The items of the registry. Each is `items/<name>.tsx` and `items/<name>.css`, with the hooks that it
 * imports.
 */
export const ITEMS = {
  captions: {
    title: 'Captions',
    description: 'What is said, as it is heard. Size, contrast, background and lines are the reader’s.',
    keys: {
      'Arrow keys, Page Up, Page Down, Home, End': 'On the lines: scroll. End goes on with the newest ones.',
      'Space, Enter': 'On To the newest: the same. On Appearance of the captions: unfold the choices.',
      Space: 'On the switch: turns the reading of final lines by a screen reader on or off.',
    },
  },
  'push-to-talk': {
    title: 'Push to talk',
    description: 'A button that is held, or pressed twice, to talk. It never leaves the microphone on.',
    keys: {
      'Space, Enter':
        'Held on the button: you are heard, until the key is released. With the switch on: one press begins, the next one ends.',
      Space: 'On the switch: holding, or pressing once.',
    },
  },
  'voice-session': {
    title: 'Voice session',
    description:
      'Start, pause and end, the devices behind a button, what the connection does, and what to do if it fails.',
    keys: {
      'Space, Enter':
        'Press the button that has the focus. It keeps the focus when it becomes another: Start, End, Try again. On Devices: unfold the choices.',
    },
  },
  'device-select': {
    title: 'Device select',
    description: 'Which microphone and which loudspeaker, with the level of the voice.',
    keys: {
      'Arrow keys': 'In a menu: another device, at once.',
      'Space, Enter': 'On Mute: you are not heard, or again.',
    },
  },
  'meetings-list': {
    title: 'Meetings list',
    description: 'Search, filters, an endless list, and each meeting in detail.',
    keys: {
      'Space, Enter':
        'On a meeting: opens it, or closes it. On “Load more”: the focus goes on to the first new meeting.',
      'Arrow keys': 'In a menu or a date: another value, at once.',
    },
  },
  'usage-meter': {
    title: 'Usage meter',
    description:
      'The minutes of today: how many are left, what silence has saved, and when there are new ones.',
    keys: { 'Space, Enter': 'If the minutes cannot be read: try again, or copy the id for support.' },
  },
  'voice-page': {
    title: 'Voice page',
    description: 'A whole page: captions with their controls and devices, minutes and meetings.',
  },
} as const satisfies Readonly<Record<string, Item>>

/** Name of an item. */
export type ItemName = keyof typeof ITEMS
