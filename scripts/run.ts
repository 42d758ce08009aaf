import { spawn, spawnSync } from 'node:child_process'

/** Runs a command, shows its output, and returns its exit code. */
export function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: 'inherit', env: { ...process.env, ...env } })
    child.on('error', reject)
    child.on('exit', (code) => resolve(code ?? 1))
  })
}

/** Full path of a program in PATH, or `undefined`. */
export function findInPath(program: string): string | undefined {
  const found = spawnSync('which', [program], { encoding: 'utf8' })
  return found.status === 0 ? found.stdout.trim() : undefined
}

/** Prints one line about the current step. */
export function say(message: string): void {
  console.log(`\n> ${message}`)
}
