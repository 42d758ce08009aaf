import { fail, hang, oddFields, respond } from '@stagepass/emulator/browser'
import type { TestVoiceOptions } from '@stagepass/react/testing'
import { MeetingsList } from '../items/meetings-list'
import { type Story, until } from './Story'

const TITLES = ['Roadmap', 'Design review', 'Interview', 'Retrospective', 'Budget', 'Customer call']
const TAGS = [
  ['tag-product'],
  ['tag-product', 'tag-design'],
  ['tag-hiring'],
  [],
  ['tag-finance'],
  ['tag-sales'],
]
const DAY_MS = 86_400_000

/** The newest one first, each a day before the one above it. */
const MEETINGS = Array.from({ length: 45 }, (_, index) => ({
  id: `m${index + 1}`,
  title: index === 3 ? null : `${TITLES[index % TITLES.length]} ${index + 1}`,
  started_at: new Date(Date.UTC(2026, 0, 30, 9) - index * DAY_MS).toISOString(),
  duration: 900 + 600 * (index % 6),
  source: index % 4 === 2 ? 'upload' : 'zoom',
  tags: TAGS[index % TAGS.length] ?? [],
  visibility: index % 4 === 1 ? ('shared' as const) : ('owned' as const),
  participants: [
    { first_name: 'Ada', last_name: 'Lovelace', email: 'ada@example.com' },
    { first_name: null, last_name: null, email: 'ben@example.com' },
  ],
}))

const voice: TestVoiceOptions = { meetings: MEETINGS }
const Show = () => <MeetingsList />

type Play = NonNullable<Story['play']>
type Stage = Parameters<Play>[0]

const rowsOf = (element: HTMLElement): HTMLElement[] => [
  ...element.querySelectorAll<HTMLElement>('h4 > button'),
]

type Find = (element: HTMLElement) => unknown

const firstRow = (element: HTMLElement): HTMLElement | false | null | undefined =>
  element.querySelector('[aria-busy=false]') && rowsOf(element)[0]

const has =
  (text: string): Find =>
  (element) =>
    element.textContent.includes(text)

const is =
  (selector: string): Find =>
  (element) =>
    element.querySelector(selector)

const ALERT = is('[role=alert]')

/** The state in which `find` finds something. `act` happens before, when the first page is there. */
const shows = (find: Find, act?: (stage: Stage, row: HTMLElement) => void): Play => {
  return async (stage) => {
    if (act) act(stage, await until(() => firstRow(stage.element)))
    await until(() => find(stage.element))
  }
}

/** Writes into the control with this name, as a user does. */
function write(element: HTMLElement, name: string, value: string): void {
  const control = element.querySelector<HTMLInputElement>(`[name=${name}]`)
  if (!control) throw new Error(`There is no control ${name}.`)
  // React does not see a value that is set by its own setter.
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(control), 'value')?.set?.call(control, value)
  control.dispatchEvent(new Event(control.tagName === 'SELECT' ? 'change' : 'input', { bubbles: true }))
}

export const Listed: Story = {
  title: 'Meetings',
  voice,
  Show,
  play: shows(firstRow),
}

export const Open: Story = {
  title: 'A meeting is open',
  voice,
  Show,
  play: shows(has('People: '), (_, row) => row.click()),
}

export const Odd: Story = {
  title: 'Values that cannot be read',
  voice: {
    ...voice,
    faults: [
      oddFields(
        {
          title: { en: 'Roadmap' },
          started_at: 'tomorrow',
          duration: '63 min',
          source: {},
          ownership: [],
          tags: 5,
          participants: 'many',
        },
        { id: 'm1' },
      ),
    ],
  },
  Show,
  play: shows(has('Load again'), (_, row) => row.click()),
}

export const Processing: Story = {
  title: 'The meeting is still processed',
  voice: { meetings: [...MEETINGS, { id: 'new', title: 'Stand-up', processing: true }] },
  Show: () => <MeetingsList openId="new" />,
  play: shows(has('still being processed'), () => {}),
}

