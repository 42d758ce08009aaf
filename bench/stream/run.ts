import { parseArgs } from 'node:util'
import type { Chromium, Page } from './chromium.js'
import { startChromium } from './chromium.js'
import type { Site } from './site.js'
import { startSite } from './site.js'
import { soak } from './soak.js'

/*
 * `useStream` in a real Chromium, beside a bare WebSocket and beside react-use-websocket as its README shows it, in one run. Prints ratios, and
 * exits 1 if a measured number misses its aim. `npm run stream -w @stagepass/bench -- --rounds 5 --only burst`
 */
const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, only: { type: 'string' } },
})
const rounds = Number(values.rounds)

type Mode = 'raw' | 'naive' | 'callback' | 'shown' | 'nothing'
const MESSAGE = JSON.stringify({ type: 'transcript', text: 'x'.repeat(150), final: false })

const passed = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? NaN
const least = (numbers: readonly number[]): number => Math.min(...numbers)
const shown = (value: number): string => value.toFixed(value < 10 ? 2 : 0)

const failures: string[] = []
function hold(what: string, value: number, most: number): void {
  const holds = value <= most
  if (!holds) failures.push(what)
  console.log(`  ${holds ? 'holds ' : 'BROKEN'}  ${what}: ${shown(value)} (at most ${most})`)
}

interface Seen {
  readonly count: number
  readonly first: number
  readonly last: number
  readonly renders: number
  readonly longTasks: number
}

async function openPage(chromium: Chromium, site: Site, mode: Mode): Promise<Page> {
  const page = await chromium.open(site.url)
  await page.evaluate(`bench.open('${mode}')`)
  return page
}

async function arrived(page: Page, count: number): Promise<Seen> {
  for (;;) {
    const seen = await page.evaluate<Seen>('bench.seen()')
    if (seen.count >= count) return seen
    await passed(50)
  }
}

const READERS = ['raw', 'callback', 'naive'] as const

/** Every other round goes backwards: a machine that grows slower is nobody's disadvantage. */
const inTurn = (round: number) => (round % 2 === 0 ? READERS : READERS.toReversed())

/** The machine's pace drifts from round to round, so each is compared within its own. */
const ratio = (times: readonly number[], raw: readonly number[]): number =>
  median(times.map((ms, round) => ms / (raw[round] ?? NaN)))

async function burst(chromium: Chromium, site: Site): Promise<void> {
  const COUNT = 20_000
  // The sender's pace is in these times, and it only ever adds to them: the least of many rounds tells most.
  console.log(`\n${COUNT} messages at once, least of ${2 * rounds} rounds`)
  const fresh = () => ({ ms: [] as number[], busy: [] as number[], renders: 0, longTasks: 0 })
  const results = { raw: fresh(), callback: fresh(), naive: fresh() }
  for (let round = 0; round < 2 * rounds; round += 1) {
    for (const mode of inTurn(round)) {
      await using page = await openPage(chromium, site, mode)
      const blast = (): void => {
        for (let index = 0; index < COUNT; index += 1) site.upstream.sockets[0]?.send(MESSAGE)
      }
      // The first warms up.
      blast()
      await arrived(page, COUNT)
      await page.evaluate('bench.reset()')
      const before = await page.busy()
      blast()
      const seen = await arrived(page, COUNT)
      const after = await page.busy()
      const result = results[mode]
      result.ms.push(seen.last - seen.first)
      result.busy.push(after.tasksMs - before.tasksMs)
      result.renders = Math.max(result.renders, seen.renders)
      result.longTasks = Math.max(result.longTasks, seen.longTasks)
    }
    for (const socket of site.upstream.sockets) socket.drop()
  }
  const { raw, callback } = results
  console.table(
    Object.fromEntries(
      Object.entries(results).map(([mode, { ms, busy, renders, longTasks }]) => [
        mode,
        {
          'first to last, ms': shown(least(ms)),
          '×': shown(least(ms) / least(raw.ms)),
          'main thread, ms': shown(least(busy)),
          '× ': shown(least(busy) / least(raw.busy)),
          renders,
          'long tasks': longTasks,
        },
      ]),
    ),
  )
  hold('time beside a bare WebSocket', least(callback.ms) / least(raw.ms), 1.15)
  hold('renders', callback.renders, 0)
}

/** A thousand messages a second for so long, in lots of ten. */
async function stream(
  site: Site,
  ms: number,
  message: (index: number) => string = () => MESSAGE,
  signal?: AbortSignal,
): Promise<number> {
  const startedAt = performance.now()
  let sent = 0
  const isDone = (): boolean => signal?.aborted === true || performance.now() - startedAt >= ms
  while (!isDone()) {
    const owed = Math.floor(performance.now() - startedAt) - sent
    for (let index = 0; index < owed; index += 1) {
      sent += 1
      for (const socket of site.upstream.sockets) socket.send(message(sent))
    }
    await passed(5)
  }
  return sent
}

async function paced(chromium: Chromium, site: Site): Promise<void> {
  console.log(`\n1,000 messages a second for 10 s, median of ${rounds} rounds`)
  const busy: Record<'raw' | 'callback' | 'naive', number[]> = { raw: [], callback: [], naive: [] }
  for (let round = 0; round < rounds; round += 1) {
    for (const mode of inTurn(round)) {
      await using page = await openPage(chromium, site, mode)
      await stream(site, 1_000)
      const before = await page.busy()
      await stream(site, 10_000)
      const after = await page.busy()
      busy[mode].push(after.tasksMs - before.tasksMs)
    }
  }
  console.table(
    Object.fromEntries(
      Object.entries(busy).map(([mode, times]) => [
        mode,
        { 'main thread, ms': shown(median(times)), '×': shown(ratio(times, busy.raw)) },
      ]),
    ),
  )
  hold('main thread beside a bare WebSocket', ratio(busy.callback, busy.raw), 1.2)
}

