import { EventEmitter, once } from 'node:events'
import { json } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { type Engine, ENGINES, startEngine } from '@stagepass/testing/engines'
import { createServer, defaultClientConditions } from 'vite'
import { readOptions } from '../../scripts/options.js'
import { BASIC, ENGINES as ENGINE_PROGRAMS, provide } from '../../scripts/programs.js'
import type { Measured } from './page.js'

/*
 * Latency of microphone and playback in real browsers, through the real worklets, without the delay of
 * devices. The aims are for Chromium; exits with 1 if it misses one, or if an engine reports no figures. `npm
 * run audio -w @stagepass/bench -- --only chromium --clicks 60`
 */

const { values } = readOptions('npm run audio -w @stagepass/bench -- [--only <engine>] [--clicks 60]', {
  options: { only: { type: 'string' }, clicks: { type: 'string', default: '60' } },
})
const CUSHION_MS = 120
/** After this time without a report the engine has crashed, or cannot play: a click takes up to 0.7 s. */
const LIMIT_MS = 30_000 + Number(values.clicks) * 1_000

const percentile = (numbers: readonly number[], share: number): number =>
  numbers.toSorted((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(numbers.length * share))] ?? NaN

Object.assign(process.env, await provide([...BASIC, ...ENGINE_PROGRAMS]))
const figures = new EventEmitter()
const server = await createServer({
  root: fileURLToPath(new URL('.', import.meta.url)),
  configFile: false,
  logLevel: 'error',
  resolve: { conditions: ['@stagepass/source', ...defaultClientConditions] },
  build: { target: 'es2022' },
  server: { host: '127.0.0.1', port: 0, hmr: false, watch: null, fs: { strict: false } },
  plugins: [
    {
      name: 'measured',
      configureServer: ({ middlewares }) => {
        middlewares.use('/measured', (request, response) => {
          void json(request).then((measured) => figures.emit('measured', measured))
          response.end()
        })
      },
    },
  ],
})
await server.listen()

async function measure(engine: Engine): Promise<Measured> {
  await using browser = await startEngine(engine)
  const measured = once(figures, 'measured', { signal: AbortSignal.timeout(LIMIT_MS) })
  const page = `${server.resolvedUrls!.local[0]!}?clicks=${values.clicks}&cushionMs=${CUSHION_MS}`
  const [[result]] = await Promise.all([measured, browser.open(page)])
  return result as Measured
}

function show(what: string, delays: readonly number[], aim: number | undefined): void {
  const p95 = percentile(delays, 0.95)
  const verdict = aim === undefined ? '' : p95 < aim ? `holds (under ${aim})` : `BROKEN (not under ${aim})`
  if (verdict.startsWith('BROKEN')) process.exitCode = 1
  console.log(`  ${what}: p50 ${percentile(delays, 0.5)} ms, p95 ${p95} ms  ${verdict}`)
}

try {
  for (const engine of ENGINES) {
    if (values.only !== undefined && values.only !== engine) continue
    console.log(engine)
    const measured = await measure(engine).catch((thrown: unknown) => ({
      error: `Failed to measure: no figures within ${LIMIT_MS} ms. ${String(thrown)}`,
    }))
    if ('error' in measured) {
      console.log(`  ${measured.error}`)
      process.exitCode = 1
      continue
    }
    const isAimed = engine === 'chromium'
    show('click to frame', measured.clickToFrame, isAimed ? 60 : undefined)
    show('frame to click', measured.frameToClick, isAimed ? CUSHION_MS + 20 : undefined)
    console.log(`  underruns: ${measured.underruns}`)
  }
} finally {
  await server.close()
}
