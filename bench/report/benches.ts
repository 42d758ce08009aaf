/** How to run a bench for the page. `--json` returns its ratios. */
export interface Bench {
  /** Its script in bench/package.json. */
  readonly script: string
  readonly title: string
  readonly full: Form
  readonly quick: Form
}

interface Form {
  /** Text for the page. */
  readonly text: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Number of runs, for the range. */
  readonly runs: number
}

const race = (rounds: number, seconds: number, runs: number): Form => ({
  text: `${rounds} ${rounds === 1 ? 'round' : 'rounds'} of ${seconds} s for each contender, in three processes that take turns, 50 connections`,
  env: { ROUNDS: String(rounds), SECONDS: String(seconds) },
  runs,
})

export const BENCHES: readonly Bench[] = [
  { script: 'token-route', title: 'The token route', full: race(6, 2, 3), quick: race(1, 1, 2) },
  {
    script: 'server-code',
    title: 'Code on the same server',
    full: { text: '15 rounds of 1,000 reads, in turns', runs: 3 },
    quick: { text: '3 rounds of 300 reads, in turns', env: { ROUNDS: '3', READS: '300' }, runs: 2 },
  },
  {
    script: 'stream',
    title: 'Streams in the browser',
    full: { text: '5 rounds', args: ['--only', 'open,burst,paced'], runs: 3 },
    quick: { text: '1 round', args: ['--rounds', '1', '--only', 'burst'], runs: 2 },
  },
  {
    script: 'silence',
    title: 'Silence',
    full: {
      text: 'three utterances in 37 s, and `closeAfterMs` of 1,500, in Chromium',
      args: ['--only', 'chromium', '--minutes', '0'],
      runs: 3,
    },
    quick: {
      text: 'three utterances in 37 s, and `closeAfterMs` of 1,500, in Chromium',
      args: ['--only', 'chromium', '--minutes', '0'],
      runs: 1,
    },
  },
  {
    script: 'budget',
    title: 'The budget of an account',
    full: { text: '60 s for each row', runs: 1 },
    quick: { text: '10 s for each row', args: ['--seconds', '10', '--only', 'sliding'], runs: 1 },
  },
]

/** Benches that are not on the page: they print delays, or have a page (docs/decisions/size.md). */
export const OTHERS = [
  'size',
  'server',
  'server-soak',
  'audio',
  'captions',
  'budget-scale',
  'budget-misfortunes',
] as const

/** Packages whose versions the page names. */
export const PEERS = [
  'express',
  'hono',
  '@hono/node-server',
  'http-proxy-middleware',
  'undici',
  'react-use-websocket',
  'react',
] as const
