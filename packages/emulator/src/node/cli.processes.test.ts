import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'

const CLI = new URL('cli.ts', import.meta.url).pathname

interface Cli {
  readonly stdout: () => string
  readonly stderr: () => string
  readonly exited: Promise<number | null>
  kill(signal: NodeJS.Signals): void
  /** Until stdout holds it. */
  printed(text: string): Promise<void>
}

function run(argv: readonly string[], env: Record<string, string> = {}): Cli {
  const child = spawn(process.execPath, ['--import', 'tsx', '--conditions=@stagepass/source', CLI, ...argv], {
    env: { ...process.env, NODE_ENV: 'test', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  return {
    stdout: () => stdout,
    stderr: () => stderr,
    exited: once(child, 'close').then(([code]) => code as number | null),
    kill: (signal) => child.kill(signal),
    async printed(text) {
      while (!stdout.includes(text)) await once(child.stdout, 'data')
    },
  }
}

it.each(['SIGINT', 'SIGTERM'] as const)(
  'serves, prints the variables to paste, and stops cleanly on %s',
  async (signal) => {
    const cli = run(['--port', '0', '--seed', '7'])
    await cli.printed('VOICE_MEETINGS_TOKEN=')
    await cli.printed('\n')
    const variables = Object.fromEntries(
      cli
        .stdout()
        .split('\n')
        .filter((line) => line !== '' && !line.startsWith('#'))
        .map((line) => line.split('=', 2)),
    ) as Record<string, string>
    expect(Object.keys(variables)).toEqual([
      'VOICE_API_KEY',
      'VOICE_BASE_URL',
      'VOICE_STREAMING_URL',
      'VOICE_MEETINGS_URL',
      'VOICE_MEETINGS_TOKEN',
    ])

    const response = await fetch(`${variables.VOICE_BASE_URL}/v2/sdk/tokens/session`, {
      method: 'POST',
      headers: { authorization: `api-key ${variables.VOICE_API_KEY}`, 'content-type': 'application/json' },
      body: '{"usage_type":"stt"}',
    })
    expect(response.status).toBe(200)

    cli.kill(signal)
    expect(await cli.exited).toBe(0)
    expect(cli.stderr()).toMatch(/POST \/v2\/sdk\/tokens\/session 200\nStopping\.\n$/)
  },
)

it('S33 the command line refuses to run under NODE_ENV=production unless told twice', async () => {
  const once = run(['--port', '0', '--allow-production'], { NODE_ENV: 'production' })
  expect(await once.exited).toBe(1)
  expect(once.stderr()).toContain('Failed to start the emulator: NODE_ENV is "production"')

  const twice = run(['--port', '0', '--allow-production'], {
    NODE_ENV: 'production',
    STAGEPASS_EMULATOR_IN_PRODUCTION: '1',
  })
  await twice.printed('VOICE_MEETINGS_TOKEN=')
  twice.kill('SIGTERM')
  expect(await twice.exited).toBe(0)
})
