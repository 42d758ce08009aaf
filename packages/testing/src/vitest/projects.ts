import { fileURLToPath } from 'node:url'
import { defaultClientConditions, defaultServerConditions } from 'vite'
import type { TestProjectConfiguration } from 'vitest/config'
import type { BrowserProviderOption, InlineConfig } from 'vitest/node'
import * as browserCommands from '../browser/browserCommands.js'
import type { Engine } from '../engines/impossibleCases.js'
import { phoneGlobals } from '../phone/phoneGlobals.js'

/* The projects of vite.config.ts, by the place in which their tests run. */

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))
const pathTo = (file: string): string => fileURLToPath(new URL(file, import.meta.url))

// Packages are used from their sources, so that no build is needed between an edit and a test.
const SOURCE = '@stagepass/source'
const resolve = { conditions: [SOURCE, ...defaultClientConditions] }
// Node itself does not use the condition `module`, and some packages have files for it that only bundlers can
// read.
const serverConditions = [SOURCE, ...defaultServerConditions.filter((name) => name !== 'module')]
const ssr = { resolve: { conditions: serverConditions } }

/** A global set-up of vitest has its own environment. */
export const sources = { resolve, ssr, environments: { __vitest__: ssr } }

// Stryker copies the tests into a folder of .cache, and does not remove it if it is stopped.
const ignored = ['**/node_modules/**', '**/dist/**', '.cache/**']

// Only for tests that hang. Even on a busy machine, a test needs only a small part of this time.
const PATIENT = { testTimeout: 300_000, hookTimeout: 300_000 }

type Options = Omit<InlineConfig, 'name' | 'include'>

// react-use-websocket is CommonJS. Without this option vitest would unwrap its exports, which no browser
// does, and so hide a broken import.
const deps = { interopDefault: false }

/** Tests in Node. */
export const inNode = (
  name: string,
  include: string | readonly string[],
  { exclude = [], setupFiles = [], ...options }: Options = {},
): TestProjectConfiguration => ({
  extends: true,
  test: {
    name,
    environment: 'node',
    setupFiles: [pathTo('patience.ts'), ...[setupFiles].flat()],
    include: [include].flat(),
    exclude: [...ignored, ...exclude],
    ...PATIENT,
    deps,
    ...options,
  },
})

// The emulator also runs inside tests with a document, and needs Node's sockets. With jsdom's conditions it
// would get the stub for browsers.
const nodeSockets = { find: /^ws$/, replacement: `${ROOT}node_modules/ws/wrapper.mjs` }

/** Tests in a simulated page. The files of a worker share its document. */
export const inDocument = (
  name: string,
  include: readonly string[],
  { exclude = [], setupFiles = [], ...options }: Options = {},
  alias: readonly { find: string | RegExp; replacement: string }[] = [],
): TestProjectConfiguration => ({
  extends: true,
  resolve: { ...resolve, alias: [nodeSockets, ...alias] },
  test: {
    name,
    environment: 'jsdom',
    setupFiles: [pathTo('patience.ts'), ...[setupFiles].flat(), pathTo('setupDocument.ts')],
    include: [...include],
    exclude: [...ignored, ...exclude],
    isolate: false,
    ...PATIENT,
    unstubGlobals: true,
    restoreMocks: true,
    deps,
    ...options,
  },
})

const react18 = (name: string): string => `${ROOT}tools/react-18/node_modules/${name}`

/** Tests in a simulated page, with the lowest supported versions of the peers of @stagepass/react. */
export const inReact18 = (name: string, include: readonly string[]): TestProjectConfiguration =>
  inDocument(
    name,
    include,
    {
      // Libraries that import or require react themselves must use this version too. Otherwise they load
      // React 19.
      setupFiles: [`${ROOT}tools/react-18/requireReact18.ts`],
      server: { deps: { inline: [/@testing-library/, /@tanstack\//, /react-use-websocket/] } },
    },
    [
      { find: /^react(\/.*)?$/, replacement: `${react18('react')}$1` },
      { find: /^react-dom(\/.*)?$/, replacement: `${react18('react-dom')}$1` },
      { find: '@tanstack/react-query', replacement: react18('@tanstack/react-query') },
    ],
  )

/**
 * Tests in React Native's own JavaScript, above Node's HTTP and WebSockets, without a document. The packages
 * are resolved as Metro does it.
 */
export const inPhone = (
  name: string,
  include: readonly string[],
  exclude: readonly string[],
): TestProjectConfiguration => ({
  extends: true,
  plugins: [phoneGlobals()],
  ssr: { resolve: { conditions: ['react-native', ...serverConditions] } },
  resolve: {
    alias: [
      { find: '@testing-library/react', replacement: pathTo('../phone/testingLibrary.tsx') },
      { find: 'react-native', replacement: pathTo('../phone/phone.ts') },
    ],
  },
  test: {
    name,
    environment: 'node',
    globalSetup: [pathTo('../phone/phoneBundle.ts')],
    setupFiles: [pathTo('patience.ts'), pathTo('../phone/setupPhone.ts')],
    include: [...include],
    exclude: [...ignored, ...exclude],
    ...PATIENT,
    unstubGlobals: true,
    restoreMocks: true,
    deps,
    // They get the globals of a phone.
    server: { deps: { inline: [/@tanstack\//] } },
  },
})

/** Tests that need a browser, in one of the engines. Each named part of the files has its own browser. */
export const inEngine = (
  engine: Engine,
  include: string | Readonly<Record<string, string>>,
  provider: BrowserProviderOption,
  exclude: readonly string[] = [],
): TestProjectConfiguration => ({
  extends: true,
  // Listed here, so that they are bundled before the first test. If they were found later, the page would
  // reload.
  optimizeDeps: {
    // Only a phone has it. Its source is Flow, which the bundler cannot read.
    exclude: ['react-native'],
    include: [
      '@guidepup/virtual-screen-reader',
      '@tanstack/react-query',
      '@testing-library/react',
      'react',
      'react-dom',
      'react-dom/client',
      'react-use-websocket/dist/lib/create-or-join.js',
      'react-use-websocket/dist/lib/use-websocket.js',
      'react/jsx-dev-runtime',
      'react/jsx-runtime',
    ],
  },
  // WebKitGTK does not support `await using`.
  oxc: { target: 'es2022' },
  test: {
    name: engine,
    provide: { engine },
    setupFiles: [pathTo('patience.ts'), pathTo('../engines/setupEngine.ts')],
    ...PATIENT,
    exclude: [...ignored, ...exclude],
    // BFF and emulator run outside of the browser, because no server can run in it.
    globalSetup: [pathTo('../browser/browserStacks.ts')],
    browser: {
      enabled: true,
      headless: true,
      // These tests stop their browser's processes and use its devices.
      fileParallelism: false,
      screenshotFailures: false,
      commands: browserCommands,
      provider,
      instances:
        typeof include === 'string'
          ? [{ browser: engine, include: [include] }]
          : Object.entries(include).map(([part, files]) => ({
              browser: engine,
              name: `${engine}, ${part}`,
              include: [files],
            })),
    },
  },
})

/** Tests of the demo in a browser. */
export const inDemo = (
  name: string,
  include: readonly string[],
  exclude: readonly string[] = [],
): TestProjectConfiguration =>
  inNode(name, include, {
    exclude: [...exclude],
    isolate: false,
    // One build and one browser for all files.
    globalSetup: [`${ROOT}test/demo/support/shared.ts`],
  })
