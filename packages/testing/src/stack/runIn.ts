import { spawn, type ChildProcess } from 'node:child_process'

export interface RunOptions {
  /** Time limit, after which the program and all of its child processes are killed. Default 300. */
  readonly limitSeconds?: number
  readonly env?: NodeJS.ProcessEnv
}

export interface Running {
  /** The output so far. */
  output(): string
  /** Resolves when the output contains the text. Rejects if the program ends before. */
  printed(text: string | RegExp): Promise<void>
  /** Kills the program and all of its child processes. */
  stop(): Promise<void>
}

/** The environment of a user's shell, without the variables that npm sets for a script of this repository. */
function ownEnvironment(env: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) =>
      !/^(npm_(package|lifecycle|config_local|config_engine_strict|command|execpath)|NODE_ENV|VITEST|INIT_CWD)/.test(
        name,
      ),
  )
  return { ...Object.fromEntries(inherited), NO_COLOR: '1', CI: '1', NEXT_TELEMETRY_DISABLED: '1', ...env }
}

const living = new Set<ChildProcess>()

/** Starts a program in its own process group, so that its child processes end with it. */
function spawnIn(folder: string, command: string, args: readonly string[], env?: NodeJS.ProcessEnv) {
  const child = spawn(command, args, {
    cwd: folder,
    env: ownEnvironment(env),
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  living.add(child)
  child.once('close', () => living.delete(child))
  return child
}

/** Kills all programs that were started here. A signal from the terminal does not reach them. */
export function stopAll(): void {
  for (const child of living) killGroup(child)
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The process has already ended.
  }
}

const sentence = (command: string, args: readonly string[]): string => [command, ...args].join(' ')

/**
 * Runs a program to its end, and returns its output. If it fails or takes too long, throws an error with the
 * last part of the output.
 */
export async function runIn(
  folder: string,
  command: string,
  args: readonly string[],
  { limitSeconds = 300, env }: RunOptions = {},
): Promise<string> {
  const child = spawnIn(folder, command, args, env)
  let output = ''
  let late = false
  const collect = (chunk: Buffer): void => void (output += chunk.toString())
  child.stdout.on('data', collect)
  child.stderr.on('data', collect)
  const timer = setTimeout(() => {
    late = true
    killGroup(child)
  }, limitSeconds * 1_000)
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  }).finally(() => clearTimeout(timer))
  if (code === 0) return output
  const reason = late ? `it took more than ${limitSeconds} s` : `exit code ${code ?? 'none'}`
  throw new Error(`Failed to run "${sentence(command, args)}": ${reason}.\n${output.slice(-4_000)}`)
}

/** Starts a program that keeps running, such as a server. */
export function startIn(
  folder: string,
  command: string,
  args: readonly string[],
  { limitSeconds = 60, env }: RunOptions = {},
): Running {
  const child = spawnIn(folder, command, args, env)
  let output = ''
  let ended = false
  const waiters = new Set<() => void>()
  const changed = (): void => waiters.forEach((waiter) => waiter())
  const collect = (chunk: Buffer): void => {
    output += chunk.toString()
    changed()
  }
  child.stdout.on('data', collect)
  child.stderr.on('data', collect)
  const closed = new Promise<void>((resolve) => {
    const end = (): void => {
      ended = true
      changed()
      resolve()
    }
    child.on('error', end)
    child.on('close', end)
  })
  return {
    output: () => output,
    printed: (text) =>
      new Promise((resolve, reject) => {
        const fail = (reason: string): void =>
          finish(() =>
            reject(new Error(`Failed to see ${String(text)}: ${reason}.\n${output.slice(-4_000)}`)),
          )
        const timer = setTimeout(() => fail(`it took more than ${limitSeconds} s`), limitSeconds * 1_000)
        const finish = (settle: () => void): void => {
          clearTimeout(timer)
          waiters.delete(check)
          settle()
        }
        const check = (): void => {
          if (typeof text === 'string' ? output.includes(text) : text.test(output)) finish(resolve)
          else if (ended) fail(`"${sentence(command, args)}" ended`)
        }
        waiters.add(check)
        check()
      }),
    async stop() {
      killGroup(child)
      await closed
    },
  }
}

/** Stops a server after a visit. If the visit fails, its error has the last lines of the server. */
export async function visitThenStop(
  server: Running,
  visit: (server: Running) => Promise<void>,
): Promise<void> {
  try {
    await visit(server)
  } catch (error) {
    throw new Error(`The server printed:\n${server.output().slice(-2_000)}`, { cause: error })
  } finally {
    await server.stop()
  }
}
