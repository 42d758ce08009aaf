import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { LaunchOptions } from 'playwright'

/*
 * How the browsers that Playwright drives are started: with a stand-in for a microphone, allowed without
 * asking, and with sound without a tap.
 */

const DEBIAN = '/usr/bin/chromium'

/** `CHROMIUM_PATH`, else the system's Chromium, else the one that Playwright has installed. */
export function chromiumOptions(): LaunchOptions {
  const executablePath = process.env.CHROMIUM_PATH ?? (existsSync(DEBIAN) ? DEBIAN : undefined)
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

/** It also wants a sound server (startSound.ts), in `env`. */
export const firefoxOptions = (): LaunchOptions => ({
  channel: 'moz-firefox',
  executablePath: fileURLToPath(new URL('firefoxLauncher.mjs', import.meta.url)),
  firefoxUserPrefs: {
    'media.navigator.permission.disabled': true,
    'media.autoplay.default': 0,
    'media.autoplay.blocking_policy': 0,
  },
})
