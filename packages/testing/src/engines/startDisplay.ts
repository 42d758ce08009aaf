import { startProgram } from './startProgram.js'

/** A screen that nobody sees, for a browser without a mode for that. */
export interface Display extends AsyncDisposable {
  /** Value of `DISPLAY`. */
  readonly name: string
}

/** Starts an Xvfb on a display that is free. `XVFB_PATH` names the program. */
export async function startDisplay(): Promise<Display> {
  const screen = await startProgram(process.env.XVFB_PATH ?? 'Xvfb', {
    // High enough for a picture of a whole page.
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
