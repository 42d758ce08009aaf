import type { BrowserCommand } from 'vitest/node'

/*
 * What a test in a browser cannot do to itself. Each is called from the test as `commands.<name>(…)`.
 */

const passed = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * The page stands still for so long, and the test with it: its process is stopped. A headless Chromium freezes no page by itself, for to it all
 * pages are visible; the events `freeze` and `resume` are the test's to dispatch.
 */
export const stopPage: BrowserCommand<[ms: number]> = async ({ context }, ms) => {
  const devtools = await context.browser()?.newBrowserCDPSession()
  if (!devtools) throw new Error('Failed to stop the page: there is no browser of its own.')
  const { processInfo } = await devtools.send('SystemInfo.getProcessInfo')
  const pages = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id)
  for (const id of pages) process.kill(id, 'SIGSTOP')
  await passed(ms)
  for (const id of pages) process.kill(id, 'SIGCONT')
  await devtools.detach()
}

/** The browser is offline for so long. */
export const goOffline: BrowserCommand<[ms: number]> = async ({ context }, ms) => {
  await context.setOffline(true)
  await passed(ms)
  await context.setOffline(false)
}

/** How many strings of the heap, after a thorough collection, hold this text. */
export const countOnHeap: BrowserCommand<[text: string]> = async ({ context, page }, text) => {
  const devtools = await context.newCDPSession(page)
  // V8 keeps the shapes of dead objects, and their keys with them, for some collections.
  for (let round = 0; round < 6; round += 1) await devtools.send('HeapProfiler.collectGarbage')
  const chunks: string[] = []
  devtools.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => chunks.push(chunk))
  await devtools.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false })
  await devtools.detach()
  const { strings } = JSON.parse(chunks.join('')) as { strings: string[] }
  return strings.filter((string) => string.includes(text)).length
}

declare module 'vitest/browser' {
  interface BrowserCommands {
    stopPage: (ms: number) => Promise<void>
    goOffline: (ms: number) => Promise<void>
    countOnHeap: (text: string) => Promise<number>
  }
}
