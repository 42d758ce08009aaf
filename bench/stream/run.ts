import { setTimeout as passed } from 'node:timers/promises'
import { readOptions } from '../../scripts/options.js'
import { type Page, startChromium } from '../browser/startChromium.js'
import { type Site, startSite } from '../browser/startSite.js'
import { createRecorder } from '../report/createRecorder.js'
import { median } from '../report/median.js'

/*
 * What `useStream` costs a page in a real Chromium, beside a plain WebSocket with a callback.
 * `npm run stream -w @stagepass/bench -- --rounds 5 --only burst,paced`
 */
const { values } = readOptions('npm run stream -w @stagepass/bench -- [--rounds 5] [--only <case>,<case>]', {
  options: { rounds: { type: 'string', default: '5' }, only: { type: 'string' } },
})
const rounds = Number(values.rounds)
const BURST = 20_000
const MESSAGE = JSON.stringify({ type: 'transcript', text: 'x'.repeat(150), final: false })

const recorder = createRecorder()
await using chromium = await startChromium()
const openSite = (maxSessions?: number): Promise<Site> =>
  startSite(new URL('./page.tsx', import.meta.url), { echo: true, maxSessions })

/** Reads the stream by a WebSocket and by useStream in turns, and returns what `measure` returns. */
async function inTurns<TResult>(
  site: Site,
  count: number,
  measure: (page: Page) => Promise<TResult>,
): Promise<Record<'raw' | 'callback', TResult[]>> {
  const results = { raw: [] as TResult[], callback: [] as TResult[] }
  for (let round = 0; round < count; round += 1) {
    for (const mode of round % 2 === 0 ? (['raw', 'callback'] as const) : (['callback', 'raw'] as const)) {
      await using page = await chromium.open(site.url)
      await page.evaluate(`bench.${mode}()`)
      results[mode].push(await measure(page))
    }
    for (const socket of site.upstream.sockets) socket.drop()
  }
  return results
}

interface Seen {
  readonly count: number
  readonly first: number
  readonly last: number
  readonly renders: number
}

/** Sends many messages at once, and waits until the page has them. */
async function sendBurst(page: Page, site: Site): Promise<Seen> {
  await page.evaluate('bench.reset()')
  for (let index = 0; index < BURST; index += 1) site.upstream.sockets[0]?.send(MESSAGE)
  for (;;) {
    const seen = await page.evaluate<Seen>('bench.seen()')
    if (seen.count >= BURST) return seen
    await passed(50)
  }
}

/** Sends a thousand messages a second, and returns their number. */
async function sendPaced(site: Site, ms: number, message = (_index: number) => MESSAGE): Promise<number> {
  const startedAt = performance.now()
  let sent = 0
  while (performance.now() - startedAt < ms) {
    const due = Math.floor(performance.now() - startedAt)
    while (sent < due) {
      sent += 1
      for (const socket of site.upstream.sockets) socket.send(message(sent))
    }
    await passed(5)
  }
  return sent
}

/** Prints how the heap grows over three blocks of an action, for 500 of it, after a first block. */
async function holdHeap(
  what: string,
  page: Page,
  act: (times: number) => Promise<unknown>,
  { first, block, atMost }: { first: number; block: number; atMost: number },
): Promise<void> {
  await act(first)
  const grown: number[] = []
  let before = await page.heapBytes()
  for (let round = 0; round < 3; round += 1) {
    await act(block)
    const after = await page.heapBytes()
    grown.push(((after - before) / 1_024) * (500 / block))
    before = after
  }
  recorder.hold(`500 ${what}, median block, KiB`, median(grown), { atMost })
  recorder.hold(`500 ${what}, last block, KiB`, grown.at(-1) ?? NaN, { atMost })
}

/** Each text is another one, as in a talk. */
const textOf = (index: number): string => MESSAGE.replace('xxxxxxxx', String(index).padStart(8, '0'))

/** Measures the main thread of pages with and without vitals in turns, after an action in the page. */
async function compareVitals(site: Site, what: string, action = 'undefined'): Promise<void> {
  const took: Record<'with' | 'without', number[]> = { with: [], without: [] }
  for (let round = 0; round < rounds; round += 1) {
    for (const way of round % 2 === 0 ? (['with', 'without'] as const) : (['without', 'with'] as const)) {
      await using page = await chromium.open(site.url + (way === 'with' ? '?vitals' : ''))
      await page.evaluate('bench.texts()')
      await page.evaluate(action)
      await sendPaced(site, 1_000, textOf)
      const before = await page.busyMs()
      await sendPaced(site, 10_000, textOf)
      took[way].push((await page.busyMs()) - before)
    }
    for (const socket of site.upstream.sockets) socket.drop()
  }
  const ratios = took.with.map((ms, round) => ms / (took.without[round] ?? NaN)).toSorted((a, b) => a - b)
  console.log(
    `          without: ${Math.round(median(took.without))} ms of 10 s; ratios ${ratios.map((one) => one.toFixed(3)).join(' ')}`,
  )
  recorder.hold(what, median(ratios), { atMost: 1.03 })
}

