import { setTimeout as passed } from 'node:timers/promises'
import type { Emulator } from '@stagepass/emulator'
import { startChromium } from '../browser/startChromium.js'
import { startSite } from '../browser/startSite.js'
import { createRecorder } from '../report/createRecorder.js'
import { UTTERANCES, writeTalk } from './talk.js'

/*
 * What a session with `silence` costs beside the same one without, in a Chromium whose microphone hears a talk
 * of 37 s. `npm run minutes -w @stagepass/bench`
 */

/** Beyond the speech, for each utterance. */
const PAID_BESIDE_MS = 3_000
const paidMs = (upstream: Emulator): number =>
  Object.values(upstream.billedMs()).reduce((sum, ms) => sum + ms, 0)

const recorder = createRecorder()
using talk = writeTalk()
await using site = await startSite(new URL('./page.tsx', import.meta.url), { paths: ['/waits', '/stays'] })
await using chromium = await startChromium([
  '--use-fake-ui-for-media-stream',
  '--use-fake-device-for-media-stream',
  // The file begins when the device is opened.
  `--use-file-for-fake-audio-capture=${talk.file}%noloop`,
])
await using page = await chromium.open(site.url)
await page.evaluate('bench.start()')
// A busy machine takes a while from the start to the talk.
const begun = site.upstreams.map(paidMs)
await passed(talk.lengthMs)
await page.evaluate('bench.untilWaiting()')
const [own = NaN, other = NaN] = site.upstreams.map(
  (upstream, index) => paidMs(upstream) - (begun[index] ?? 0),
)
const mostMs = talk.speechMs + UTTERANCES * PAID_BESIDE_MS
recorder.keep({
  what: 'A talk with pauses, in Chromium',
  beside: 'an open stream',
  own: (60 * own) / other,
  other: 60,
  unit: 'paid minutes of an hour',
  aim: { atMost: Number((mostMs / other).toFixed(2)) },
})
recorder.hold('tokens', site.upstream.counts.token, { atMost: 2 })
recorder.end()
