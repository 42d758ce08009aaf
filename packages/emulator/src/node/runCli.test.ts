import { expect, it } from 'vitest'
import { createEmulator } from './createEmulator.js'
import { type CliResult, runCli } from './runCli.js'

async function run(...argv: string[]): Promise<CliResult & AsyncDisposable & { out: string; aside: string }> {
  const texts = { out: '', aside: '' }
  const result = await runCli({
    argv,
    environment: {},
    print: (text) => (texts.out += text),
    printError: (text) => (texts.aside += text),
  })
  const close = async (): Promise<void> => result.emulator?.close()
  return Object.assign(texts, result, { [Symbol.asyncDispose]: close })
}

async function readTags({ emulator }: CliResult): Promise<number> {
  const headers = { authorization: `Bearer ${emulator?.meetingsCredential}` }
  return (await fetch(`${emulator?.meetingsUrl}/tags`, { headers })).status
}

it.each(['--help', '-h'])('%s prints every option', async (flag) => {
  await using cli = await run(flag)
  expect(cli.exitCode).toBe(0)
  expect(cli.emulator).toBeUndefined()
  for (const option of ['--port', '--limiter', '--refuse-by', '--cut-at-expiry', '--allow-production']) {
    expect(cli.out).toContain(option)
  }
})

it.each([
  [['--nope'], "Failed to read the command: Unknown option '--nope'."],
  [['extra'], 'Failed to read the command:'],
])('%j is a wrong command: exit code 2 and a sentence', async (argv, message) => {
  await using cli = await run(...argv)
  expect(cli).toMatchObject({ exitCode: 2, out: '' })
  expect(cli.aside).toContain(message)
  expect(cli.aside).toContain('Run stagepass-emulator --help')
})

it.each([
  [['--port', 'abc'], 'port is NaN. Give a whole number from 0 to 65535.'],
  [['--port', '65536'], 'port is 65536. Give a whole number from 0 to 65535.'],
  [['--seed', 'abc'], 'seed is NaN. Give a number from 0.'],
  [['--limiter', 'none'], 'limiter is "none". Choose one of sliding, fixed, bucket, strict.'],
  [['--refuse-by', 'x'], 'refuseBy is "x". Choose one of status, frame, close.'],
])('%j is a wrong value: exit code 1 and the sentence of the option', async (argv, message) => {
  await using cli = await run(...argv)
  expect(cli).toMatchObject({ exitCode: 1, out: '' })
  expect(cli.aside).toBe(`Failed to start the emulator: ${message}`)
})

it('says that the port is in use: exit code 1', async () => {
  await using upstream = await createEmulator()
  const { port } = new URL(upstream.baseUrl)
  await using cli = await run('--port', port)
  expect(cli).toMatchObject({ exitCode: 1, out: '' })
  expect(cli.aside).toContain('(EADDRINUSE). Choose another port')
})

it('passes its options to the emulator', async () => {
  await using cli = await run(...'--port 0 --seed 9 --limiter strict --max-sessions 0 --keys'.split(' '))
  await using same = await createEmulator({ seed: 9 })
  expect(cli.out).toContain(`VOICE_API_KEY=${same.apiKey}`)
  expect(cli.out).toContain(`# expired: ${same.keys.expired}`)
  for (let request = 0; request < 5; request += 1) await readTags(cli)
  expect(await readTags(cli)).toBe(429)
})

it('prints each request without its query, and nothing with --quiet', async () => {
  await using cli = await run('--port', '0')
  await using quiet = await run('--port', '0', '--quiet')
  for (const { emulator } of [cli, quiet]) await fetch(`${emulator?.meetingsUrl}/tags?authorization=secret`)
  expect(cli.aside).toMatch(/^\S+Z GET \/v1\/tags 401$/)
  expect(quiet.aside).toBe('')
})

it('prints the error that prevented a response, even with --quiet', async () => {
  await using cli = await run('--port', '0', '--quiet')
  cli.emulator?.apiKeys.update(cli.emulator.apiKey, { state: 'asleep' as 'valid' })
  const response = await fetch(`${cli.emulator?.baseUrl}/v2/sdk/tokens/session`, {
    method: 'POST',
    headers: { authorization: `api-key ${cli.emulator?.apiKey}`, 'content-type': 'application/json' },
    body: '{"usage_type":"stt"}',
  })
  expect(response.status).toBe(500)
  const { error } = (await response.json()) as { error: string }
  expect(error).toMatch(/^The emulator could not answer: ./)
  expect(cli.aside).toBe(error)
})
