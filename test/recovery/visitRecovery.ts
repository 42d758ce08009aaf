import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fail } from '@stagepass/emulator'
import { startStack } from '@stagepass/testing'
import { chromiumOptions } from '@stagepass/testing/launchOptions'
import { type BrowserContext, chromium, type Page } from 'playwright'
import { build, defaultClientConditions, type Rollup } from 'vite'
import { expect } from 'vitest'
import type { RecoveryPage } from './page.js'
import { FRAME_MS, framesIn } from './frames.js'

/** A site whose page records, and a browser with a profile on the disk. */
export interface RecoverySite extends AsyncDisposable {
  readonly profile: string
  /** The frames that the service heard, on each connection. */
  heard(): number[][]
  /** The service closes the connection, and refuses the next one: the stream fails. */
  refuse(): void
  /** A page of a user. Without finals, it keeps all that it says. */
  open(user: string, finals?: 'none'): Promise<Page>
  /** Kills the browser, with all its pages, or ends it. The next `open` starts another with the same profile. */
  stop(by: 'kill' | 'close'): Promise<void>
}

const HEADER_BYTES = 44

export async function visitRecovery(): Promise<RecoverySite> {
  const result = (await build({
    configFile: false,
    logLevel: 'silent',
    resolve: { conditions: ['@stagepass/source', ...defaultClientConditions] },
    build: { write: false, rollupOptions: { input: fileURLToPath(new URL('page.tsx', import.meta.url)) } },
  })) as Rollup.RollupOutput
  const files = new Map<string, Rollup.OutputChunk>()
  for (const file of result.output) if (file.type === 'chunk') files.set(`/${file.fileName}`, file)
  const [entry] = [...files].find(([, { isEntry }]) => isEntry) ?? []
  const stack = await startStack({
    app(app) {
      app.get('/', (_, response) => {
        response.send(`<!doctype html><body><script type="module" src="${entry}"></script>`)
      })
      app.use(({ path }, response, next) => {
        const file = files.get(path)
        if (file) response.type('js').send(file.code)
        else next()
      })
    },
  })
  const profile = await mkdtemp(join(tmpdir(), 'stagepass-recovery-'))
  let context: BrowserContext | undefined

  async function stop(by: 'kill' | 'close'): Promise<void> {
    const running = context
    context = undefined
    if (by === 'close') return running?.close()
    const session = await running?.browser()?.newBrowserCDPSession()
    const { processInfo = [] } = (await session?.send('SystemInfo.getProcessInfo')) ?? {}
    const closed = running?.waitForEvent('close')
    for (const { id } of processInfo) process.kill(id, 'SIGKILL')
    await closed
  }

  return {
    profile,
    heard: () => Object.values(stack.upstream.heard()).map(framesIn),
    refuse() {
      stack.upstream.use(fail('unauthorized', { on: 'handshake', times: 1, refuseBy: 'close' }))
      stack.upstream.sockets.at(-1)?.close(1008, 'unauthorized')
    },
    stop,
    async open(user, finals) {
      context ??= await chromium.launchPersistentContext(profile, chromiumOptions())
      // A busy machine is slow. The limit of the test is the only one.
      context.setDefaultTimeout(0)
      const page = await context.newPage()
      await page.goto(`${stack.origin}/?user=${user}${finals ? `&finals=${finals}` : ''}`)
      await page.waitForFunction('"page" in window && page.status() === "idle"')
      return page
    },
    async [Symbol.asyncDispose]() {
      await context?.close()
      await stack.close()
      await rm(profile, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** Calls a function of the page. */
export const ask = <TName extends keyof RecoveryPage>(
  page: Page,
  name: TName,
): Promise<RecoveryPage[TName] extends () => infer TResult ? Awaited<TResult> : never> =>
  page.evaluate(`page.${name}()`)

/** What was said, and until which frame the texts are final. */
interface Said {
  readonly last: number
  readonly final: number
}

/** Records until `end`. */
export async function record(page: Page, end: () => Promise<unknown>): Promise<Said> {
  let said = { last: -1, final: 0 }
  await page.exposeFunction(
    'said',
    (last: number, finalMs: number) => void (said = { last, final: finalMs / FRAME_MS }),
  )
  await ask(page, 'record')
  await end()
  return said
}

/** Downloads the newest recording of a user, and deletes all. Returns the numbers of its frames. */
export async function recover(site: RecoverySite, user: string): Promise<number[]> {
  const page = await site.open(user)
  await expect.poll(async () => (await ask(page, 'recordings')).length).toBeGreaterThan(0)
  const [download] = await Promise.all([page.waitForEvent('download'), ask(page, 'download')])
  const file = await readFile(await download.path())
  const frames = framesIn(new Int16Array(Uint8Array.from(file.subarray(HEADER_BYTES)).buffer))
  await ask(page, 'discard')
  await expect.poll(() => ask(page, 'recordings')).toHaveLength(0)
  await page.close()
  return frames
}

/** Signs its user out, which deletes all recordings. */
export async function forget(page: Page): Promise<void> {
  await page.evaluate('page.signOut()')
  await expect.poll(() => ask(page, 'stored')).toEqual({ keys: 0, recordings: 0, pieces: 0 })
}

/** The contents of all files of a folder. */
export async function readAll(folder: string): Promise<Buffer> {
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((one) =>
    one.isFile(),
  )
  return Buffer.concat(
    await Promise.all(files.map(({ parentPath, name }) => readFile(join(parentPath, name)))),
  )
}
