import { type Engine, ENGINES, startEngine } from '@stagepass/testing/engines'
import { readOptions } from '../../scripts/options.js'
import { BASIC, ENGINES as ENGINE_PROGRAMS, provide } from '../../scripts/programs.js'
import { type Ratio, writeRatios } from '../report/ratios.js'
import { startChromium } from '../stream/chromium.js'
import { passed } from '../stream/measure.js'
import { processorMs } from './processorMs.js'
import { type Cost, costOf, type Site, startSite } from './site.js'
import { type Talk, UTTERANCES, writeTalk } from './talk.js'

/*
 * What a session with `silence` costs beside the same one without, in real browsers whose microphone hears a
 * talk of 37 s: paid time, connections, tokens and the sound that arrives. Then what it costs the machine to
 * wait, in Chromium, beside an open stream. Exits with 1 if a number misses its aim. `npm run silence -w
 * @stagepass/bench -- --only firefox --minutes 6`
 */

const { values } = readOptions(
  'npm run silence -w @stagepass/bench -- [--only <engine> or wait] [--minutes 6, or 0 for no wait]',
  {
    options: {
      only: { type: 'string' },
      minutes: { type: 'string', default: '6' },
      json: { type: 'string' },
    },
  },
)
const MINUTES = Number(values.minutes)
/** Beyond the speech, for each utterance. */
const PAID_BESIDE_MS = 3_000
const LEAST_ENERGY = 0.97
const MOST_TOKENS = 2
/** Until the page has settled: its code is compiled, and it waits. */
const SETTLE_MS = 30_000

interface BenchPage extends AsyncDisposable {
  evaluate<TValue>(expression: string): Promise<TValue>
  /** Resolves when the microphone has heard all. */
  readonly heard: () => Promise<unknown>
}

const chromiumPath = (): string => process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'
const fakeMicrophone = (file: string): string[] => [
  '--use-fake-ui-for-media-stream',
  '--use-fake-device-for-media-stream',
  `--use-file-for-fake-audio-capture=${file}`,
]

const ratios: Ratio[] = []
let isBroken = false
function hold(what: string, shown: string, holds: boolean): void {
  if (!holds) isBroken = true
  console.log(`  ${holds ? 'holds ' : 'BROKEN'}  ${what}: ${shown}`)
}

