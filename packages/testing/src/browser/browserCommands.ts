import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { BrowserCommand } from 'vitest/node'
import type { InputStep } from '../engines/input.js'
import type { EngineControl } from '../engines/providers.js'
import type { SoundDevice } from '../engines/startSound.js'
import { type Cue, cuesOf } from '../ffmpeg.js'

/* Actions that a test in a browser cannot do by itself. A test calls them as `commands.<name>(…)`. */

const passed = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * Stops the process of the page, and with it the test, for this time. No engine freezes a page without a
 * window by itself. The test must dispatch the events `freeze` and `resume`.
 */
export const stopPage: BrowserCommand<[ms: number]> = async ({ engine }, ms) => {
  const pages = engine.pageProcesses()
  if (pages.length === 0) throw new Error('Failed to stop the page: its process was not found.')
  for (const id of pages) process.kill(id, 'SIGSTOP')
  await passed(ms)
  for (const id of pages) process.kill(id, 'SIGCONT')
}

/** Takes the browser offline for this time. */
export const goOffline: BrowserCommand<[ms: number]> = async ({ engine }, ms) => {
  if (!engine.setOffline) throw new Error('Failed to go offline: the driver of this engine cannot do it.')
  await engine.setOffline(true)
  await passed(ms)
  await engine.setOffline(false)
}

/** Removes a device, even while it is in use. `microphone1` is the default device. */
export const unplug: BrowserCommand<[device: SoundDevice]> = async ({ engine }, device) => {
  if (!engine.sound) throw new Error(`Failed to unplug ${device}: this engine has no such device.`)
  await engine.sound.unplug(device)
}

/** Adds the device again. */
export const plug: BrowserCommand<[device: SoundDevice]> = async ({ engine }, device) => {
  await engine.sound?.plug(device)
}

/** Simulates an action of a user. */
export const input: BrowserCommand<[step: InputStep]> = ({ engine }, step) => engine.input(step)

/** The cues that ffmpeg finds in a SubRip file. */
export const srtCues: BrowserCommand<[file: string]> = (_, file) => cuesOf(file, 'srt')

/** Serves a page once, from an origin of its own. Resolves with its address. */
export const servePage: BrowserCommand<[html: string, headers?: Record<string, string>]> = async (
  _,
  html,
  headers,
) => {
  const server = createServer((_req, res) => {
    res.writeHead(200, { 'content-type': 'text/html', ...headers }).end(html)
    server.close()
  })
  server.listen(0, '127.0.0.1').unref()
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

declare module 'vitest/node' {
  interface BrowserCommandContext {
    engine: EngineControl
  }
}

declare module 'vitest/browser' {
  interface BrowserCommands {
    stopPage: (ms: number) => Promise<void>
    goOffline: (ms: number) => Promise<void>
    unplug: (device: SoundDevice) => Promise<void>
    plug: (device: SoundDevice) => Promise<void>
    input: (step: InputStep) => Promise<void>
    srtCues: (file: string) => Promise<Cue[]>
    servePage: (html: string, headers?: Record<string, string>) => Promise<string>
  }
}
