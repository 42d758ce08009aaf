import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defaultClientConditions, defaultServerConditions } from 'vite'
import { defineConfig, type TestProjectConfiguration } from 'vitest/config'
import type { BrowserProviderOption } from 'vitest/node'
import * as browserCommands from './packages/testing/src/browser/browserCommands.js'
import type { Engine } from './packages/testing/src/engines/impossibleCases.js'
import { chromium, firefox, webKit } from './packages/testing/src/engines/providers.js'
import { LongestFirst } from './scripts/longestFirst.js'

const pathTo = (file: string) => fileURLToPath(new URL(file, import.meta.url))

// Packages are used from their sources: no build stands between an edit and the page or a test.
const source = '@stagepass/source'
const resolve = { conditions: [source, ...defaultClientConditions] }
// Node itself does not know `module`, and some packages have files under it that only bundlers can read.
const serverConditions = [source, ...defaultServerConditions.filter((name) => name !== 'module')]
const ssr = { resolve: { conditions: serverConditions } }
// What vitest runs beside a browser (a global set-up) has an environment of its own.
const environments = { __vitest__: ssr }

const reactTests = ['packages/react/src/**/*.test.{ts,tsx}', 'test/**/*.test.tsx']
const react18Tests = 'packages/react/src/react18.test.ts'
// Without a document, which the tests of the server must not find. Beside tests with one, it would end their workers.
const serverTests = 'packages/react/src/server.test.tsx'
const browserTests = '**/*.browser.test.{ts,tsx}'
const soundTests = 'packages/react/src/audio/**/*.browser.test.{ts,tsx}'
const unpluggedTests = 'packages/**/unplugged.browser.test.ts'
const processTests = '**/*.processes.test.ts'
const topologyTests = '**/*.topologies.test.ts'
const crowdTests = '**/*.crowd.test.ts'
const alertTests = 'examples/observability/alerts.processes.test.ts'
const packedTests = 'test/packages/tarballs.test.ts'
const siteTests = '**/*.site.test.ts'
const registryTests = '**/*.registry.test.ts'
const benchPageTests = 'test/bench/**/*.processes.test.ts'
const playgroundTests = 'test/demo/**/*.page.test.ts'
const pageSocketTests = 'packages/emulator/src/browser/socket/*.browser.test.ts'
const everyCodeTests = 'test/demo/**/*.everyCode.test.ts'
const everyEngineTests = 'test/demo/engines.test.ts'
const everyScreenTests = ['test/demo/accessibility.test.ts', 'test/demo/faults.test.ts']
const patience = pathTo('test/patience.ts')
const ignored = ['**/node_modules/**', '**/dist/**']

/*
 * The files of a worker share its modules: half of the time of a file would go to imports otherwise. So a file must leave nothing behind, and
 * these have a process of their own: they stub the environment, listen to the process, or measure its heap.
 */
const ALONE = [
  'packages/emulator/src/**/createEmulator.test.ts',
  'packages/bff/src/**/fuzz.test.ts',
  'packages/bff/src/**/bounds.test.ts',
]

// react-use-websocket is CommonJS. Without this vitest would unwrap its exports where no browser does, and hide a broken import.
const deps = { interopDefault: false }

const inDocument = {
  environment: 'jsdom',
  isolate: false,
  testTimeout: 60_000,
  unstubGlobals: true,
  restoreMocks: true,
  deps,
} as const

/** The demo in a browser. */
const inDemo = (name: string, include: readonly string[], exclude: readonly string[]) =>
  ({
    extends: true,
    test: {
      name,
      environment: 'node',
      setupFiles: [patience],
      isolate: false,
      include: [...include],
      exclude: [...exclude],
      // One build and one browser for all files.
      globalSetup: [pathTo('test/demo/support/shared.ts')],
      testTimeout: 120_000,
      hookTimeout: 120_000,
      deps,
    },
  }) satisfies TestProjectConfiguration

// The emulator runs inside tests with a document too, and its sockets are Node's; jsdom's conditions would give it the browser's stub.
const nodeSockets = {
  find: /^ws$/,
  replacement: pathTo('node_modules/ws/wrapper.mjs'),
}

