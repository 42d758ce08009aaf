import { existsSync } from 'node:fs'
import type { Browser } from 'playwright'
import { chromium } from 'playwright'

/** `CHROMIUM_PATH`, else the system's Chromium, else the one that Playwright has installed. `args` are added to its command line. */
export function openBrowser(args: readonly string[] = []): Promise<Browser> {
  const system = '/usr/bin/chromium'
  const executablePath = process.env.CHROMIUM_PATH ?? (existsSync(system) ? system : undefined)
  return chromium.launch({
    ...(executablePath === undefined ? {} : { executablePath }),
    args: [
      '--use-fake-device-for-media-stream',
      '--use-fake-ui-for-media-stream',
      '--autoplay-policy=no-user-gesture-required',
      ...args,
    ],
  })
}
