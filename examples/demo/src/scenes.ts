import { type UserId, USERS } from './users.js'

/** What a scene can do with the page. */
export interface Stage {
  readonly isPhone: boolean
  readonly setPhone: (isPhone: boolean) => void
  readonly openFaults: () => void
  readonly user: UserId
  readonly signIn: (user: UserId) => void
  /** Shows a tab, by its id in `VIEWS`. */
  readonly show: (view: string) => void
}

interface Scene {
  readonly id: string
  readonly title: string
  /** What one sees, in a sentence. */
  readonly sentence: string
  /** For a scene that can be left again: it is on. */
  readonly isOn?: (stage: Stage) => boolean
  readonly press: (stage: Stage) => void
}

/** What to try besides the tabs. Another one is a row. */
export const SCENES: readonly Scene[] = [
  {
    id: 'faults',
    title: 'Let it fail',
    sentence: 'Choose an error of the service, and see what the page says and how it comes back.',
    press: ({ openFaults }) => openFaults(),
  },
  {
    id: 'silence',
    title: 'Silence costs nothing',
    sentence: 'The stream closes in silence: two bars show what is paid with the option and without it.',
    press: ({ show }) => show('silence'),
  },
  {
    id: 'customer',
    title: 'A key of each customer',
    sentence: 'Ben belongs to another customer: the server takes the key of that customer for him.',
    isOn: ({ user }) => USERS[user].customer !== undefined,
    press: ({ user, signIn }) => signIn(user === 'ben' ? 'ada' : 'ben'),
  },
  {
    id: 'phone',
    title: 'On a phone',
    sentence: 'The same page, 390 pixels wide; streams go on.',
    isOn: ({ isPhone }) => isPhone,
    press: ({ isPhone, setPhone }) => setPhone(!isPhone),
  },
]