export const WithNotes: Story = {
  title: 'A meeting with further content',
  voice,
  Show: () => <MeetingsList openId="m1">{({ id }) => <p>The notes of {id}.</p>}</MeetingsList>,
  play: shows(has('People: '), () => {}),
}

export const Filtered: Story = {
  title: 'A search',
  voice,
  Show,
  play: shows(has('7 of 7 meetings'), ({ element }) => write(element, 'search', 'budget')),
}

export const NoMatch: Story = {
  title: 'No meeting matches',
  voice,
  Show,
  play: shows(has('No meeting matches'), ({ element }) => write(element, 'search', 'zebra')),
}

export const NoMeetings: Story = {
  title: 'There are no meetings yet',
  Show,
  play: shows(has('no meetings yet')),
}

export const WrongDays: Story = {
  title: 'The first day is after the last one',
  voice,
  Show,
  play: shows(ALERT, ({ element }) => {
    write(element, 'from', '2026-01-20')
    write(element, 'to', '2026-01-10')
  }),
}

export const FutureDay: Story = {
  title: 'The last day is in the future',
  voice,
  Show,
  play: shows(ALERT, ({ element }) => write(element, 'to', '2099-01-01')),
}

export const LessAllowed: Story = {
  title: 'A user who may not see people, tags and what others share',
  voice: {
    ...voice,
    user: 'ben',
    meetingsGrant: { ownership: 'mine', fields: ['title', 'started_at', 'duration'] },
  },
  Show: () => <MeetingsList filters={['search', 'sort', 'from', 'to']} />,
  play: shows(is('li > div'), (_, row) => row.click()),
}

export const NotAllowed: Story = {
  title: 'A user who may see no meetings',
  voice: { ...voice, meetingsGrant: null },
  Show,
  play: shows(ALERT),
}

export const Loading: Story = {
  title: 'The first page is on its way',
  voice: { ...voice, faults: [hang({ on: 'list' })] },
  Show,
  play: shows(is('ul[aria-busy=true]')),
}

export const Waiting: Story = {
  title: 'The service has a problem, and is asked again',
  voice: {
    ...voice,
    faults: [
      respond({ status: 500, body: { req_id: '4711c0de-0000-4000-8000-00000000ada1' } }, { on: 'list' }),
    ],
  },
  Show,
  play: shows(is('.failure')),
}

export const Failed: Story = {
  title: 'The first page is refused',
  voice: {
    ...voice,
    faults: [
      respond(
        { status: 403, body: { req_id: '4711c0de-0000-4000-8000-00000000ada1' } },
        { on: 'list', times: 1 },
      ),
    ],
  },
  Show,
  play: shows(ALERT),
}

export const FailedLater: Story = {
  title: 'A later page is refused',
  voice,
  Show,
  play: shows(ALERT, ({ voice, element }) => {
    voice.emulator.use(fail('SCOPE_MISSING', { on: 'list', times: 1 }))
    element.querySelector<HTMLElement>('ul ~ button')?.click()
  }),
}

export const NotRefreshed: Story = {
  title: 'A refresh fails',
  voice,
  Show,
  play: shows(ALERT, ({ voice, element }) => {
    voice.user = null
    element.querySelector<HTMLElement>('h3 + button')?.click()
  }),
}

export const Gone: Story = {
  title: 'A meeting is there no longer',
  voice,
  Show,
  play: shows(ALERT, ({ voice }, row) => {
    voice.emulator.meetings.remove('m1')
    row.click()
  }),
}

export const AddedLater: Story = {
  title: 'A meeting was added long after it took place',
  voice: {
    meetings: [
      { id: 'm1', title: 'Upload', started_at: '2026-01-05T09:00:00Z', created_at: '2026-01-29T09:00:00Z' },
      { id: 'm2', title: 'Stand-up', started_at: '2026-01-28T09:00:00Z', created_at: '2026-01-28T09:30:00Z' },
    ],
  },
  Show,
  play: shows(firstRow),
}

export const German: Story = {
  title: 'A page in German',
  voice,
  lang: 'de',
  Show,
  play: shows(firstRow),
}
