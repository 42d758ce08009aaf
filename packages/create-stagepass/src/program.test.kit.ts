import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { writeTemplates } from '../../../scripts/templates.js'

const PACKAGE = resolve(import.meta.dirname, '..')

export interface RunOptions {
  /** Replaces the new, empty folder. */
  readonly cwd?: string
  readonly env?: NodeJS.ProcessEnv
  /** Options for Node. */
  readonly node?: readonly string[]
  /** The largest file that it can write, in blocks of 512 bytes. */
  readonly blocks?: number
}

interface Ended {
  readonly cwd: string
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** The program with the files of the tarball, in its own folder. */
export interface Program extends Disposable {
  run(args: readonly string[], options?: RunOptions): Ended
  /** Runs it in a terminal, and types each answer when its question appears. */
  talk(
    args: readonly string[],
    answers: readonly (readonly [question: string, answer: string])[],
  ): Promise<Ended>
}

export function buildProgram(): Program {
  const folder = mkdtempSync(join(tmpdir(), 'create-stagepass-'))
  const main = join(folder, 'package/dist/main.js')
  mkdirSync(join(folder, 'package'))
  copyFileSync(join(PACKAGE, 'package.json'), join(folder, 'package/package.json'))
  const outDir = join(folder, 'package/dist')
  execFileSync('npx', ['tsc', '-p', PACKAGE, '--outDir', outDir], { cwd: PACKAGE })
  writeTemplates(join(outDir, 'templates'), 'https://git.example/stagepass')
  const emptyFolder = (): string => mkdtempSync(join(folder, 'empty-'))
  const environment = (env: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({ PATH: process.env.PATH, ...env })

  return {
    run(args, { cwd = emptyFolder(), env, node = [], blocks } = {}) {
      const limit = blocks === undefined ? '' : `ulimit -f ${blocks}; `
      const command = [process.execPath, ...node, main, ...args]
      const { status, stdout, stderr } = spawnSync('sh', ['-c', `${limit}exec "$@"`, 'sh', ...command], {
        cwd,
        env: environment(env),
        encoding: 'utf8',
      })
      return { cwd, status, stdout, stderr }
    },
    async talk(args, answers) {
      const cwd = emptyFolder()
      // `script` gives the program a terminal.
      const command = [process.execPath, main, ...args].join(' ')
      const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
        cwd,
        env: environment({ TERM: 'xterm' }),
      })
      let stdout = ''
      let read = 0
      let next = 0
      child.stdout.on('data', (chunk) => {
        stdout += String(chunk)
        for (const [question, answer] of answers.slice(next)) {
          const at = stdout.indexOf(question, read)
          if (at < 0) return
          read = at + question.length
          next += 1
          child.stdin.write(answer)
        }
      })
      const [status] = (await once(child, 'close')) as [number | null]
      return { cwd, status, stdout, stderr: '' }
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}
