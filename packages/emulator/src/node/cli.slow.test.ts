import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'

const CLI = new URL('cli.ts', import.meta.url).pathname

function run(argv: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, ['--import', 'tsx', '--conditions=@stagepass/source', CLI, ...argv], {
    env: { ...process.env, NODE_ENV: 'test', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk: Buffer) => (output.stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (output.stderr += chunk.toString()))
  return {
    output,
    exited: once(child, 'close').then(([code]) => code as number | null),
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    /** Until the last variable is on stdout. */
    async started(): Promise<void> {
      while (!/VOICE_MEETINGS_TOKEN=.*\n/.test(output.stdout)) await once(child.stdout, 'data')
    },
  }
}

it.each(['SIGINT', 'SIGTERM'] as const)(
  'serves, prints the variables to paste, and stops cleanly on %s',
  async (signal) => {
    const cli = run(['--port', '0', '--seed', '7'])
    await cli.started()
    const lines = cli.output.stdout.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    const variables = Object.fromEntries(lines.map((line) => line.split('=', 2))) as Record<string, string>
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
    expect(cli.output.stderr).toMatch(/POST \/v2\/sdk\/tokens\/session 200\nStopping\.\n$/)
  },
)

it('S33 the command line refuses to run with NODE_ENV=production without both permissions', async () => {
  const production = { NODE_ENV: 'production' }
  const refused = run(['--port', '0', '--allow-production'], production)
  expect(await refused.exited).toBe(1)
  expect(refused.output.stderr).toContain('Failed to start the emulator: NODE_ENV is "production"')

  const permission = { STAGEPASS_EMULATOR_IN_PRODUCTION: '1' }
  const twice = run(['--port', '0', '--allow-production'], { ...production, ...permission })
  await twice.started()
  twice.kill('SIGTERM')
  expect(await twice.exited).toBe(0)
})
