import { existsSync } from 'node:fs'
import type { LaunchOptions } from 'playwright'

/** `CHROMIUM_PATH`, else the system's Chromium, else the one that Playwright has installed. */
export function launchOptions(): LaunchOptions {
  const system = '/usr/bin/chromium'
  const executablePath = process.env.CHROMIUM_PATH ?? (existsSync(system) ? system : undefined)
  return {
    ...(executablePath === undefined ? {} : { executablePath }),
    args: [
      '--use-fake-device-for-media-stream',
      '--use-fake-ui-for-media-stream',
      '--autoplay-policy=no-user-gesture-required',
      // A name that is not localhost, for pages on plain http.
      '--host-resolver-rules=MAP app.test 127.0.0.1',
    ],
  }
}
