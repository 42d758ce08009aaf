import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright'
import { createServer, defaultClientConditions } from 'vite'

/*
 * Latency of microphone and playback in a real Chromium, through the real worklets, without devices: their own delay comes on top. Exits 1 if a
 * measured number misses its aim. `npm run audio -w @stagepass/bench`
 */

const CLICKS = 60
const CUSHION_MS = 120

const percentile = (numbers: readonly number[], share: number): number =>
  numbers.toSorted((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(numbers.length * share))] ?? NaN

const server = await createServer({
  root: fileURLToPath(new URL('.', import.meta.url)),
  configFile: false,
  logLevel: 'error',
  resolve: { conditions: ['@stagepass/source', ...defaultClientConditions] },
  server: { host: '127.0.0.1', port: 0, hmr: false, watch: null, fs: { strict: false } },
})
await server.listen()
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
  args: [
    '--autoplay-policy=no-user-gesture-required',
    '--use-fake-device-for-media-stream',
    '--use-fake-ui-for-media-stream',
  ],
})
try {
  const page = await browser.newPage()
  await page.goto(server.resolvedUrls!.local[0]!)
  await page.waitForFunction('"bench" in window')
  const rows = [
    { name: 'click to frame', call: `bench.clickToFrame(${CLICKS})`, most: 60 },
    { name: 'frame to click', call: `bench.frameToClick(${CLICKS}, ${CUSHION_MS})`, most: CUSHION_MS + 20 },
  ]
  for (const { name, call, most } of rows) {
    const delays = await page.evaluate<number[]>(call)
    const [p50, p95] = [percentile(delays, 0.5), percentile(delays, 0.95)]
    const holds = p95 < most
    if (!holds) process.exitCode = 1
    console.log(
      `${holds ? 'holds ' : 'BROKEN'}  ${name}: p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms (aim: p95 under ${most} ms)`,
    )
  }
} finally {
  await browser.close()
  await server.close()
}
