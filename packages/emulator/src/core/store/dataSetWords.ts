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
    titles: ['Daily stand-up', 'Stand-up'],
    tags: ['tag-engineering'],
    minutes: [8, 16],
    summary: ['No blockers.', 'The staging environment was down for an hour.', 'One review is overdue.'],
    actions: ['Restart the staging database', 'Review the open pull request'],
    lines: [
      'Yesterday I finished the export, today I write its tests.',
      'I am stuck on the certificate, could somebody help me?',
      'Nothing new from my side.',
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
    titles: ['Incident review', 'Post-mortem: delayed transcripts'],
    tags: ['tag-engineering', 'tag-incident'],
    minutes: [40, 75],
    summary: [
      'A queue filled up because one consumer did not acknowledge.',
      'The alert came eleven minutes late.',
      'No data was lost.',
    ],
    actions: ['Lower the alert threshold', 'Add a dead letter queue', 'Write the status page entry'],
    lines: [
      'When did we know, and when could we have known?',
      'The retry made it worse, because all of them retried at the same moment.',
      'I would rather drop than block here.',
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

export const PEOPLE: readonly [Participant, ...Participant[]] = [
  person('Maya', 'Okafor'),
  person('Jonas', 'Lindqvist'),
  person('Zoë', 'Marchetti'),
  person('Ravi', 'Subramanian'),
  person('Hanna', 'Kowalczyk'),
  person('Tomás', 'Herrera'),
  person('Mei', 'Tanaka'),
  person('Oliver', 'Brandt'),
  person('Fatima', 'El Amrani'),
  person('Grace', 'Whitfield'),
  person('Luca', 'Ferraro'),
  person('Ingrid', 'Solheim'),
  // Guests: the service knows little about them.
  { email: 'guest.northwind@example.net', first_name: null, last_name: null, status: 'invited', photo: null },
  { email: null, first_name: 'Front desk', last_name: null, status: null, photo: null },
]

function person(firstName: string, lastName: string): Participant {
  const name = `${firstName}.${lastName}`
    .normalize('NFD')
    .replace(/[^a-zA-Z.]/g, '')
    .toLowerCase()
  return {
    email: `${name}@example.com`,
    first_name: firstName,
    last_name: lastName,
    status: 'attended',
    photo: `https://example.com/people/${name}.jpg`,
  }
}