const NAMES: Readonly<Record<Engine, string>> = {
  chromium: 'Chromium',
  firefox: 'Firefox',
  webkit: 'WebKitGTK',
}
const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`

/** Opens the page in a browser whose microphone is silent until both sessions are on. */
async function openPage(engine: Engine, { url }: Site, { file, lengthMs }: Talk): Promise<BenchPage> {
  if (engine === 'chromium') {
    // The file begins when the device is opened.
    const browser = await startChromium(chromiumPath(), fakeMicrophone(`${file}%noloop`))
    const page = await browser.open(url)
    return {
      evaluate: (expression) => page.evaluate(expression),
      heard: () => passed(lengthMs),
      [Symbol.asyncDispose]: () => browser[Symbol.asyncDispose](),
    }
  }
  const browser = await startEngine(engine)
  const { sound } = browser
  await sound?.endTone()
  const page = await browser.open(url)
  return {
    evaluate: (expression) => page.evaluate(expression),
    heard: async () => sound?.play(file),
    [Symbol.asyncDispose]: () => browser[Symbol.asyncDispose](),
  }
}

async function loaded(page: Pick<BenchPage, 'evaluate'>): Promise<void> {
  while (!(await page.evaluate<boolean>('"bench" in window').catch(() => false))) await passed(20)
}

async function talk(engine: Engine): Promise<void> {
  using heard = writeTalk()
  await using site = await startSite(100_000)
  await using page = await openPage(engine, site, heard)
  console.log(`\n${engine}: ${seconds(heard.speechMs)} of speech in ${seconds(heard.lengthMs)}`)
  await loaded(page)
  await page.evaluate("bench.start(['waits', 'stays'])")
  // A busy machine takes a while from the start to the talk.
  const begun = [site.waits, site.stays].map((upstream) => costOf(upstream).paidMs)
  await page.heard()
  await page.evaluate('bench.untilWaiting()')
  const [own, other] = [site.waits, site.stays].map((upstream, index) => {
    const cost = costOf(upstream)
    return { ...cost, paidMs: cost.paidMs - (begun[index] ?? NaN) }
  }) as [Cost, Cost]
  console.log(`  page: ${JSON.stringify(await page.evaluate('bench.state()'))}`)
  for (const [name, cost] of Object.entries({ 'with silence': own, without: other }))
    console.log(
      `  ${name}: ${seconds(cost.paidMs)} paid, ${cost.connections} connections, ${cost.tokens} tokens, energy ${cost.energy.toExponential(3)}`,
    )
  const mostMs = heard.speechMs + UTTERANCES * PAID_BESIDE_MS
  hold('paid', `${seconds(own.paidMs)} (at most ${seconds(mostMs)})`, own.paidMs <= mostMs)
  const [ofOwn = NaN, ofOther = NaN] = await page.evaluate<number[]>('bench.heard()')
  const share = own.energy / ofOwn
  console.log(`  share of the energy without silence: ${((other.energy / ofOther) * 100).toFixed(2)} %`)
  hold(
    'share of the energy of its microphone',
    `${(share * 100).toFixed(2)} % (at least 97 %)`,
    share >= LEAST_ENERGY,
  )
  hold('tokens', `${own.tokens} (at most ${MOST_TOKENS})`, own.tokens <= MOST_TOKENS)
  const ratio = own.paidMs / other.paidMs
  console.log(`  paid of what is paid without: ${(ratio * 100).toFixed(0)} %`)
  ratios.push({
    what: `A talk with pauses, in ${NAMES[engine]}`,
    beside: 'an open stream',
    gets: 'Minutes of silence are not paid.',
    own: ratio * 60,
    other: 60,
    unit: 'paid minutes of an hour',
    ratio,
    aim: { atMost: Number((mostMs / other.paidMs).toFixed(2)) },
  })
}

/** Processor time and heap of a page with one session, in a quiet room. */
async function wait(kind: 'waits' | 'stays', site: Site, { roomFile }: Talk): Promise<void> {
  await using browser = await startChromium(chromiumPath(), fakeMicrophone(roomFile))
  await using page = await browser.open(site.url)
  await loaded(page)
  await page.evaluate(`bench.start(['${kind}'])`)
  if (kind === 'waits') await page.evaluate('bench.untilWaiting()')
  await passed(SETTLE_MS)
  const read = async () => ({
    heap: await page.heap(),
    browserMs: processorMs(browser.pid),
    pageMs: (await page.busy()).tasksMs,
    at: performance.now(),
    paidMs: costOf(site[kind]).paidMs,
  })
  const before = await read()
  await passed(MINUTES * 60_000)
  const after = await read()
  const hours = (after.at - before.at) / 3_600_000
  const anHour = (of: 'browserMs' | 'pageMs' | 'paidMs'): string => seconds((after[of] - before[of]) / hours)
  const kib = (bytes: number): string => `${(bytes / 1_024).toFixed(0)} KiB`
  console.log(
    `  ${kind}: an hour takes ${anHour('browserMs')} of processor in the browser, ${anHour('pageMs')} of them on the page's main thread; heap ${kib(before.heap)}, then ${kib(after.heap)}, ${kib((after.heap - before.heap) / hours)} an hour; ${anHour('paidMs')} paid`,
  )
  console.log(`    ${JSON.stringify(await page.evaluate('bench.state()'))}`)
}

Object.assign(process.env, await provide([...BASIC, ...ENGINE_PROGRAMS]))
for (const engine of ENGINES) {
  if (values.only !== undefined && values.only !== engine) continue
  await talk(engine).catch((thrown: unknown) => {
    console.log(`  Failed to measure: ${String(thrown)}`)
    isBroken = true
  })
}
if (MINUTES > 0 && ['chromium', 'wait'].includes(values.only ?? 'wait')) {
  console.log(`\nA quiet room for ${MINUTES} minutes, as an hour`)
  using quiet = writeTalk()
  await using site = await startSite(0)
  // At the same time, because only the processor time of each browser is counted.
  await Promise.all([wait('waits', site, quiet), wait('stays', site, quiet)])
}
writeRatios(ratios)
process.exitCode = isBroken ? 1 : 0
