import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createEmulator, hang } from '@stagepass/emulator'
import { startNginx } from '@stagepass/testing'
import { bundleProgram } from '@stagepass/testing/bundleProgram'
import { generate } from 'selfsigned'
import { beforeAll, describe, expect, it } from 'vitest'
import { expectNoPart, runDoctorOn, variablesOf, withoutMeetings } from '../doctor.test.kit.js'

let program: string
beforeAll(async () => {
  program = await bundleProgram(new URL('./main.ts', import.meta.url), 'doctor')
})

/** The command in its own process, with its output in pipes. */
function run(argv: readonly string[], env: Readonly<Record<string, string | undefined>>) {
  const child = spawn(process.execPath, [program, ...argv], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk: Buffer) => (output.stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (output.stderr += chunk.toString()))
  const exited = once(child, 'close').then(([code]) => code as number | null)
  return { output, exited, child }
}

describe.concurrent('the command', () => {
  it('prints plain lines into a pipe, and exits with 0 if nothing fails', async () => {
    await using upstream = await createEmulator()
    const { output, exited } = run([], { ...variablesOf(upstream), ...withoutMeetings })
    expect(await exited).toBe(0)
    expect(output.stderr).toBe('')
    expect(output.stdout).not.toContain('\u001b')
    expect(output.stdout).not.toContain('\r')
    const lines = output.stdout.trimEnd().split('\n')
    expect(lines.at(-1)).toMatch(/^Nothing failed\. 11 ok, 1 skipped\.$/)
    // A line with the result and, if there is something to do, a line with advice.
    for (const line of lines.slice(0, -2))
      expect(line).toMatch(/^(?:(?:ok|warn|fail|skipped) +[a-z ]+ \S.*\.| {14}-> \S.*[.:)])$/)
    for (const secret of [upstream.apiKey, ...upstream.tokens.all().map(({ sessionKey }) => sessionKey)])
      expectNoPart(output.stdout, secret)
  })

  it('exits with 1 if something fails, even with --json', async () => {
    await using upstream = await createEmulator()
    const env = { ...variablesOf(upstream), ...withoutMeetings, VOICE_API_KEY: upstream.keys.unlicensed }
    const { output, exited } = run(['--json'], env)
    expect(await exited).toBe(1)
    expect(JSON.parse(output.stdout)).toMatchObject({ ok: false, target: 'service' })
    expectNoPart(output.stdout + output.stderr, upstream.keys.unlicensed)
  })

  it.each([
    ['no variables', [], {}, 'VOICE_API_KEY and VOICE_BASE_URL and VOICE_STREAMING_URL are missing'],
    ['an argument too many', ['vk_secret_A7x9Qm2LzW'], {}, 'an argument that is not an option'],
    ['a cookie without --bff', ['--cookie', 'vk_secret_A7x9Qm2LzW'], {}, '--cookie needs --bff'],
    [
      '--strict with --bff',
      ['--bff', 'https://app.example', '--strict'],
      {},
      '--strict cannot be used with --bff',
    ],
    [
      'a cookie with a line break',
      ['--bff', 'https://app.example'],
      { STAGEPASS_COOKIE: 'vk_secret_A7x9Qm2LzW\n' },
      'the cookie contains a line break',
    ],
    ['an address without TLS', ['--bff', 'http://app.example/api'], {}, '--bff is not encrypted'],
    [
      'an address with a password',
      ['--bff', 'https://u:vk_secret_A7x9Qm2LzW@app.example'],
      {},
      'contains a user name',
    ],
  ])('has exit code 2 and the usage for wrong use: %s', async (_, argv, environment, message) => {
    const { exitCode, output, errors } = await runDoctorOn(undefined, { argv, environment })
    expect(exitCode).toBe(2)
    expect(output).toBe('')
    expect(errors).toContain(message)
    expect(errors).toContain('Usage: stagepass-doctor')
    expectNoPart(errors, 'vk_secret_A7x9Qm2LzW')
  })

  it('exits with 2 for wrong use, and prints no argument', async () => {
    const { output, exited } = run(['--key=vk_secret_A7x9Qm2LzW'], {})
    expect(await exited).toBe(2)
    expect(output.stdout).toBe('')
    expect(output.stderr).toContain('an option is unknown')
    expect(output.stderr).toContain('Usage: stagepass-doctor')
    expectNoPart(output.stderr, 'vk_secret_A7x9Qm2LzW')
  })

  it('prints the help on --help', async () => {
    const { exitCode, output, errors } = await runDoctorOn(undefined, { argv: ['--help'] })
    expect(exitCode).toBe(0)
    expect(output).toContain('--cookie <cookie>')
    expect(errors).toBe('')
  })

  it.each(['SIGINT', 'SIGTERM'] as const)('ends cleanly on %s', async (signal) => {
    await using upstream = await createEmulator()
    upstream.use(hang())
    const { output, exited, child } = run([], variablesOf(upstream))
    // The first request hangs.
    await expect.poll(() => upstream.requests.length).toBe(1)
    child.kill(signal)
    expect(await exited).toBe(130)
    expect(output.stderr).toBe('Stopped.\n')
  })

  it('says NODE_EXTRA_CA_CERTS for a private authority, and works with it', async () => {
    const EC = { keyType: 'ec', algorithm: 'sha256' } as const
    const ca = await generate([{ name: 'commonName', value: 'Company CA' }], {
      ...EC,
      extensions: [{ name: 'basicConstraints', cA: true, critical: true }],
    })
    const pair = await generate([{ name: 'commonName', value: 'server' }], {
      ...EC,
      ca: { key: ca.private, cert: ca.cert },
      extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
    })
    await using upstream = await createEmulator()
    await using nginx = await startNginx({
      target: upstream.baseUrl,
      directives: 'proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection upgrade;',
      tls: { key: pair.private, cert: pair.cert },
    })
    const environment = {
      ...withoutMeetings,
      VOICE_BASE_URL: `https://${nginx.host}`,
      VOICE_STREAMING_URL: `wss://${nginx.host}`,
    }
    const refused = await runDoctorOn(upstream, { environment })
    for (const name of ['token address', 'stream address']) {
      expect(refused.check(name)).toMatchObject({ status: 'fail' })
      expect(refused.check(name).seen).toContain('an authority that this machine does not trust')
      expect(refused.check(name).advice).toContain('NODE_EXTRA_CA_CERTS')
    }
    expect(upstream.requests).toEqual([])

    const folder = mkdtempSync(join(tmpdir(), 'stagepass-ca-'))
    try {
      writeFileSync(join(folder, 'ca.pem'), ca.cert)
      const env = { ...variablesOf(upstream), ...environment, NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem') }
      const { output, exited } = run([], env)
      expect(await exited).toBe(0)
      expect(output.stdout).toContain(`https://${nginx.host} answers over TLS`)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('prints its version', async () => {
    const { version } = JSON.parse(readFileSync('packages/doctor/package.json', 'utf8')) as {
      version: string
    }
    // There is no package.json next to the bundle, so the source runs.
    const source = fileURLToPath(new URL('./main.ts', import.meta.url))
    const argv = ['--import', 'tsx', '--conditions', '@stagepass/source', source, '--version']
    const child = spawnSync(process.execPath, argv, { encoding: 'utf8', env: { PATH: process.env.PATH } })
    expect(child).toMatchObject({ status: 0, stdout: `${version}\n`, stderr: '' })
  })

  it('ends silently if the reader of its output ends first', async () => {
    await using upstream = await createEmulator()
    const { output, exited, child } = run([], variablesOf(upstream))
    child.stdout.once('data', () => child.stdout.destroy())
    expect(await exited).toBe(141)
    expect(output.stderr).toBe('')
    // It stopped before the checks of meetings.
    expect(upstream.counts.list).toBe(0)
  })

  it('prints in colour on a terminal, and JSON without', async () => {
    await using upstream = await createEmulator()
    const options = { environment: withoutMeetings, coloured: true }
    expect((await runDoctorOn(upstream, { argv: [], ...options })).output).toContain('\u001b[32mok')
    expect((await runDoctorOn(upstream, { argv: ['--json'], ...options })).output).not.toContain('\u001b')
  })
})
