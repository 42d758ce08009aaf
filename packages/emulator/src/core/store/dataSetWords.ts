import type { Participant } from '@stagepass/contract'

/** A kind of recurring meeting, and what is said in it. All of it is invented. */
export interface Series {
  readonly titles: readonly [string, ...string[]]
  readonly tags: readonly string[]
  readonly minutes: readonly [shortest: number, longest: number]
  readonly summary: readonly [string, ...string[]]
  readonly actions: readonly [string, ...string[]]
  readonly lines: readonly [string, ...string[]]
}

export const SERIES: readonly [Series, ...Series[]] = [
  {
    titles: ['Weekly planning', 'Sprint planning', 'Planning: next two weeks'],
    tags: ['tag-planning', 'tag-engineering'],
    minutes: [25, 60],
    summary: [
      'Capacity is lower than usual because of the holidays.',
      'The import rewrite moves to the next sprint.',
      'Two roadmap items were merged into one.',
    ],
    actions: [
      'Split the import story into three',
      'Update the roadmap board',
      'Ask design for the empty states',
    ],
    lines: [
      'Shall we go through the board from right to left?',
      'I think the estimate is fine if the tests are in it.',
      'That one depends on the migration, so let us park it.',
      'I can pair with you on it on Wednesday.',
    ],
  },
  {
    titles: ['Customer call: Northwind', 'Customer call: Brightside Clinics', 'Onboarding: Harbor & Sons'],
    tags: ['tag-customer', 'tag-sales'],
    minutes: [30, 55],
    summary: [
      'They want single sign-on before the pilot starts.',
      'Call quality is the reason why they look for another vendor.',
      'The budget is approved for this quarter.',
    ],
    actions: [
      'Send the security questionnaire',
      'Prepare a quote for forty seats',
      'Book the technical deep dive',
    ],
    lines: [
      'How long do you keep the recordings?',
      'Our agents sit in an open office, so the background noise is terrible.',
      'Could we see the dashboard that you mentioned?',
      'We would start with two teams and grow from there.',
    ],
  },
  {
    titles: ['Design review: onboarding', 'Design review: meeting page', 'Design critique'],
    tags: ['tag-design', 'tag-product'],
    minutes: [35, 60],
    summary: [
      'The second version of the onboarding is clearer.',
      'Contrast of the secondary buttons is too low.',
      'The timeline stays, the tabs go.',
    ],
    actions: [
      'Try the layout at phone width',
      'Test the flow with five users',
      'Write the empty state texts',
    ],
    lines: [
      'My eye goes to the picture first and then nowhere.',
      'What happens here when there is nothing to show?',
      'I like that the search stays where it is.',
    ],
  },
  {
    titles: ['Roadmap workshop', 'Product sync', 'Release readiness'],
    tags: ['tag-product', 'tag-planning'],
    minutes: [45, 90],
    summary: [
      'Translation leaves beta in the next release.',
      'The mobile app waits for the new audio engine.',
      'Release notes need examples.',
    ],
    actions: ['Decide on the name of the feature', 'Write the release notes', 'Plan the beta survey'],
    lines: [
      'What would make us say no to this?',
      'People ask for it, but do they use what is there?',
      'I would ship it behind a flag first.',
    ],
  },
]

const NAMES =
  'Maya Okafor, Jonas Lindqvist, Zoë Marchetti, Ravi Subramanian, Hanna Kowalczyk, Tomás Herrera, Mei Tanaka, ' +
  'Oliver Brandt, Fatima El Amrani, Grace Whitfield, Luca Ferraro, Ingrid Solheim'

export const PEOPLE: readonly Participant[] = [
  ...NAMES.split(', ').map(createPerson),
  // Guests: the service knows little about them.
  { email: 'guest.northwind@example.net', first_name: null, last_name: null, status: 'invited', photo: null },
  { email: null, first_name: 'Front desk', last_name: null, status: null, photo: null },
]

function createPerson(name: string): Participant {
  const [first_name = '', ...others] = name.split(' ')
  const address = name
    .normalize('NFD')
    .replace(' ', '.')
    .replace(/[^a-zA-Z.]/g, '')
    .toLowerCase()
  return {
    email: `${address}@example.com`,
    first_name,
    last_name: others.join(' '),
    status: 'attended',
    photo: `https://example.com/people/${address}.jpg`,
  }
}