const CASES: Readonly<Record<string, (site: Site) => Promise<void>>> = {
  /** Each time includes the sender's own time, so the smallest of many rounds is the most exact. */
  async burst(site) {
    const { raw, callback } = await inTurns(site, 2 * rounds, async (page) => {
      // The first burst only warms up.
      await sendBurst(page, site)
      return sendBurst(page, site)
    })
    const least = (all: readonly Seen[]): number => Math.min(...all.map(({ first, last }) => last - first))
    recorder.hold(`${BURST} messages beside a bare WebSocket`, least(callback) / least(raw), { atMost: 1.15 })
    recorder.hold('renders', Math.max(...callback.map(({ renders }) => renders)), { atMost: 0 })
  },

  async paced(site) {
    const { raw, callback } = await inTurns(site, rounds, async (page) => {
      await sendPaced(site, 1_000)
      const before = await page.busyMs()
      await sendPaced(site, 10_000)
      return (await page.busyMs()) - before
    })
    // The speed of a machine changes from round to round, so times are compared within a round.
    const ratio = median(callback.map((ms, round) => ms / (raw[round] ?? NaN)))
    recorder.hold('main thread under 1,000 messages a second beside a bare WebSocket', ratio, { atMost: 1.2 })
  },

  /** The same stream on pages with the option `vitals`, and without. */
  async vitals(site) {
    await compareVitals(site, 'main thread under 1,000 messages a second with vitals beside without')
  },

  /** The same while the user speaks and no text is final, so that each message is read for the figures. */
  async speaking(site) {
    await compareVitals(
      site,
      'the same, while 50 frames a second are sent and no text is final',
      'bench.speak()',
    )
  },

  async transition(site) {
    const took: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      await using page = await chromium.open(site.url)
      await page.evaluate('bench.shown()')
      const sending = sendPaced(site, 3_000)
      await passed(500)
      took.push(await page.evaluate<number>('bench.transition()'))
      await sending
    }
    recorder.hold('a transition of 200 ms beside useStreamValue, ms', Math.max(...took), { atMost: 500 })
  },

  async mounts(site) {
    await using page = await chromium.open(site.url)
    let mounted = 0
    // Heap snapshots before and after 8,000 mounts differ only in compiled code and in the engine's
    // performance entries. Both grow in steps of up to 40 KiB, so a block is 2,000 mounts.
    await holdHeap(
      'mounts and unmounts',
      page,
      async (times) => {
        await page.evaluate(`bench.mounts(${times}, ${mounted})`)
        mounted += times
      },
      { first: 3_000, block: 2_000, atMost: 20 },
    )
    recorder.hold('sockets left', site.upstream.sockets.length, { atMost: 0 })
  },

  async reconnects(site) {
    await using page = await chromium.open(site.url)
    await page.evaluate(
      'bench.hold({ reconnect: { minDelayMs: 1, maxDelayMs: 1, stableMs: 0, maxAttempts: Infinity } })',
    )
    const cut = async (times: number): Promise<void> => {
      for (let done = 0; done < times; done += 1) {
        const [socket] = site.upstream.sockets
        socket?.close(1008, 'unauthorized')
        while (site.upstream.sockets[0] === socket || site.upstream.sockets.length === 0) await passed(1)
        // Wait until the connection is stable.
        await passed(8)
      }
      await page.evaluate('bench.events.length = 0')
    }
    await holdHeap('reconnects with new tokens', page, cut, { first: 1_000, block: 500, atMost: 50 })
  },

  async rollover() {
    for (const maxSessions of [2, 1]) {
      await using site = await openSite(maxSessions)
      await using page = await chromium.open(site.url)
      await page.evaluate('bench.collect({ rollover: { deadlineMs: 1000, drainMs: 300 } })')
      const sending = sendPaced(site, 7_000, String)
      await passed(1_000)
      await page.evaluate('bench.renew()')
      const sent = await sending
      await passed(500)
      const { numbers, events } = await page.evaluate<{ numbers: number[]; events: string[] }>(
        'bench.collected()',
      )
      const wanted = maxSessions === 2 ? 'stream.rolled_over' : 'stream.rollover_refused'
      recorder.hold(wanted, events.filter((type) => type === wanted).length, { atLeast: 1 })
      recorder.hold('messages missing', sent - new Set(numbers).size, { atMost: 0 })
      recorder.hold('reconnects', events.filter((type) => type === 'stream.reconnecting').length, {
        atMost: 0,
      })
    }
  },
}

for (const [name, run] of Object.entries(CASES)) {
  if (values.only !== undefined && !values.only.split(',').includes(name)) continue
  console.log(`\n${name}`)
  await using site = await openSite()
  await run(site)
}
recorder.end()
