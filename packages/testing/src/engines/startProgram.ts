import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'

export interface RunningProgram extends AsyncDisposable {
  readonly pid: number
  /** The match of `ready` in the output. */
  readonly match: RegExpExecArray
}

export interface ProgramOptions {
  readonly args: readonly string[]
  readonly env?: NodeJS.ProcessEnv
  /** File descriptor of the output in which the program reports that it is ready. 1: the standard output. */
  readonly output: 1 | 2 | 3
  /** Matches the text that reports it. */
  readonly ready: RegExp
  /** Advice if the program cannot be started. */
  readonly remedy: string
}

/**
 * Starts a program that runs during the tests, and waits until it reports that it is ready. It ends with the
 * process of the tests.
 */
export async function startProgram(
  program: string,
  { args, env, output, ready, remedy }: ProgramOptions,
): Promise<RunningProgram> {
  const child = spawn(program, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  })
  const kill = (): void => void child.kill('SIGTERM')
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))

  const match = await new Promise<RegExpExecArray>((resolve, reject) => {
    let text = ''
    let isReady = false
    for (const index of [1, 2, 3] as const) {
      const stream = child.stdio[index] as Readable
      stream.on('data', (chunk: Buffer) => {
        if (isReady) return
        text += chunk.toString()
        const found = index === output ? ready.exec(text) : null
        if (!found) return
        isReady = true
        resolve(found)
      })
    }
    child.once('error', (cause) =>
      reject(new Error(`Failed to start ${program}: it cannot be run. ${remedy}`, { cause })),
    )
    child.once('exit', () => reject(new Error(`Failed to start ${program}: it ended. Its output:\n${text}`)))
  })

  return {
    pid: child.pid ?? 0,
    match,
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const gone = once(child, 'exit')
      child.kill('SIGTERM')
      await gone
    },
  }
}
