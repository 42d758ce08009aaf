import { rmSync } from 'node:fs'
import { createEmulator } from '@stagepass/emulator'
import { chromiumOptions } from '@stagepass/testing/launchOptions'
import { chromium } from 'playwright'
import type { TestProject } from 'vitest/node'
import { runVite } from './startDemo.js'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Values that the files of these tests share. */
    demo: {
      /** Address of the one Chromium. */
      readonly browser: string
      /** The built page, from the root of the repository. */
      readonly outDir: string
      /** Secrets that were in the environment of the build. */
      readonly secrets: readonly [apiKey: string, meetingsCredential: string]
    }
  }
}

const outDir = '.cache/demo'

/** A global set-up of vitest: starts one Chromium, and builds the demo once. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  await using upstream = await createEmulator()
  const secrets = [upstream.apiKey, upstream.meetingsCredential] as const
  const [browser] = await Promise.all([
    chromium.launchServer(chromiumOptions()),
    // Built with the secrets in the environment, as on a server that builds and runs.
    runVite(['build', '--outDir', `../../${outDir}`, '--emptyOutDir'], {
      VOICE_API_KEY: secrets[0],
      VOICE_MEETINGS_TOKEN: secrets[1],
    }),
  ])
  project.provide('demo', { browser: browser.wsEndpoint(), outDir, secrets })
  return async () => {
    await browser.close()
    rmSync(outDir, { recursive: true, force: true })
  }
}
