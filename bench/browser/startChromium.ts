import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as passed } from 'node:timers/promises'
import { BASIC, provide } from '../../scripts/programs.js'

/**
 * A page in a Chromium that is controlled only by its own protocol. A test driver copies every socket frame,
 * which would be measured too.
 */
export interface Page extends AsyncDisposable {
  /** Evaluates an expression in the page, and waits if it is a promise. */
  evaluate<TValue>(expression: string): Promise<TValue>
  /** Processor time of all tasks of the main thread since the page began, in milliseconds. */
  busyMs(): Promise<number>
  /** Bytes in use after a thorough collection. */
  heapBytes(): Promise<number>
}

export interface Chromium extends AsyncDisposable {
  /** Opens a page, and waits until it has set `window.bench`. */
  open(url: string): Promise<Page>
}

const FLAGS = [
  '--headless=new',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-extensions',
  '--disable-background-networking',
  '--no-first-run',
  '--autoplay-policy=no-user-gesture-required',
  '--remote-debugging-pipe',
]

interface Answer {
  readonly id?: number
  readonly result?: unknown
  readonly error?: { readonly message: string }
}

/** Starts a Chromium with a new profile. `more`: flags beside those of every bench. */
export async function startChromium(more: readonly string[] = []): Promise<Chromium> {
  Object.assign(process.env, await provide(BASIC))
  const profile = await mkdtemp(join(tmpdir(), 'stagepass-bench-'))
  const browser = spawn(process.env.CHROMIUM_PATH ?? '', [...FLAGS, ...more, `--user-data-dir=${profile}`], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
  })
  const [, , , input, output] = browser.stdio as unknown as [null, null, null, Writable, Readable]
  const waiting = new Map<number | undefined, (answer: Answer) => void>()
  let lastId = 0
  let rest = ''
  output.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\0')
    rest = parts.pop() ?? ''
    for (const part of parts) {
      const answer = JSON.parse(part) as Answer
      waiting.get(answer.id)?.(answer)
      waiting.delete(answer.id)
    }
  })

  async function send<TValue>(method: string, params: object = {}, sessionId?: string): Promise<TValue> {
    const id = (lastId += 1)
    input.write(`${JSON.stringify({ id, method, params, sessionId })}\0`)
    const { result, error } = await new Promise<Answer>((resolve) => waiting.set(id, resolve))
    if (error) throw new Error(error.message)
    return result as TValue
  }

  async function open(url: string): Promise<Page> {
    const { targetId } = await send<{ targetId: string }>('Target.createTarget', { url: 'about:blank' })
    const attached = { targetId, flatten: true }
    const { sessionId } = await send<{ sessionId: string }>('Target.attachToTarget', attached)
    const ask = <TValue>(method: string, params?: object): Promise<TValue> => send(method, params, sessionId)
    await ask('Performance.enable', { timeDomain: 'threadTicks' })
    await ask('Page.navigate', { url })

    const evaluate = async <TValue>(expression: string): Promise<TValue> => {
      const { result, exceptionDetails } = await ask<{
        result: { value: TValue }
        exceptionDetails?: { exception?: { description?: string } }
      }>('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true })
      if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? 'the page threw')
      return result.value
    }
    // While a page loads, it may not yet evaluate expressions.
    while (!(await evaluate<boolean>('"bench" in window').catch(() => false))) await passed(20)

    return {
      evaluate,
      async busyMs() {
        const { metrics } = await ask<{ metrics: { name: string; value: number }[] }>(
          'Performance.getMetrics',
        )
        return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? NaN) * 1_000
      },
      async heapBytes() {
        for (let round = 0; round < 5; round += 1) await ask('HeapProfiler.collectGarbage')
        return (await ask<{ usedSize: number }>('Runtime.getHeapUsage')).usedSize
      },
      [Symbol.asyncDispose]: async () => void (await send('Target.closeTarget', { targetId })),
    }
  }

  return {
    open,
    async [Symbol.asyncDispose]() {
      const ended = once(browser, 'exit')
      await send('Browser.close').catch(() => browser.kill())
      await ended
      await rm(profile, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