async function transitions(chromium: Chromium, site: Site): Promise<void> {
  console.log(`\nA transition of 200 ms elsewhere, under 1,000 messages a second, median of ${rounds} rounds`)
  const took = new Map<Mode, number[]>()
  for (let round = 0; round < rounds; round += 1) {
    for (const mode of ['nothing', 'shown', 'naive'] as const) {
      await using page = await openPage(chromium, site, mode)
      const done = new AbortController()
      const streaming = stream(site, 20_000, () => MESSAGE, done.signal)
      await passed(500)
      const ms = await page.evaluate<number>('bench.transition()')
      took.set(mode, [...(took.get(mode) ?? []), ms])
      done.abort()
      await streaming
    }
  }
  console.table(
    Object.fromEntries(
      [...took].map(([mode, ms]) => [
        mode,
        { 'median, ms': shown(median(ms)), 'worst, ms': shown(Math.max(...ms)) },
      ]),
    ),
  )
  hold('the transition beside useStreamValue, ms', Math.max(...(took.get('shown') ?? [NaN])), 500)
}

async function heap(chromium: Chromium, site: Site): Promise<void> {
  console.log('\nHeap in KiB after each block of 500')
  {
    await using page = await openPage(chromium, site, 'nothing')
    await page.evaluate('bench.mounts(1000, 0)')
    const readings = [await page.heap()]
    for (let block = 0; block < 3; block += 1) {
      await page.evaluate(`bench.mounts(500, ${1_000 * (block + 2)})`)
      readings.push(await page.heap())
    }
    const grown = readings.slice(1).map((reading, index) => (reading - (readings[index] ?? 0)) / 1_024)
    console.log(
      `  mounts and unmounts: ${grown.map(shown).join(', ')}; sockets left: ${site.upstream.sockets.length}`,
    )
    hold('500 mounts, median block, KiB', median(grown), 20)
    hold('500 mounts, last block, KiB', grown.at(-1) ?? NaN, 20)
    hold('sockets left', site.upstream.sockets.length, 0)
  }
  {
    await using page = await openPage(chromium, site, 'nothing')
    await page.evaluate(
      'bench.hold({ reconnect: { minDelayMs: 1, maxDelayMs: 1, stableMs: 0, maxAttempts: Infinity } })',
    )
    const cut = async (times: number): Promise<void> => {
      for (let done = 0; done < times; done += 1) {
        const [socket] = site.upstream.sockets
        socket?.close(1008, 'unauthorized')
        while (site.upstream.sockets[0] === socket || site.upstream.sockets.length === 0) await passed(1)
        // Let it become stable.
        await passed(8)
      }
      await page.evaluate('bench.events.length = 0')
    }
    await cut(1_000)
    const tokens = site.upstream.counts.token
    const readings = [await page.heap()]
    for (let block = 0; block < 3; block += 1) {
      await cut(500)
      readings.push(await page.heap())
    }
    const grown = readings.slice(1).map((reading, index) => (reading - (readings[index] ?? 0)) / 1_024)
    console.log(
      `  reconnects on one mount: ${grown.map(shown).join(', ')}; tokens minted for them: ${site.upstream.counts.token - tokens}`,
    )
    hold('500 reconnects, median block, KiB', median(grown), 50)
    hold('500 reconnects, last block, KiB', grown.at(-1) ?? NaN, 50)
  }
}

async function rollover(chromium: Chromium): Promise<void> {
  for (const maxSessions of [2, 1]) {
    console.log(`\nA rollover under 1,000 messages a second, ${maxSessions === 2 ? 'let in' : 'refused'}`)
    await using site = await startSite({ maxSessions })
    await using page = await openPage(chromium, site, 'nothing')
    await page.evaluate('bench.collecting({ rollover: { deadlineMs: 1000, drainMs: 300 } })')
    const streaming = stream(site, 13_000, String)
    for (let renewal = 0; renewal < 2; renewal += 1) {
      await passed(1_000)
      await page.evaluate('bench.renew().then(() => 0)')
      await passed(4_500)
    }
    const sent = await streaming
    await passed(500)
    const { numbers, generations, events } = await page.evaluate<{
      numbers: number[]
      generations: number
      events: string[]
    }>(
      '({ numbers: bench.collect().numbers, generations: bench.collect().generations.size, events: bench.events.map((e) => e.type) })',
    )
    const heard = new Set(numbers)
    const missing = sent - heard.size
    const count = (type: string): number => events.filter((event) => event === type).length
    console.log(
      `  sent ${sent}, heard ${heard.size} (${numbers.length - heard.size} twice, while both were open), by ${generations} connections; rolled over ${count('stream.rolled_over')}, refused ${count('stream.rollover_refused')}, reconnects ${count('stream.reconnecting')}`,
    )
    hold('missing', missing, 0)
    hold('reconnects', count('stream.reconnecting'), 0)
    hold(
      maxSessions === 2 ? 'rollovers too few' : 'refusals too few',
      maxSessions === 2 ? 2 - count('stream.rolled_over') : 1 - count('stream.rollover_refused'),
      0,
    )
  }
}

const parts = { burst, paced, transitions, heap, rollover, soak: () => soak(hold) }
await using chromium = await startChromium(process.env.CHROMIUM_PATH ?? '/usr/bin/chromium')
for (const [name, part] of Object.entries(parts)) {
  if (values.only !== undefined && values.only !== name) continue
  await using site = await startSite()
  await part(chromium, site)
}
console.log(failures.length === 0 ? '\nAll numbers hold.' : `\nBroken: ${failures.join('; ')}`)
process.exitCode = failures.length === 0 ? 0 : 1
