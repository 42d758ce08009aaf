import { defineConfig } from 'playwright/test'

export default defineConfig({
  testMatch: '*.spec.ts',
  workers: 1, // the server has one port
  use: {
    permissions: ['microphone'],
    launchOptions: {
      // A microphone that beeps. With sound of your own: --use-file-for-fake-audio-capture=hello.wav
      args: ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'],
    },
  },
})