/** The tests that need a browser, in one of the engines. */
const inEngine = (
  engine: Engine,
  provider: BrowserProviderOption,
  {
    name = engine,
    include = `packages/${browserTests}`,
    exclude = [],
  }: { name?: string; include?: string; exclude?: string[] } = {},
) =>
  ({
    extends: true,
    // Named here, they are bundled before the first test; found on the way, they would reload its page.
    optimizeDeps: {
      include: [
        '@tanstack/react-query',
        '@testing-library/react',
        'react',
        'react-dom',
        'react-dom/client',
        'react-use-websocket/dist/lib/use-websocket.js',
        'react/jsx-dev-runtime',
        'react/jsx-runtime',
      ],
    },
    // WebKitGTK does not know `await using`.
    oxc: { target: 'es2022' },
    test: {
      name,
      provide: { engine },
      setupFiles: [patience, pathTo('packages/testing/src/engines/setupEngine.ts')],
      testTimeout: 60_000,
      include: [include],
      exclude: [...ignored, ...exclude],
      // BFF and emulator run beside the browser: no server can run in it.
      globalSetup: [pathTo('packages/testing/src/browser/browserStacks.ts')],
      browser: {
        enabled: true,
        headless: true,
        // These stop the browser's processes, listen to its devices, and mostly wait.
        fileParallelism: false,
        screenshotFailures: false,
        commands: browserCommands,
        provider,
        instances: [{ browser: engine }],
      },
    },
  }) satisfies TestProjectConfiguration

const react18 = (name: string) => pathTo(`test/react-18/node_modules/${name}`)

/** Not in `npm test`: scripts/check.ts runs them. */
const SLOW: TestProjectConfiguration[] = [
  {
    extends: true,
    test: {
      // Many minutes, most of them windows and failovers (scripts/topologies.ts).
      name: 'topologies',
      environment: 'node',
      setupFiles: [patience],
      include: [topologyTests],
      exclude: ignored,
      maxWorkers: 1,
      maxConcurrency: 3,
      testTimeout: 180_000,
      deps,
    },
  },
  {
    extends: true,
    test: {
      // It builds and packs everything, as `npm run check` does anyway.
      name: 'packed',
      environment: 'node',
      include: [packedTests],
      testTimeout: 60_000,
      deps,
    },
  },
  {
    extends: true,
    test: {
      // It installs applications from a registry of its own, and each has the port of its page.
      name: 'start pages',
      environment: 'node',
      include: [registryTests],
      setupFiles: [patience],
      deps,
    },
  },
  {
    extends: true,
    test: {
      // A thousand users at once: beside other tests an instance can be so slow that the others take it for dead, and load its page again.
      name: 'crowd',
      environment: 'node',
      setupFiles: [patience],
      include: [crowdTests],
      testTimeout: 120_000,
      deps,
    },
  },
  {
    extends: true,
    test: {
      // It wants a Prometheus (scripts/checkRules.ts).
      name: 'alerts',
      environment: 'node',
      include: [alertTests],
      testTimeout: 120_000,
      deps,
    },
  },
  {
    extends: true,
    test: {
      // It builds the docs site, and looks at every page of it.
      name: 'site',
      environment: 'node',
      setupFiles: [patience],
      include: [siteTests],
      exclude: ignored,
      testTimeout: 120_000,
      deps,
    },
  },
  {
    extends: true,
    test: {
      // It runs benches, which have no meaning beside other tests.
      name: 'bench page',
      environment: 'node',
      include: [benchPageTests],
      testTimeout: 120_000,
      deps,
    },
  },
  // The tests in a simulated page hold what the playground does. This looks at it.
  inDemo('playground', [playgroundTests], ignored),
  // Another engine's own WebSocket beside that of the emulator in the page. `npm test` compares with Chromium's.
  inEngine('firefox', firefox(), { name: 'firefox, sockets', include: pageSocketTests }),
  inEngine('webkit', webKit(), { name: 'webkit, sockets', include: pageSocketTests }),
  // After its loudspeaker was gone, Firefox on a busy machine plays nothing more in any test.
  inEngine('firefox', firefox(), { name: 'firefox, unplugged', include: unpluggedTests }),
  // Sound in WebKitGTK crashes now and then, and takes the page with it (docs/browsers.md).
  inEngine('webkit', webKit(), { name: 'webkit, sound', include: soundTests }),
  // Tables that tests of the packages hold, once more through the whole demo.
  inDemo('every code', [everyCodeTests], ignored),
  // Axe on twelve screens in four views, and an error of each kind.
  inDemo('every screen', everyScreenTests, ignored),
  // A browser of each engine, one after the other.
  inDemo('every engine', [everyEngineTests], ignored),
]

