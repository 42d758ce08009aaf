import type { Chromium, Page } from './chromium.js'
import type { Ratio } from '../report/ratios.js'
import type { Site } from './site.js'

/** Context of all parts of the bench. */
export interface Run {
  readonly chromium: Chromium
  readonly site: Site
  readonly rounds: number
  /** Prints a number, and records if it misses its aim. */
  readonly hold: Hold
  /** Keeps a ratio for the page of all benches. */
  readonly keep: (ratio: Ratio) => void
}

export type Hold = (what: string, value: number, most: number) => void

export type Mode = 'raw' | 'naive' | 'callback' | 'shown' | 'nothing'
export const MESSAGE = JSON.stringify({ type: 'transcript', text: 'x'.repeat(150), final: false })

export const passed = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
export const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? NaN
export const least = (numbers: readonly number[]): number => Math.min(...numbers)
export const shown = (value: number): string => value.toFixed(value < 10 ? 2 : 0)

interface Seen {
  readonly count: number
  readonly first: number
  readonly last: number
  readonly renders: number
  readonly longTasks: number
}

/** A page that runs the code of the bench. */
type BenchPage = Pick<Page, 'evaluate'>

/** Opens a stream in a new page of any browser. */
export async function openPage<TPage extends BenchPage>(
  browser: { open(url: string): Promise<TPage> },
  site: Site,
  mode: Mode,
): Promise<TPage> {
  const page = await browser.open(site.url)
  // While a page loads, it may not yet evaluate expressions.
  while (!(await page.evaluate<boolean>('"bench" in window').catch(() => false))) await passed(20)
  await page.evaluate(`bench.open('${mode}')`)
  return page
}

/** Number of messages of `sendBurst`. */
export const BURST = 20_000

/** Sends many messages at once, and waits until the page has them. */
export async function sendBurst(page: BenchPage, site: Site): Promise<Seen> {
  for (let index = 0; index < BURST; index += 1) site.upstream.sockets[0]?.send(MESSAGE)
  return arrived(page, BURST)
}

export async function arrived(page: BenchPage, count: number): Promise<Seen> {
  for (;;) {
    const seen = await page.evaluate<Seen>('bench.seen()')
    if (seen.count >= count) return seen
    await passed(50)
  }
}

const READERS = ['raw', 'callback', 'naive'] as const

/** Every second round has the reverse order, because a machine may become slower during a run. */
export const inTurn = (round: number) => (round % 2 === 0 ? READERS : READERS.toReversed())

/** The speed of a machine changes from round to round, so times are compared within a round. */
export const ratio = (times: readonly number[], raw: readonly number[]): number =>
  median(times.map((ms, round) => ms / (raw[round] ?? NaN)))

/** Sends a thousand messages a second for this time. */
export async function stream(
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
