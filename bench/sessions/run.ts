import { startRedis } from '@stagepass/testing'
import { createSessions } from '@stagepass/budget'
import { redisOn } from '../../packages/budget/src/redis/redisOn.test.kit.js'
import { runPages, type Scene } from '../../packages/budget/src/sessions/runPages.test.kit.js'
import { readOptions } from '../../scripts/options.js'
import { createRecorder } from '../report/createRecorder.js'
import { formatRatio } from '../report/figures.js'
import { retryAlone } from './retryAlone.js'

/*
 * Pages that share the simultaneous sessions of an account, beside the same pages that each retry by themselves.
 * On a virtual clock; several instances share a real redis-server, which reads that clock.
 * `npm run sessions -w @stagepass/bench`
 */

const { values } = readOptions('npm run sessions -w @stagepass/bench -- [--seed 1]', {
  options: { seed: { type: 'string', default: '1' } },
})
const seed = Number(values.seed)
const recorder = createRecorder()
await using server = await startRedis()
const client = await server.connect()

type Result = Awaited<ReturnType<typeof runPages>>

const FIGURES = {
  tokens: ['tokens', ({ leases }) => leases],
  refused: ['refused handshakes', ({ refused }) => refused],
  mostRefused: ['refused handshakes of one page', ({ mostRefusals }) => mostRefusals],
  idleS: ['longest idle time of a session given back, s', ({ idleMs }) => idleMs / 1_000],
  ratio: ['longest wait, beside the ideal of a fair order', ({ ratio }) => ratio],
  longestS: ['longest wait, s', ({ longestMs }) => longestMs / 1_000],
  othersS: ['longest wait of the other users, s', ({ lightMs }) => lightMs / 1_000],
  failed: ['failed pages', ({ failed, stuck }) => failed + stuck],
} satisfies Record<string, readonly [what: string, read: (result: Result) => number]>

type Figure = keyof typeof FIGURES

/** Shown only where they have an aim, or a figure to compare. */
const SPECIAL: readonly Figure[] = ['mostRefused', 'longestS', 'othersS']

type Figures = Partial<Record<Figure, number>>

/** The most that each figure may be, with the number given or learned. */
type AimsOf = (result: Result, isGiven: boolean) => Figures

const INSTANCES = 4

let accounts = 0

function withQueue(scene: Scene, isGiven: boolean, instances: number): Promise<Result> {
  return runPages({
    ...scene,
    createInstances(clock) {
      const account = `bench-${(accounts += 1)}`
      const shared = instances > 1 && { account, redis: redisOn(client, clock).evaluate }
      const options = { clock, ...shared, ...(isGiven && { max: scene.allowed }) }
      return Array.from({ length: instances }, () => createSessions(options))
    },
  })
}

/**
 * Runs the pages with the number given, with the number learned, and without the option. `planned`: what a
 * simulation of the design had, of one seed. It is no aim.
 */
async function compare(name: string, given: Scene, aimsOf: AimsOf, planned: Figures = {}): Promise<void> {
  const scene = { ...given, seed }
  const instances = scene.pages === 200 ? INSTANCES : 1
  const alone = await runPages({
    ...scene,
    createInstances: (clock, random) => [retryAlone(clock, random)],
  })
  for (const isGiven of [true, false]) {
    const result = await withQueue(scene, isGiven, instances)
    const aims = aimsOf(result, isGiven)
    const number = isGiven ? 'max given' : `max learned: ${result.number ?? 'nothing'}`
    console.log(`\n${name}; ${instances === 1 ? '1 instance' : `${instances} instances`}, ${number}`)
    for (const figure of Object.keys(FIGURES) as Figure[]) {
      const atMost = aims[figure]
      const plan = planned[figure]
      if (atMost === undefined && plan === undefined && SPECIAL.includes(figure)) continue
      const [what, read] = FIGURES[figure]
      const aim = atMost === undefined ? undefined : { atMost }
      const beside = `without the option ${formatRatio(read(alone))}${plan === undefined ? '' : `, planned ${plan}`}`
      recorder.hold(`${what}; ${beside}; with it`, read(result), aim)
    }
  }
}

/** Tries for one session more, in an hour. No run is longer. */
const TRIES = 10

const tokens = ({ early, refused }: Result, isGiven: boolean, pages: number): Figures =>
  isGiven ? { tokens: pages, refused: 0 } : { tokens: pages + refused, refused: early + TRIES }

const SIZES = [
  [12, 4],
  [30, 10],
  [200, 20],
] as const

for (const [pages, allowed] of SIZES)
  for (const holdS of [5, 60])
    await compare(
      `${pages} pages, ${allowed} sessions of ${holdS} s`,
      { pages, allowed, holdMs: holdS * 1_000 },
      (result, isGiven) => ({
        ...tokens(result, isGiven, pages),
        idleS: holdS === 60 ? 2 : 4,
        ratio: 1.3,
        failed: 0,
      }),
    )

for (const [pages, allowed] of SIZES)
  await compare(
    `${pages} pages with a warm token, ${allowed} sessions of 60 s`,
    { pages, allowed, holdMs: 60_000, isWarm: true },
    ({ refused }, isGiven) => ({
      tokens: pages + refused,
      ...(isGiven ? { mostRefused: 1 } : { refused: pages + TRIES }),
      idleS: 2,
      ratio: 1.3,
      failed: 0,
    }),
  )

const LATER = { pages: 200, allowed: 20, holdMs: 60_000, load: 1.05 } as const
const later = '200 pages over time, 20 sessions of about 60 s'

await compare(later, LATER, (result, isGiven) => ({ ...tokens(result, isGiven, 200), ratio: 1.3, failed: 0 }))
await compare(
  `${later}, 20 % drops that are counted for 30 s more`,
  { ...LATER, drop: 0.2 },
  (_, isGiven) => ({ ...(isGiven && { refused: 100, mostRefused: 6 }), failed: 0 }),
  { refused: 92, mostRefused: 6 },
)
await compare(`${later}, 20 % crashes`, { ...LATER, crash: 0.2 }, (_, isGiven) => ({
  ...(isGiven && { refused: 0 }),
  idleS: 25,
  failed: 0,
}))
await compare(
  `${later}, 20 % crashes, half of the pages hidden`,
  { ...LATER, crash: 0.2, hidden: 0.5 },
  () => ({ idleS: 75, failed: 0 }),
)
await compare(
  `${later}, half of the pages hidden`,
  { ...LATER, hidden: 0.5 },
  () => ({ ratio: 1.3, failed: 0 }),
  {
    longestS: 190,
  },
)
await compare(
  '20 users, and one who asks for 100 first; 4 sessions of 20 s',
  { pages: 120, allowed: 4, holdMs: 20_000, greedy: 100 },
  () => ({ othersS: 130, failed: 0 }),
  { othersS: 122 },
)

recorder.end()