// `npm run dev` serves the demo from here; vitest finds its projects from the root of the repository, and starts without the demo's server.
async function serveDemo() {
  const { demoServer } = await import('./examples/demo/server/demoServer.js')
  const port = Number(process.env.PORT ?? 5173)
  return {
    root: pathTo('examples/demo'),
    plugins: [react(), demoServer()],
    server: { port, strictPort: true },
    preview: { port, strictPort: true },
  }
}

export default defineConfig({
  ...(process.env.VITEST === undefined ? await serveDemo() : { plugins: [react()] }),
  resolve,
  ssr,
  environments,
  test: {
    // Twice the processors: about half of the workers wait for a page, a process or a window of the budget.
    maxWorkers: availableParallelism() * 2,
    sequence: { sequencer: LongestFirst },
    expect: { poll: { timeout: 30_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'node',
          environment: 'node',
          setupFiles: [patience],
          isolate: false,
          testTimeout: 60_000,
          include: [
            'packages/*/src/**/*.test.ts',
            'examples/**/*.test.ts',
            'scripts/**/*.test.ts',
            'test/**/*.test.ts',
            serverTests,
          ],
          exclude: [
            ...ignored,
            ...ALONE,
            'packages/react/**/*.test.ts',
            browserTests,
            processTests,
            topologyTests,
            crowdTests,
            packedTests,
            siteTests,
            registryTests,
            'test/demo/**',
          ],
          deps,
        },
      },
      {
        extends: true,
        test: {
          name: 'node, alone',
          environment: 'node',
          setupFiles: [patience],
          include: ALONE,
          exclude: ignored,
          testTimeout: 60_000,
          deps,
        },
      },
      {
        extends: true,
        test: {
          name: 'processes',
          environment: 'node',
          setupFiles: [patience],
          include: [processTests],
          exclude: [...ignored, alertTests, benchPageTests],
          // Each test of a fleet keeps several processes busy.
          maxConcurrency: 2,
          testTimeout: 120_000,
          deps,
        },
      },
      {
        extends: true,
        resolve: { ...resolve, alias: [nodeSockets] },
        test: {
          ...inDocument,
          name: 'dom',
          include: reactTests,
          exclude: [...ignored, browserTests, react18Tests, serverTests],
          setupFiles: [patience, pathTo('test/dom.ts')],
        },
      },
      {
        extends: true,
        resolve: {
          ...resolve,
          alias: [
            nodeSockets,
            { find: /^react(\/.*)?$/, replacement: `${react18('react')}$1` },
            { find: /^react-dom(\/.*)?$/, replacement: `${react18('react-dom')}$1` },
            { find: '@tanstack/react-query', replacement: react18('@tanstack/react-query') },
          ],
        },
        test: {
          ...inDocument,
          name: 'dom, React 18',
          include: [react18Tests, serverTests],
          exclude: ignored,
          // Libraries that import or require react themselves must be led to it too, or they bring React 19 along.
          setupFiles: [patience, pathTo('test/react-18/requireReact18.ts'), pathTo('test/dom.ts')],
          server: { deps: { inline: [/@testing-library/, /@tanstack\//, /react-use-websocket/] } },
        },
      },
      inEngine('chromium', chromium(), { exclude: [unpluggedTests] }),
      inEngine('firefox', firefox(), { exclude: [unpluggedTests, pageSocketTests] }),
      inEngine('webkit', webKit(), { exclude: [soundTests, pageSocketTests] }),
      inDemo(
        'end to end',
        ['test/demo/**/*.test.ts'],
        [...ignored, everyCodeTests, everyEngineTests, ...everyScreenTests, playgroundTests],
      ),
      ...(process.env.SLOW_TESTS === undefined ? [] : SLOW),
    ],
  },
})
