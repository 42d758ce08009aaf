import { availableParallelism } from 'node:os'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'
import { chromium, firefox, webKit } from './packages/testing/src/engines/providers.js'
import { LongestFirst } from './packages/testing/src/vitest/LongestFirst.js'
import {
  inDemo,
  inDocument,
  inEngine,
  inNode,
  inReact18,
  sources,
} from './packages/testing/src/vitest/projects.js'

const REACT = ['packages/react/src/**/*.test.{ts,tsx}', 'test/**/*.test.tsx']
const REACT_18 = 'packages/react/src/react18.test.ts'
// Without a document, which the tests of the server must not find. Beside tests with one, it would end their
// workers.
const SERVER = 'packages/react/src/server.test.tsx'

const BROWSER = 'packages/**/*.browser.test.{ts,tsx}'
const SOUND = 'packages/react/src/audio/**/*.browser.test.{ts,tsx}'
const UNPLUGGED = 'packages/**/unplugged.browser.test.ts'
const PAGE_SOCKETS = 'packages/emulator/src/browser/socket/*.browser.test.ts'

const PROCESSES = '**/*.processes.test.ts'
const ALERTS = 'examples/observability/alerts.processes.test.ts'
const BENCH_PAGE = 'test/bench/**/*.processes.test.ts'
const TOPOLOGIES = '**/*.topologies.test.ts'
const CROWD = '**/*.crowd.test.ts'
const PACKED = 'test/packages/tarballs.test.ts'
const SITE = '**/*.site.test.ts'
const START_PAGES = '**/*.registry.test.ts'

// It wants Python, Ruby, Java, PHP, Go and Caddy (scripts/programs.ts).
const ANY_BACKEND = 'test/anyBackend/*.test.ts'

// It wants a Postgres (scripts/programs.ts).
const POSTGRES = '**/*.postgres.test.ts'

const DEMO = 'test/demo/**/*.test.ts'
const PLAYGROUND = 'test/demo/**/*.page.test.ts'
const EVERY_CODE = 'test/demo/**/*.everyCode.test.ts'
const EVERY_ENGINE = 'test/demo/engines.test.ts'
const EVERY_SCREEN = ['test/demo/accessibility.test.ts', 'test/demo/faults.test.ts']

/*
 * The files of a worker share its modules: half of the time of a file would go to imports otherwise. So a
 * file must leave nothing behind, and these have a process of their own: they stub the environment, listen to
 * the process, or measure its heap.
 */
const ALONE = [
  'packages/emulator/src/**/createEmulator.test.ts',
  'packages/bff/src/**/fuzz.test.ts',
  'packages/bff/src/**/bounds.test.ts',
]

const NODE = ['{packages/*/src,examples,scripts,test}/**/*.test.ts', SERVER]
const NOT_NODE = [
  ...ALONE,
  'packages/react/**/*.test.ts',
  '**/*.browser.test.{ts,tsx}',
  PROCESSES,
  TOPOLOGIES,
]

const CHROMIUM = ['chromium', chromium()] as const
const FIREFOX = ['firefox', firefox()] as const
const WEBKIT = ['webkit', webKit()] as const

/** Not in `npm test`: scripts/check.ts runs them. */
const SLOW = [
  // Many minutes, most of them windows and failovers (scripts/topologies.ts).
  inNode('topologies', TOPOLOGIES, { maxWorkers: 1, maxConcurrency: 3, testTimeout: 180_000 }),
  // It builds and packs everything, as `npm run check` does anyway.
  inNode('packed', PACKED),
  // It installs applications from a registry of its own, and each has the port of its page.
  inNode('start pages', START_PAGES),
  // A thousand users at once: beside other tests an instance can be so slow that the others take it for dead,
  // and load its page again.
  inNode('crowd', CROWD),
  // It wants a Prometheus (scripts/checkRules.ts).
  inNode('alerts', ALERTS),
  // It builds the docs site, and looks at every page of it. Two servers would write one cache.
  inNode('site', SITE, { maxWorkers: 1 }),
  // Servers in other languages, each with the program of packages/server, behind nginx and Caddy.
  inNode('any backend', ANY_BACKEND, { maxWorkers: 1 }),
  inNode('postgres', POSTGRES),
  // It runs benches, which have no meaning beside other tests.
  inNode('bench page', BENCH_PAGE),
  // The tests in a simulated page hold what the playground does. This looks at it.
  inDemo('playground', [PLAYGROUND]),
  // Another engine's own WebSocket beside that of the emulator in the page. `npm test` compares with
  // Chromium's.
  inEngine('firefox, sockets', PAGE_SOCKETS, FIREFOX),
  inEngine('webkit, sockets', PAGE_SOCKETS, WEBKIT),
  // After its loudspeaker was gone, Firefox on a busy machine plays nothing more in any test.
  inEngine('firefox, unplugged', UNPLUGGED, FIREFOX),
  // Sound in WebKitGTK crashes now and then, and takes the page with it (docs/browsers.md).
  inEngine('webkit, sound', SOUND, WEBKIT),
  // Tables that tests of the packages hold, once more through the whole demo.
  inDemo('every code', [EVERY_CODE]),
  // Axe on thirteen screens in four views, and an error of each kind.
  inDemo('every screen', EVERY_SCREEN),
  // A browser of each engine, one after the other.
  inDemo('every engine', [EVERY_ENGINE]),
]

export default defineConfig({
  plugins: [react()],
  ...sources,
  test: {
    // Twice the processors: about half of the workers wait for a page, a process or a window of the budget.
    maxWorkers: availableParallelism() * 2,
    sequence: { sequencer: LongestFirst },
    expect: { poll: { timeout: 30_000 } },
    projects: [
      inNode('node', NODE, {
        exclude: [...NOT_NODE, CROWD, PACKED, SITE, START_PAGES, ANY_BACKEND, POSTGRES, DEMO],
        isolate: false,
        testTimeout: 60_000,
      }),
      inNode('node, alone', ALONE, { testTimeout: 60_000 }),
      // Each test of a fleet keeps several processes busy.
      inNode('processes', PROCESSES, { exclude: [ALERTS, BENCH_PAGE], maxConcurrency: 2 }),
      inDocument('dom', REACT, { exclude: [BROWSER, REACT_18, SERVER] }),
      inReact18('dom, React 18', [REACT_18, SERVER]),
      inEngine('chromium', BROWSER, CHROMIUM, [UNPLUGGED]),
      inEngine('firefox', BROWSER, FIREFOX, [UNPLUGGED, PAGE_SOCKETS]),
      inEngine('webkit', BROWSER, WEBKIT, [SOUND, PAGE_SOCKETS]),
      inDemo('end to end', [DEMO], [EVERY_CODE, EVERY_ENGINE, ...EVERY_SCREEN, PLAYGROUND]),
      ...(process.env.SLOW_TESTS === undefined ? [] : SLOW),
    ],
  },
})
