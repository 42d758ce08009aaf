import type * as Emulator from '@stagepass/emulator'
import { inject } from 'vitest'
import type { Stack, StackOptions } from './startStack.js'

/** A stack that runs beside the browser in which the test runs. */
export interface BrowserStack extends AsyncDisposable {
  /** What `createVoiceClient({ url })` takes. */
  readonly url: string
  /**
   * Runs a function where the stack is, and resolves with what it returns, as JSON. It travels as its source: it sees its parameters and
   * nothing around it.
   */
  run<TValue, TInput = undefined>(
    act: (stack: Stack, emulator: typeof Emulator, input: TInput) => TValue,
    input?: TInput,
  ): Promise<Awaited<TValue>>
}

/** Starts a stack for a test in a browser: `await using stack = await openBrowserStack()`. */
export async function openBrowserStack(options: Pick<StackOptions, 'emulator'> = {}): Promise<BrowserStack> {
  const address = inject('stacks')

  async function ask(body: object): Promise<unknown> {
    // Plain text, which no browser asks leave for first.
    const answer = await fetch(address, { method: 'POST', body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(await answer.text())
    return answer.json()
  }

  const { stack, url } = (await ask({ start: options })) as { stack: number; url: string }
  return {
    url,
    run: (act, input) => ask({ stack, run: String(act), input }) as Promise<never>,
    [Symbol.asyncDispose]: async () => void (await ask({ stack, close: true })),
  }
}
