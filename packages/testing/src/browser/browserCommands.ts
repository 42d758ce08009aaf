import type { BrowserCommand } from 'vitest/node'
import type { EngineControl } from '../engines/providers.js'

/*
 * What a test in a browser cannot do to itself. Each is called from the test as `commands.<name>(…)`.
 */

const passed = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * The page stands still for so long, and the test with it: its process is stopped. No engine freezes a page without a window by itself; the
 * events `freeze` and `resume` are the test's to dispatch.
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

/** Takes a microphone away while it may be in use: 1 is the default, 2 the other one. */
export const unplugMicrophone: BrowserCommand<[microphone: 1 | 2]> = async ({ engine }, microphone) => {
  if (!engine.sound) throw new Error('Failed to unplug: the microphone of this engine is not a real one.')
  await engine.sound.unplug(microphone)
}

/** Gives it back. */
export const plugMicrophone: BrowserCommand<[microphone: 1 | 2]> = async ({ engine }, microphone) => {
  await engine.sound?.plug(microphone)
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
    unplugMicrophone: (microphone: 1 | 2) => Promise<void>
    plugMicrophone: (microphone: 1 | 2) => Promise<void>
  }
}
