import type { BffEvent } from '@stagepass/bff'
import type { Emulator } from '@stagepass/emulator'
import { startPlaywright } from '@stagepass/testing/engines'
import { readOptions } from '../../scripts/options.js'
import { startSite } from '../browser/startSite.js'
import { createRecorder } from '../report/createRecorder.js'
import { median } from '../report/median.js'

/*
 * The figures that a page reports of a talk, beside what the emulator has seen of the same talk, in a browser.
 * The page sees what the service does, and a round trip more. `npm run vitals -w @stagepass/bench`
 */

const { values } = readOptions(
  'npm run vitals -w @stagepass/bench -- [--engine chromium|firefox] [--sentences 5]',
  {
    options: { engine: { type: 'string', default: 'chromium' }, sentences: { type: 'string', default: '5' } },
  },
)
const ROUND_TRIPS_MS = [0, 50, 150]
const MOST_MS = 20

/** A frame with a louder sample has speech. */
const LOUD = 1_000

interface Sentence {
  firstLoudAt: number
  lastLoudAt: number
  textAt: number
  finalAt: number
}

/** What the service sees of a talk: when the frames of each sentence came, and when its texts left. */
function watch(upstream: Emulator): () => Sentence[] {
  const sent: { readonly at: number; readonly isFinal: boolean }[] = []
  const known = new Set<unknown>()
  const timer = setInterval(() => {
    for (const socket of upstream.sockets) {
      if (known.has(socket)) continue
      known.add(socket)
      const send = socket.send.bind(socket)
      Object.assign(socket, {
        send(data: string | Uint8Array) {
          if (typeof data === 'string' && /"(?:transcript|translate)"/.test(data))
            sent.push({ at: Date.now(), isFinal: data.includes('"translate"') })
          send(data)
        },
      })
    }
  }, 5)
  return () => {
    clearInterval(timer)
    const loud = upstream.frames.flatMap(({ data, at }) =>
      typeof data !== 'string' && new Int16Array(Uint8Array.from(data).buffer).some((sample) => sample > LOUD)
        ? [at]
        : [],
    )
    let from = 0
    return sent.flatMap(({ at: finalAt, isFinal }, index) => {
      if (!isFinal) return []
      const frames = loud.filter((at) => at >= from && at <= finalAt)
      const [text] = sent.slice(0, index + 1).filter(({ at }) => at >= from)
      from = finalAt + 1
      const [firstLoudAt = NaN] = frames
      return [{ firstLoudAt, lastLoudAt: frames.at(-1) ?? NaN, textAt: text?.at ?? NaN, finalAt }]
    })
  }
}

const engine = values.engine === 'firefox' ? 'firefox' : 'chromium'
const sentences = Number(values.sentences)
const recorder = createRecorder()
await using driver = await startPlaywright(engine)
console.log(`\n${engine}, ${sentences} sentences`)
for (const roundTripMs of ROUND_TRIPS_MS) {
  const events: BffEvent[] = []
  await using site = await startSite(new URL('./page.tsx', import.meta.url), {
    roundTripMs,
    recordFrames: Infinity,
    onEvent: (event) => events.push(event),
  })
  const stop = watch(site.upstream)
  const page = await driver.browser.newPage()
  await page.goto(site.url)
  await page.waitForFunction('"bench" in window')
  await page.evaluate(`bench.talk(${sentences})`)
  const seen = stop()
  await page.close()
  const report = events.find((event) => event.type === 'page.vitals')
  const figures = report?.type === 'page.vitals' ? report.figures : {}
  const compare = (name: 'firstText' | 'finalText', ofService: (one: Sentence) => number): void => {
    const own = figures[name] ?? []
    const others = seen.map((one) => ofService(one) + roundTripMs)
    const apart = others.map((ms, nth) => Math.abs((own[nth] ?? NaN) - ms))
    console.log(`          page ${own.join(' ')}; service and round trip ${others.join(' ')}`)
    // A busy machine delays a single frame or text on one side.
    recorder.hold(`${name}: ms apart, median, round trip ${roundTripMs} ms`, median(apart), {
      atMost: MOST_MS,
    })
    recorder.hold(`${name}: ms apart, at most, round trip ${roundTripMs} ms`, Math.max(...apart))
  }
  compare('firstText', ({ firstLoudAt, textAt }) => textAt - firstLoudAt)
  compare('finalText', ({ lastLoudAt, finalAt }) => finalAt - lastLoudAt)
}
recorder.end()
process.exit()
