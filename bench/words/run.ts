import { setTimeout as passed } from 'node:timers/promises'
import { startPlaywright } from '@stagepass/testing/engines'
import { readOptions } from '../../scripts/options.js'
import { startSite } from '../browser/startSite.js'
import { createRecorder } from '../report/createRecorder.js'
import { bundlePlans } from './bundlePlans.js'
import { compare, mapValues, paidMs, type Time, type Words } from './compare.js'
import { type Kind, type KindName, KINDS, lengthOf, timesOf } from './faults.js'
import { createRandom, createRecording, read } from './recording.js'
import { startRelay } from './startRelay.js'

/*
 * What becomes of the words that a user says while a connection is lost. In a browser, with a relay between the
 * page and the service; or in random plans of faults, on a virtual clock. And what it costs a page.
 * `npm run words -w @stagepass/bench`
 */

const { values } = readOptions(
  `npm run words -w @stagepass/bench -- [--engine chromium|firefox] [--only <kind>] [--without-times] [--seed 1]
npm run words -w @stagepass/bench -- --plans 1000 [--only <kind>] [--without-times] [--seed 1]
npm run words -w @stagepass/bench -- --cost 5

  --without-times   a service that does not say until which ms its final texts are
  --cost <rounds>   time of a page's main thread, beside that of a page without resend
  --only <kind>     may be repeated
  --seed            of the speech; of the first plan, and the next ones count up`,
  {
    options: {
      engine: { type: 'string', default: 'chromium' },
      only: { type: 'string', multiple: true },
      plans: { type: 'string' },
      cost: { type: 'string' },
      seed: { type: 'string', default: '1' },
      'without-times': { type: 'boolean', default: false },
    },
  },
)
const seed = Number(values.seed)
const times = !values['without-times']
const recorder = createRecorder()

/** Longer ones are for the virtual clock. */
const LONGEST_MS = values.plans === undefined ? 120_000 : Infinity
const kinds = (Object.entries(KINDS) as [KindName, Kind][]).filter(
  ([name, kind]) => values.only?.includes(name) ?? lengthOf(kind) <= LONGEST_MS,
)

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`

/** `count`: of plans, over which the words and the time are sums. */
function report(kind: KindName, words: Words, time: Time, count: number, detail: string): void {
  const { isUnnoticed }: Kind = KINDS[kind]
  const aim = isUnnoticed ? undefined : { atMost: 100 }
  recorder.hold(`${kind}: ms that never reached the service`, words.lost / count, aim)
  recorder.hold(`${kind}: ms that came again after they were final`, words.twice / count)
  console.log(
    `          sent again ${seconds(words.again / count)}, without a final text ${seconds(words.withoutText / count)}, paid ${seconds(time.paidMs / count)} for ${seconds(time.saidMs / count)}, ${detail}`,
  )
}

/** The windows of the measurement have 20 ms. */
const UNSURE_MS = 40

async function inBrowser(): Promise<void> {
  const engine = values.engine === 'firefox' ? 'firefox' : 'chromium'
  const lengthMs = Math.max(...kinds.map(([, kind]) => lengthOf(kind)))
  const recording = createRecording(lengthMs, seed)
  const random = createRandom(seed)
  const paths = kinds.map((_, index) => `/kind-${index}`)
  const relays = await Promise.all(kinds.map(([, { delayMs }]) => startRelay(delayMs)))
  await using site = await startSite(new URL('./page.tsx', import.meta.url), { paths, relays })
  await using driver = await startPlaywright(engine)
  const page = await driver.browser.newPage()
  await page.goto(site.url)
  await page.waitForFunction('"bench" in window')
  await page.evaluate(`bench.start(...${JSON.stringify([paths, times, lengthMs, seed])})`)
  await page.evaluate('bench.play()')
  const timers = kinds.flatMap(([, kind], index) =>
    timesOf(kind, recording).map((atMs) =>
      setTimeout(() => kind.act(relays[index]!.line, site.upstreams[index]!, random), atMs),
    ),
  )
  await passed(lengthMs)
  const states = await page.evaluate<string[]>('bench.stop()')
  for (const timer of timers) clearTimeout(timer)
  console.log(`\n${engine}, ${lengthMs / 1_000} s of speech, ${times ? 'with' : 'without'} times`)
  for (const [index, [name]] of kinds.entries()) {
    const heard = mapValues(site.upstreams[index]!.heard(), read)
    const words = compare(recording, relays[index]!.line, heard, UNSURE_MS)
    const time = { saidMs: lengthMs, paidMs: paidMs(site.upstreams[index]!) }
    report(name, words, time, 1, `at the end ${states[index] ?? ''}`)
  }
}

async function onClock(plans: number): Promise<void> {
  const { runPlans } = await bundlePlans()
  const sums = await runPlans(kinds, { plans, seed, times })
  console.log(`\n${plans} plans from seed ${seed}, ${times ? 'with' : 'without'} times; a mean of each kind`)
  for (const [name, { words, time, worst, plans: count }] of sums)
    report(
      name,
      words,
      time,
      count,
      `at most ${worst.lost} ms lost (--only '${name}' --plans 1 --seed ${worst.seed})`,
    )
}

async function ofPage(rounds: number): Promise<void> {
  const { measureCost } = await import('./measureCost.js')
  const { resend, persist } = await measureCost(rounds)
  console.log(`\nmain thread of a page that speaks, beside one without resend; median of ${rounds} rounds`)
  recorder.hold('with resend', resend, { atMost: 1.1 })
  recorder.hold('with resend: { persist: true }', persist, { atMost: 1.3 })
}

if (values.cost !== undefined) await ofPage(Number(values.cost))
else await (values.plans === undefined ? inBrowser() : onClock(Number(values.plans)))
recorder.end()
// The timers of a virtual page never come.
process.exit()
