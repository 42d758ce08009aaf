import { readOptions } from '../../scripts/options.js'
import { type Ratio, writeRatios } from '../report/ratios.js'
import { burst } from './burst.js'
import { startChromium } from './chromium.js'
import { heap } from './heap.js'
import type { Hold, Run } from './measure.js'
import { shown } from './measure.js'
import { open } from './open.js'
import { paced } from './paced.js'
import { rollover } from './rollover.js'
import { startSite } from './site.js'
import { soak } from './soak.js'
import { speech } from './speech.js'
import { transitions } from './transitions.js'

/*
 * Compares `useStream` in a real Chromium with a plain WebSocket and with react-use-websocket as in its
 * README, in one run. Prints ratios, and exits with 1 if a number misses its aim. `npm run stream -w
 * @stagepass/bench -- --rounds 5 --only burst,paced`
 */
const { values } = readOptions(
  'npm run stream -w @stagepass/bench -- [--rounds 5] [--only <part>,<part>] [--json <file>]',
  {
    options: {
      rounds: { type: 'string', default: '5' },
      only: { type: 'string' },
      json: { type: 'string' },
    },
  },
)

const failures: string[] = []
const ratios: Ratio[] = []
const hold: Hold = (what, value, most) => {
  const holds = value <= most
  if (!holds) failures.push(what)
  console.log(`  ${holds ? 'holds ' : 'BROKEN'}  ${what}: ${shown(value)} (at most ${most})`)
}

const parts: Readonly<Record<string, (run: Run) => Promise<void>>> = {
  open,
  burst,
  paced,
  transitions,
  heap,
  rollover,
  speech,
  soak: () => soak(hold),
}
await using chromium = await startChromium(process.env.CHROMIUM_PATH ?? '/usr/bin/chromium')
for (const [name, part] of Object.entries(parts)) {
  if (values.only !== undefined && !values.only.split(',').includes(name)) continue
  await using site = await startSite()
  await part({ chromium, site, rounds: Number(values.rounds), hold, keep: (ratio) => ratios.push(ratio) })
}
writeRatios(ratios)
console.log(failures.length === 0 ? '\nAll numbers hold.' : `\nBroken: ${failures.join('; ')}`)
process.exitCode = failures.length === 0 ? 0 : 1
