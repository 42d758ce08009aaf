import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { LaunchOptions } from 'playwright'

/*
 * Options for the browsers that Playwright starts: a fake microphone, allowed without a question, and sound
 * without a user gesture.
 */

const DEBIAN = '/usr/bin/chromium'

/** Uses `CHROMIUM_PATH`, or the system's Chromium, or Playwright's Chromium, in this order. */
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

/** Firefox also needs a sound server (startSound.ts), given in `env`. */
export const firefoxOptions = (): LaunchOptions => ({
  channel: 'moz-firefox',
  executablePath: fileURLToPath(new URL('firefoxLauncher.mjs', import.meta.url)),
  firefoxUserPrefs: {
    'media.navigator.permission.disabled': true,
    'media.autoplay.default': 0,
    'media.autoplay.blocking_policy': 0,
  },
})
