/*
 * Tests that cannot pass in an engine, or with its driver. They still run and must fail, so that the list
 * stays correct: a test that passes fails the run, and so does a row without a test. docs/support.md links it.
 */

export const ENGINES = ['chromium', 'firefox', 'webkit'] as const
export type Engine = (typeof ENGINES)[number]

export interface ImpossibleCase {
  readonly engine: Engine
  /** Path of the test file, from the root of the repository. */
  readonly file: string
  /** Name of the test, with the names of its suites. */
  readonly test: string
  /** The reason, as a sentence. */
  readonly reason: string
}

export const IMPOSSIBLE_CASES: readonly ImpossibleCase[] = [
  {
    engine: 'chromium',
    file: 'packages/testing/src/engines/microphone.browser.test.ts',
    test: 'ends the track of a microphone that is unplugged, and has it again afterwards',
    reason: "Chromium's stand-in for a microphone cannot be unplugged.",
  },
  {
    engine: 'webkit',
    file: 'packages/testing/src/engines/microphone.browser.test.ts',
    test: 'ends the track of a microphone that is unplugged, and has it again afterwards',
    reason: 'WebKitGTK does not end the track of a microphone that has gone.',
  },
  {
    engine: 'chromium',
    file: 'packages/audio/src/microphone/microphone.browser.test.ts',
    test: 'continues with another device when its own is unplugged, and returns to it; it stays muted',
    reason: "Chromium's stand-in for a microphone cannot be unplugged.",
  },
  {
    engine: 'webkit',
    file: 'packages/audio/src/microphone/microphone.browser.test.ts',
    test: 'continues with another device when its own is unplugged, and returns to it; it stays muted',
    reason: 'WebKitGTK does not end the track of a microphone that has gone.',
  },
  {
    engine: 'firefox',
    file: 'packages/audio/src/microphone/embedded.browser.test.ts',
    test: 'says which header the site must send, if its own page has no right to a microphone',
    reason: 'Firefox does not know the header Permissions-Policy.',
  },
  {
    engine: 'webkit',
    file: 'packages/audio/src/microphone/embedded.browser.test.ts',
    test: 'says which header the site must send, if its own page has no right to a microphone',
    reason: 'WebKitGTK does not know the header Permissions-Policy.',
  },
  {
    engine: 'webkit',
    file: 'packages/react/src/stream/stream.browser.test.tsx',
    test: 'a stream > reconnects at once when it is online again, if nothing was heard meanwhile',
    reason: 'WebDriver cannot take WebKitGTK offline.',
  },
  {
    engine: 'firefox',
    file: 'packages/react/src/audio/usePushToTalk.browser.test.tsx',
    test: 'S57 the microphone that a finger opened is closed when the finger leaves the button or is cancelled',
    reason: 'Playwright has no touch in Firefox.',
  },
  {
    engine: 'webkit',
    file: 'packages/react/src/audio/usePushToTalk.browser.test.tsx',
    test: 'S57 the microphone that a finger opened is closed when the finger leaves the button or is cancelled',
    reason: 'WebDriver of WebKitGTK has no touch.',
  },
  {
    engine: 'webkit',
    file: 'packages/react/src/audio/usePushToTalk.browser.test.tsx',
    test: 'ignores the right button of the mouse',
    reason: 'WebDriver of WebKitGTK never releases the right button.',
  },
  {
    engine: 'webkit',
    file: 'packages/react/src/audio/recipes.browser.test.tsx',
    test: 'voice isolation: the other side of a call hears the cleaned voice, and nothing after the end',
    reason: 'WebKitGTK of Debian has no WebRTC.',
  },
]

/** Facts that the set-up of a test in an engine adds to the report of the run. */
export interface EngineMeta {
  readonly engine: Engine
  /** The reason why the test cannot pass in this engine. */
  readonly impossible?: string | undefined
}
