import type { Participant } from '@stagepass/contract'

/** A kind of recurring meeting, and its invented texts. */
export interface Series {
  readonly titles: readonly string[]
  readonly tags: readonly string[]
  readonly minutes: readonly [shortest: number, longest: number]
  readonly summary: readonly string[]
  readonly actions: readonly string[]
  readonly lines: readonly string[]
}

/** One block for each series, one line for each field of `Series`. */
const TEXT = `
Weekly planning | Sprint planning | Planning: next two weeks
tag-planning | tag-engineering
25 | 60
Capacity is lower than usual because of the holidays. | The import rewrite moves to the next sprint. | Two roadmap items were merged into one.
Split the import story into three | Update the roadmap board | Ask design for the empty states
Shall we go through the board from right to left? | I think the estimate is fine if the tests are in it. | That one depends on the migration, so let us park it. | I can pair with you on it on Wednesday.

Daily stand-up | Stand-up
tag-engineering
8 | 16
No blockers. | The staging environment was down for an hour. | One review is overdue.
Restart the staging database | Review the open pull request
Yesterday I finished the export, today I write its tests. | I am stuck on the certificate, could somebody help me? | Nothing new from my side.

Customer call: Northwind | Customer call: Brightside Clinics | Onboarding: Harbor & Sons
tag-customer | tag-sales
30 | 55
They want single sign-on before the pilot starts. | Call quality is the reason why they look for another vendor. | The budget is approved for this quarter.
Send the security questionnaire | Prepare a quote for forty seats | Book the technical deep dive
How long do you keep the recordings? | Our agents sit in an open office, so the background noise is terrible. | Could we see the dashboard that you mentioned? | We would start with two teams and grow from there.

Design review: onboarding | Design review: meeting page | Design critique
tag-design | tag-product
35 | 60
The second version of the onboarding is clearer. | Contrast of the secondary buttons is too low. | The timeline stays, the tabs go.
Try the layout at phone width | Test the flow with five users | Write the empty state texts
My eye goes to the picture first and then nowhere. | What happens here when there is nothing to show? | I like that the search stays where it is.

Incident review | Post-mortem: delayed transcripts
tag-engineering | tag-incident
40 | 75
A queue filled up because one consumer did not acknowledge. | The alert came eleven minutes late. | No data was lost.
Lower the alert threshold | Add a dead letter queue | Write the status page entry
When did we know, and when could we have known? | The retry made it worse, because all of them retried at the same moment. | I would rather drop than block here.

Roadmap workshop | Product sync | Release readiness
tag-product | tag-planning
45 | 90
Translation leaves beta in the next release. | The mobile app waits for the new audio engine. | Release notes need examples.
Decide on the name of the feature | Write the release notes | Plan the beta survey
What would make us say no to this? | People ask for it, but do they use what is there? | I would ship it behind a flag first.
`

export const SERIES: readonly Series[] = TEXT.trim()
  .split('\n\n')
  .map((block) => {
    const [titles = [], tags = [], minutes = [], summary = [], actions = [], lines = []] = block
      .split('\n')
      .map((line) => line.split(' | '))
    const [shortest, longest] = minutes
    return { titles, tags, minutes: [Number(shortest), Number(longest)], summary, actions, lines }
  })

const NAMES =
  'Maya Okafor, Jonas Lindqvist, Zoë Marchetti, Ravi Subramanian, Hanna Kowalczyk, Tomás Herrera, Mei Tanaka, ' +
  'Oliver Brandt, Fatima El Amrani, Grace Whitfield, Luca Ferraro, Ingrid Solheim'

export const PEOPLE: readonly Participant[] = [
  ...NAMES.split(', ').map(createPerson),
  // Guests, about whom the service knows little.
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
