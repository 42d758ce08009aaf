import { startProgram } from './startProgram.js'

/** A virtual screen, for a browser without a headless mode. */
export interface Display extends AsyncDisposable {
  /** Value of `DISPLAY`. */
  readonly name: string
}

/** Starts an Xvfb on a free display. `XVFB_PATH` is the path of the program. */
export async function startDisplay(): Promise<Display> {
  const screen = await startProgram(process.env.XVFB_PATH ?? 'Xvfb', {
    // High enough for a screenshot of a whole page.
    args: ['-displayfd', '3', '-screen', '0', '1600x4096x24', '-nolisten', 'tcp'],
    output: 3,
    ready: /^(\d+)\n/m,
    remedy: 'Install xvfb or set XVFB_PATH.',
  })
  return {
    name: `:${screen.match[1]}`,
    [Symbol.asyncDispose]: () => screen[Symbol.asyncDispose](),
  }
}
