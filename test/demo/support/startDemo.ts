import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Emulator } from '@stagepass/emulator'
import { freePort } from '@stagepass/testing/freePorts'

/** The demo as `npm run dev` starts it, or a preview of the build. */
export interface RunningDemo extends AsyncDisposable {
  readonly url: string
  /** Its output in the terminal. */
  readonly output: () => string
}

interface DemoOptions {
  readonly command?: 'dev' | 'preview'
  /** Variables in addition to those of this process. */
  readonly env?: Readonly<Record<string, string>>
  /** More arguments of vite. */
  readonly args?: readonly string[]
}

const root = fileURLToPath(new URL('../../..', import.meta.url))
const vite = `${root}/node_modules/vite/bin/vite.js`
const READY = 'BFF       /api/voice'

export async function startDemo({
  command = 'dev',
  env = {},
  args = [],
}: DemoOptions = {}): Promise<RunningDemo> {
  const port = await freePort('localhost')
  const child = spawn(process.execPath, [vite, command, ...args], {
    cwd: `${root}/examples/demo`,
    env: { ...withoutTestVariables(), ...env, PORT: String(port) },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const exited = once(child, 'exit')
  let output = ''
  await new Promise<void>((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      output += chunk.toString()
      if (output.includes(READY)) resolve()
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    child.once('exit', (code) => reject(new Error(`The demo exited with ${code}. It said:\n${output}`)))
  })

  return {
    url: `http://localhost:${port}`,
    output: () => output,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await exited
    },
  }
}

/** Runs vite to its end, for the demo or another example. Resolves with its output. */
export async function runVite(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  example = 'demo',
): Promise<string> {
  const child = spawn(process.execPath, [vite, ...args], {
    cwd: `${root}/examples/${example}`,
    env: { ...withoutTestVariables(), ...env },
  })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) throw new Error(`vite ${args.join(' ')} exited with ${code}. It said:\n${output}`)
  return output
}

/** Otherwise NODE_ENV would be `test`. */
function withoutTestVariables(): NodeJS.ProcessEnv {
  const { VITEST: _vitest, NODE_ENV: _nodeEnv, ...rest } = process.env
  return Object.fromEntries(Object.entries(rest).filter(([name]) => !/^(VITEST|VOICE)_/.test(name)))
}

/** The variables that make the demo use an emulator as the real service. */
export const variablesOf = (upstream: Emulator): Readonly<Record<string, string>> => ({
  VOICE_API_KEY: upstream.apiKey,
  VOICE_BASE_URL: upstream.baseUrl,
  VOICE_STREAMING_URL: upstream.streamingUrl,
  VOICE_MEETINGS_URL: upstream.meetingsUrl,
  VOICE_MEETINGS_TOKEN: upstream.meetingsCredential,
})
