import type { BrowserCommand } from 'vitest/node'
import type { InputStep } from '../engines/input.js'
import type { EngineControl } from '../engines/providers.js'
import type { SoundDevice } from '../engines/startSound.js'

/*
 * What a test in a browser cannot do to itself. Each is called from the test as `commands.<name>(…)`.
 */

const passed = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * The page stands still for so long, and the test with it: its process is stopped. No engine freezes a page
 * without a window by itself; the events `freeze` and `resume` are the test's to dispatch.
 */
export const stopPage: BrowserCommand<[ms: number]> = async ({ engine }, ms) => {
  const pages = engine.pageProcesses()
  if (pages.length === 0) throw new Error('Failed to stop the page: its process was not found.')
  for (const id of pages) process.kill(id, 'SIGSTOP')
  await passed(ms)
  for (const id of pages) process.kill(id, 'SIGCONT')
}

/** The browser is offline for so long. */
export const goOffline: BrowserCommand<[ms: number]> = async ({ engine }, ms) => {
  if (!engine.setOffline) throw new Error('Failed to go offline: the driver of this engine cannot do it.')
  await engine.setOffline(true)
  await passed(ms)
  await engine.setOffline(false)
}

/** Takes a device away while it may be in use. `microphone1` is the default. */
export const unplug: BrowserCommand<[device: SoundDevice]> = async ({ engine }, device) => {
  if (!engine.sound) throw new Error(`Failed to unplug ${device}: this engine has no real one.`)
  await engine.sound.unplug(device)
}

/** Gives it back. */
export const plug: BrowserCommand<[device: SoundDevice]> = async ({ engine }, device) => {
  await engine.sound?.plug(device)
}

/** Does what a user does. */
export const input: BrowserCommand<[step: InputStep]> = ({ engine }, step) => engine.input(step)

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
  }
}
