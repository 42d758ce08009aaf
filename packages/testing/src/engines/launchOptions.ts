import { fileURLToPath } from 'node:url'
import type { LaunchOptions } from 'playwright'

/* How the browsers that Playwright drives are started: with a stand-in for a microphone, allowed without asking, and with sound without a tap. */

export const chromiumOptions = (): LaunchOptions => ({
  ...(process.env.CHROMIUM_PATH ? { executablePath: process.env.CHROMIUM_PATH } : {}),
  args: [
    '--use-fake-device-for-media-stream',
    '--use-fake-ui-for-media-stream',
    '--autoplay-policy=no-user-gesture-required',
  ],
})

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
