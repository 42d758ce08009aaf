import type * as Emulator from '@stagepass/emulator'
import { inject } from 'vitest'
import type { Stack, StackOptions } from '../stack/startStack.js'

/** A stack in a separate process, for a test that runs in a browser. */
export interface BrowserStack extends AsyncDisposable {
  /** The `url` for `createVoiceClient({ url })`. */
  readonly url: string
  /**
   * Runs a function in the process of the stack. Resolves with its result, as JSON. The function is sent as
   * source text, so it can use only its parameters.
   */
  run<TValue, TInput = undefined>(
    act: (stack: Stack, emulator: typeof Emulator, input: TInput) => TValue,
    input?: TInput,
  ): Promise<Awaited<TValue>>
}

/** Starts a stack for a test in a browser: `await using stack = await openBrowserStack()`. */
export async function openBrowserStack(options: Pick<StackOptions, 'emulator'> = {}): Promise<BrowserStack> {
  const address = inject('stacks')

  async function command(body: object): Promise<unknown> {
    // Plain text, so the browser sends no preflight request.
    const response = await fetch(address, { method: 'POST', body: JSON.stringify(body) })
    if (!response.ok) throw new Error(await response.text())
    return response.json()
  }

  const { stack, url } = (await command({ start: options })) as { stack: number; url: string }
  return {
    url,
    run: (act, input) => command({ stack, run: String(act), input }) as Promise<never>,
    [Symbol.asyncDispose]: async () => void (await command({ stack, close: true })),
  }
}
