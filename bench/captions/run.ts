import { readOptions } from '../../scripts/options.js'
import { startChromium } from '../stream/chromium.js'
import { passed } from '../stream/measure.js'
import { startSite } from '../stream/site.js'

/*
 * An hour of captions in a real Chromium: 20,000 segments that grow word by word, of which 10,000 are kept.
 * Prints how long a key and a wheel wait for their paint while text comes as fast as people speak, and what
 * the heap holds. Aims, on a machine with nothing else to do: 50 ms, and a heap that does not grow from the
 * 10,000th segment on. `npm run captions -w @stagepass/bench -- --seconds 20`
 */
const { values } = readOptions('npm run captions -w @stagepass/bench -- [--seconds 20]', {
  options: { seconds: { type: 'string', default: '20' } },
})

const SEGMENTS = 20_000
/** Twenty thousand an hour. */
const SEGMENT_MS = 3_600_000 / SEGMENTS
const WORDS = 'We start with the numbers of last week and go on from there'.split(' ')

await using chromium = await startChromium(process.env.CHROMIUM_PATH ?? '/usr/bin/chromium')
await using site = await startSite({ page: '../captions/page.tsx' })
await using page = await chromium.open(site.url)
while (site.upstream.sockets.length === 0) await passed(20)

let sent = 0
/** Sends one segment: it grows in four steps. */
function sendSegment(): void {
  sent += 1
  const words = [`${sent}.`, ...WORDS]
  for (const share of [0.25, 0.5, 0.75, 1]) {
    const text = words.slice(0, Math.ceil(words.length * share)).join(' ')
    const message = { type: 'transcript', text, final: share === 1, utterance_id: `u${sent}` }
    site.upstream.sockets[0]?.send(JSON.stringify(message))
  }
}

/** Sends segments up to this number, and waits until the page shows the last one. */
async function sendUntil(count: number): Promise<void> {
  while (sent < count) {
    for (let burst = 0; burst < 100 && sent < count; burst += 1) sendSegment()
    await passed(10)
  }
  while (!(await page.evaluate<string>('hour.last()')).startsWith(`${sent}.`)) await passed(50)
}

const heapMiB = async (): Promise<number> => (await page.heap()) / 1_024 ** 2
const heaps: [number, number][] = []
async function weigh(): Promise<void> {
  heaps.push([sent, await heapMiB()])
}

/** Types and scrolls while segments come at the speed of the hour. */
async function typeAndScroll(seconds: number): Promise<void> {
  const { x, y } = await page.evaluate<{ x: number; y: number }>('hour.ready()')
  const startedAt = performance.now()
  const before = sent
  for (let step = 0; performance.now() - startedAt < seconds * 1_000; step += 1) {
    while (sent - before < (performance.now() - startedAt) / SEGMENT_MS) sendSegment()
    await page.send('Input.dispatchKeyEvent', { type: 'char', text: 'a' })
    await page.send('Input.dispatchKeyEvent', { type: 'keyDown', key: 'a' })
    await page.send('Input.dispatchKeyEvent', { type: 'keyUp', key: 'a' })
    // Back for a while, and to the end again.
    const deltaY = step % 20 < 10 ? -300 : 400
    await page.send('Input.dispatchMouseEvent', { type: 'mouseWheel', x, y, deltaX: 0, deltaY })
    await passed(100)
  }
}

function show(what: string, delays: readonly number[]): void {
  const sorted = delays.toSorted((a, b) => a - b)
  const at = (share: number): string => (sorted[Math.floor((sorted.length - 1) * share)] ?? NaN).toFixed(0)
  console.log(`  ${what}: median ${at(0.5)} ms, 95 % ${at(0.95)} ms, most ${at(1)} ms, of ${sorted.length}`)
}

console.log(`An hour of captions: ${SEGMENTS} segments, four messages each`)
await sendUntil(SEGMENTS / 2)
await weigh()
await sendUntil(SEGMENTS - Math.ceil((Number(values.seconds) * 1_000) / SEGMENT_MS))
await typeAndScroll(Number(values.seconds))
await sendUntil(SEGMENTS)
await weigh()
await sendUntil(SEGMENTS * 1.5)
await weigh()
const delays = await page.evaluate<Record<string, number[]>>('hour.delays')
console.log(`  lines on the page: ${await page.evaluate<number>('hour.lines()')}`)
show('from a key to its paint', delays.keydown ?? [])
show('from a wheel to its paint', delays.wheel ?? [])
for (const [segments, mib] of heaps) console.log(`  heap after ${segments} segments: ${mib.toFixed(1)} MiB`)
