import { createEmulator, type Emulator, type EmulatorOptions } from '@stagepass/emulator'
import type { Browser } from 'playwright'
import { afterAll, beforeAll } from 'vitest'
import { openBrowser } from './openBrowser.js'
import { type BuiltDemo, startBuiltDemo } from './startBuiltDemo.js'
import { variablesOf } from './startDemo.js'

/**
 * The demo and a browser, from the first test of a file to its last. With `service` the demo uses an emulator
 * of these options as the real service, by the VOICE_* variables: so the tests see the service's side.
 */
export function shareDemo(service?: EmulatorOptions) {
  let upstream: Emulator | undefined
  let demo: BuiltDemo | undefined
  let browser: Browser | undefined

  beforeAll(async () => {
    upstream = service && (await createEmulator(service))
    ;[demo, browser] = await Promise.all([startBuiltDemo(upstream && variablesOf(upstream)), openBrowser()])
  })

  afterAll(async () => {
    await browser?.close()
    await demo?.[Symbol.asyncDispose]()
    await upstream?.close()
  })

  const started = <TPart>(part: TPart | undefined): TPart => {
    if (part === undefined) throw new Error('Only the tests of the file have it.')
    return part
  }
  return {
    get url(): string {
      return started(demo).url
    },
    get browser(): Browser {
      return started(browser)
    },
    get upstream(): Emulator {
      return started(upstream)
    },
  }
}
