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
  inPhone,
  inReact18,
  sources,
} from './packages/testing/src/vitest/projects.js'
import { reactCompiler } from './packages/testing/src/vitest/reactCompiler.js'

const DOM = ['packages/{react,audio}/src/**/*.test.{ts,tsx}', '{test,examples}/**/*.test.tsx']
const REACT_18 = 'packages/react/src/react18.test.ts'
// Without a document, which the tests of the server must not find. Beside tests with one, it would end their
// workers.
const SERVER = 'packages/react/src/server.test.tsx'
const NATIVE = 'packages/react/src/**/*.native.test.{ts,tsx}'
/** Tests of @stagepass/react that need no document, and those of a phone alone. */
const PHONE = [
  'packages/react/src/halfEmoji.test.tsx',
  'packages/react/src/{codecs,events,stream,token,transcript}/**/*.test.{ts,tsx}',
  'packages/react/src/errors/{VoiceError,checkTimes}.test.{ts,tsx}',
  'packages/react/src/meetings/{deadCursor,offline,useMeeting,useTags}.test.tsx',
  'packages/react/src/request/{mergeHeaders,retryPolicy,signIn}.test.{ts,tsx}',
  NATIVE,
]
// They need a document, or look at the address of a socket.
const NOT_ON_A_PHONE = [
  '**/*.browser.test.*',
  'packages/react/src/transcript/useFollowEnd.test.tsx',
  'packages/react/src/stream/emulator.test.tsx',
  'packages/react/src/stream/lease/{storedTicket,leaseThroughBff}.test.{ts,tsx}',
]
// The tests of the hooks for sound wait for real sound, and take half of the time.
const HOOKS = 'packages/react/src/audio/**/*.browser.test.{ts,tsx}'
const OTHERS = '{packages/!(react),packages/react/src/!(audio),registry}/**/*.browser.test.{ts,tsx}'
const BROWSER = '{packages,registry}/**/*.browser.test.{ts,tsx}'
// Only Firefox can lose its loudspeaker.
const UNPLUGGED = 'packages/**/unplugged.browser.test.ts'
// The sound of WebKitGTK crashes now and then, and takes the page with it (docs/support.md).
const SOUND = 'packages/{react/src/audio,audio/src}/**/*.browser.test.{ts,tsx}'
const DEMO = 'test/demo/**/*.test.ts'
/** The whole way once through everything. */
const MAIN_JOB = 'test/demo/mainJob.test.ts'
/** Programs, pages, components and applications that use the packages, each as a whole. */
const USERS = [
  // Of the components, one page with all of them and one session in three of them stay.
  'registry/tests/!(voice-page|oneSession).*',
  'test/{playground,assistants}/**',
  'test/docs/{code,openapi}.test.ts',
  'packages/create-stagepass/**',
]
/** What ffmpeg reads of the captions that a package writes. */
const CAPTION_FILES = ['packages/react/src/transcript/formats.test.ts']
const SLOW = '**/*.slow.test.ts'
const LIVE = '**/*.live.test.ts'

/*
 * scripts/test.ts says which projects run, and sets this variable: `quick` for `npm test`, which leaves these
 * two lists out; `engines` for CI. Both have one test of the demo, and no sound in WebKitGTK.
 */
const scope = process.env.TEST_SCOPE ?? 'all'
const leftOut = scope === 'quick' ? [...USERS, ...CAPTION_FILES] : []

export default defineConfig({
  plugins: [react(), process.env.REACT_COMPILER !== undefined && reactCompiler()],
  ...sources,
  test: {
    // Twice the processors: about half of the workers wait for a page, a process or a window of the budget.
    maxWorkers: availableParallelism() * 2,
    sequence: { sequencer: LongestFirst },
    expect: { poll: { timeout: 60_000 } },
    // A test that passes prints nothing.
    silent: 'passed-only',
    slowTestThreshold: 30_000,
    // A browser waits until its first page is bundled, beside all other tests.
    browser: { connectTimeout: 300_000 },
    projects: [
      // Needs a redis-server. Rules, routes and servers, without a page.
      inNode('node', ['{packages/*/src,examples,scripts,test}/**/*.test.ts', SERVER], {
        exclude: ['packages/{react,audio}/**/*.test.ts', BROWSER, DEMO, SLOW, LIVE, ...leftOut],
        isolate: false,
      }),
      // Needs nothing. Hooks and components in jsdom, which would cost tests in Node a second a file.
      inDocument('dom', DOM, { exclude: [BROWSER, REACT_18, SERVER, SLOW, NATIVE, ...leftOut] }),
      // Needs nothing. The same with the oldest React that is supported: other modules under the same names.
      inReact18('dom, React 18', [REACT_18, SERVER]),
      // Needs nothing. The hooks a second time, as an application in React Native has them.
      inPhone('phone', PHONE, NOT_ON_A_PHONE),
      // Each needs its browser, the last two a screen and a sound server too: what jsdom does not have.
      // Chromium is started twice, because its files decide how long `npm test` takes.
      inEngine('chromium', { hooks: HOOKS, others: OTHERS }, chromium(), [UNPLUGGED, ...leftOut]),
      inEngine('firefox', BROWSER, firefox()),
      inEngine('webkit', BROWSER, webKit(), [UNPLUGGED, ...(scope === 'all' ? [] : [SOUND])]),
      // Needs a Chromium and a redis-server. The demo is built once for all of them.
      inDemo('demo', [scope === 'all' ? DEMO : MAIN_JOB]),
      // Needs the programs of scripts/programs.ts. One file after the other, each in a process of its own:
      // they measure the heap, start fleets, install applications, or wait for servers in other languages.
      inNode('slow', SLOW, { maxWorkers: 1, maxConcurrency: 3, testTimeout: 900_000 }),
      // Needs a voice service and a key: `npm run test:service`.
      inNode('live', LIVE),
    ],
  },
})
