import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'

/**
 * A page in a Chromium that is controlled only by its own protocol. A test driver copies every socket frame,
 * which would be measured too.
 */
export interface Page extends AsyncDisposable {
  /** Evaluates an expression in the page, and waits if it is a promise. */
  evaluate<TValue>(expression: string): Promise<TValue>
  send<TValue>(method: string, params?: object): Promise<TValue>
  /** Milliseconds of the main thread since the page began: of all tasks, and of their scripts. */
  busy(): Promise<{ tasksMs: number; scriptMs: number }>
  /** Bytes in use after a thorough collection. */
  heap(): Promise<number>
}

export interface Chromium extends AsyncDisposable {
  /** Of the browser's first process. */
  readonly pid: number
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
export async function startChromium(program: string, more: readonly string[] = []): Promise<Chromium> {
  const profile = await mkdtemp(join(tmpdir(), 'stagepass-bench-'))
  const browser = spawn(program, [...FLAGS, ...more, `--user-data-dir=${profile}`], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
  })
  const [, , , input, output] = browser.stdio as unknown as [null, null, null, Writable, Readable]
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()
  let lastId = 0
  let rest = ''

  output.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\0')
    rest = parts.pop() ?? ''
    for (const part of parts) {
      const { id, result, error } = JSON.parse(part) as Answer
      const asker = waiting.get(id ?? 0)
      waiting.delete(id ?? 0)
      if (error) asker?.reject(new Error(error.message))
      else asker?.resolve(result)
    }
  })

  function send<TValue>(method: string, params: object = {}, sessionId?: string): Promise<TValue> {
    lastId += 1
    const id = lastId
    input.write(`${JSON.stringify({ id, method, params, sessionId })}\0`)
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject })
    })
  }

  async function open(url: string): Promise<Page> {
    const { targetId } = await send<{ targetId: string }>('Target.createTarget', { url: 'about:blank' })
    const { sessionId } = await send<{ sessionId: string }>('Target.attachToTarget', {
      targetId,
      flatten: true,
    })
    const ask = <TValue>(method: string, params?: object): Promise<TValue> => send(method, params, sessionId)
    await ask('Performance.enable')
    await ask('Page.navigate', { url })

    const evaluate = async <TValue>(expression: string): Promise<TValue> => {
      const { result, exceptionDetails } = await ask<{
        result: { value: TValue }
        exceptionDetails?: { exception?: { description?: string } }
      }>('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true })
      if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? 'the page threw')
      return result.value
    }

    return {
      evaluate,
      send: ask,
      async busy() {
        const { metrics } = await ask<{ metrics: { name: string; value: number }[] }>(
          'Performance.getMetrics',
        )
        const of = (name: string): number =>
          (metrics.find((metric) => metric.name === name)?.value ?? 0) * 1_000
        return { tasksMs: of('TaskDuration'), scriptMs: of('ScriptDuration') }
      },
      async heap() {
        for (let round = 0; round < 5; round += 1) await ask('HeapProfiler.collectGarbage')
        const { usedSize } = await ask<{ usedSize: number }>('Runtime.getHeapUsage')
        return usedSize
      },
      [Symbol.asyncDispose]: async () => void (await send('Target.closeTarget', { targetId })),
    }
  }

  return {
    pid: browser.pid ?? 0,
    open,
    async [Symbol.asyncDispose]() {
      const ended = new Promise((resolve) => browser.once('exit', resolve))
      await send('Browser.close').catch(() => browser.kill())
      await ended
      await rm(profile, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
