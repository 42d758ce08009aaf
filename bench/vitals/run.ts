import type { BffEvent } from '@stagepass/bff'
import type { Emulator } from '@stagepass/emulator'
import { ENGINES, startEngine } from '@stagepass/testing/engines'
import { readOptions } from '../../scripts/options.js'
import { ENGINES as PROGRAMS, provide } from '../../scripts/programs.js'
import { startSite } from '../browser/startSite.js'
import { createRecorder } from '../report/createRecorder.js'
import { median } from '../report/median.js'

/*
 * The figures that a page reports of a talk, in each engine: beside a stopwatch of the page, and beside what the
 * emulator has seen of the same talk. The page sees what the service does, and a round trip more.
 * `npm run vitals -w @stagepass/bench`; on a busy machine `chrt -r 1 npm run …`, because other work delays the
 * frames on their way between the processes.
 */

const { values } = readOptions(
  'npm run vitals -w @stagepass/bench -- [--engine chromium|firefox|webkit] [--sentences 5]',
  {
    options: { engine: { type: 'string' }, sentences: { type: 'string', default: '5' } },
  },
)
const ROUND_TRIPS_MS = [0, 50, 150]
const MOST_MS = 20
/** Clocks of pages have a resolution of 1 ms in some engines, and figures are whole milliseconds. */
const MOST_IN_PAGE_MS = 3

type Figure = 'firstText' | 'finalText'

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

Object.assign(process.env, await provide(PROGRAMS))
const sentences = Number(values.sentences)
const recorder = createRecorder()
for (const engine of ENGINES.filter((name) => name === (values.engine ?? name))) {
  await using browser = await startEngine(engine)
  console.log(`\n${engine}, ${sentences} sentences`)
  for (const roundTripMs of ROUND_TRIPS_MS) {
    const events: BffEvent[] = []
    await using site = await startSite(new URL('./page.tsx', import.meta.url), {
      roundTripMs,
      recordFrames: Infinity,
      onEvent: (event) => events.push(event),
    })
    const stop = watch(site.upstream)
    const page = await browser.open(`${site.url}#${sentences}`)
    const stopwatch = JSON.parse(await page.read('output')) as Record<Figure, number[]>
    const seen = stop()
    await page.close()
    const report = events.find((event) => event.type === 'page.vitals')
    const figures = report?.type === 'page.vitals' ? report.figures : {}
    const compare = (name: Figure, ofService: (one: Sentence) => number): void => {
      const own = figures[name] ?? []
      const service = seen.map((one) => ofService(one) + roundTripMs)
      const apart = (others: readonly number[]): number[] =>
        others.map((ms, nth) => Math.abs((own[nth] ?? NaN) - ms))
      const what = `${name}, round trip ${roundTripMs} ms`
      console.log(`          page ${own.join(' ')}; service and round trip ${service.join(' ')}`)
      recorder.hold(`${what}: ms from the stopwatch, median`, median(apart(stopwatch[name])), {
        atMost: MOST_IN_PAGE_MS,
      })
      recorder.hold(`${what}: ms from the service, median`, median(apart(service)), { atMost: MOST_MS })
      recorder.hold(`${what}: ms from the service, at most`, Math.max(...apart(service)))
    }
    compare('firstText', ({ firstLoudAt, textAt }) => textAt - firstLoudAt)
    compare('finalText', ({ lastLoudAt, finalAt }) => finalAt - lastLoudAt)
  }
}
recorder.end()
process.exit()
