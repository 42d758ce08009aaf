import { readFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEmulator, hang } from '@stagepass/emulator'
import { startRedis, startTcpProxy } from '@stagepass/testing'
import { freePort } from '@stagepass/testing/freePorts'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { ask, bundleServer, mint, runProgram, settingsOf, startBeside, startTeam } from './server.test.kit.js'

beforeAll(bundleServer)

const ada = { cookie: 'user=ada' }

describe.concurrent('the program', () => {
  it('mints a token and lists meetings for a user of the team', async () => {
    await using beside = await startBeside()
    expect((await mint(beside.url)).status).toBe(401)
    const { status, text } = await mint(beside.url, ada)
    expect([status, JSON.parse(text)]).toMatchObject([200, { type: 'session' }])
    expect((await ask(`${beside.url}/meetings?limit=1`, ada)).status).toBe(200)
  })

  it('answers health and readiness checks without the gate, and no other request outside of its path', async () => {
    await using beside = await startBeside()
    const plain = { 'x-stagepass': '0' }
    expect(await ask(`${beside.root}/health`, plain)).toMatchObject({ status: 200, text: '{"status":"ok"}' })
    expect(await ask(`${beside.root}/ready`, plain)).toMatchObject({ status: 200 })
    for (const path of ['/', '/metrics', '/health/x', '/api/voice/../../etc/passwd', '//api/voice/tags'])
      expect([path, (await ask(beside.root + path, ada)).status]).toEqual([
        path,
        expect.toBeOneOf([400, 404]),
      ])
  })

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'drains on %s: requests finish, /ready says so, exit code 0',
    async (signal) => {
      await using beside = await startBeside()
      beside.upstream.use(hang({ times: 1 }))
      const sent = mint(beside.url, ada)
      await vi.waitFor(() => expect(beside.upstream.requests).toHaveLength(1))
      beside.program.child.kill(signal)
      await beside.program.lineOf('server.stopping')
      expect((await ask(`${beside.root}/ready`)).status).toBe(503)
      expect((await ask(`${beside.root}/health`)).status).toBe(200)
      await beside.program.lineOf('drain.started')
      beside.upstream.reset()
      expect([200, 502, 503, 504]).toContain((await sent).status)
      expect(await beside.program.exited).toBe(0)
      expect(beside.program.lines().at(-1)).toMatchObject({ type: 'server.stopped' })
      expect(beside.program.output.stderr).toBe('')
    },
  )

  it('a busy port is one sentence, and exit code 1', async () => {
    await using upstream = await createEmulator()
    const other = createServer()
    other.listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const settings = settingsOf(upstream, 'http://127.0.0.1:1/grant')
    await using program = await runProgram(['--port', String(port)], settings)
    expect(await program.exited).toBe(1)
    expect(program.output).toEqual({
      stdout: '',
      stderr: `Failed to start: port ${port} is in use. Stop the other program, or set another STAGEPASS_PORT (or --port).\n`,
    })
    await using metrics = await runProgram([], { ...settings, STAGEPASS_METRICS_PORT: String(port) })
    expect(await metrics.exited).toBe(1)
    expect(metrics.output.stderr).toContain('set another STAGEPASS_METRICS_PORT')
    other.close()
  })

  it('all wrong settings are named, with exit code 2, and also a wrong command', async () => {
    await using program = await runProgram([], { STAGEPASS_AUTHORISE_URL: 'x' })
    expect(await program.exited).toBe(2)
    for (const name of ['VOICE_API_KEY', 'VOICE_BASE_URL', 'VOICE_STREAMING_URL', 'STAGEPASS_ORIGIN'])
      expect(program.output.stderr).toContain(`- ${name} is missing`)
    expect(program.output.stderr).toContain('Did you mean STAGEPASS_AUTHORIZE_URL?')
    await using wrong = await runProgram(['--api-key=vk_secret'], {})
    expect(await wrong.exited).toBe(2)
    expect(wrong.output.stderr).toContain('Usage: stagepass-server')
    expect(wrong.output.stderr).not.toContain('vk_secret')
  })

  it.each([
    ['--help', /^Usage: stagepass-server \[options\]\n[^]*--port/],
    ['--print-grant-schema', /^\{[^]*"maxTtlMinutes"[^]*\}\n$/],
  ])('prints on %s without any setting', async (option, text) => {
    await using program = await runProgram([option], {})
    expect(await program.exited).toBe(0)
    expect(program.output.stdout).toMatch(text)
  })

  it('S50 a key in a file is read again when the service refuses it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'stagepass-key-'))
    try {
      const path = join(folder, 'key')
      await using upstream = await createEmulator()
      writeFileSync(path, `${upstream.keys.expired}\n`)
      await using team = await startTeam()
      const settings = { ...settingsOf(upstream, team.url), VOICE_API_KEY: '', VOICE_API_KEY_FILE: path }
      await using program = await runProgram([], settings)
      const { url } = (await program.lineOf('server.started')) as { url: string }
      expect((await mint(url, ada)).status).toBe(502)
      writeFileSync(path, upstream.apiKey)
      expect((await mint(url, ada)).status).toBe(200)
      expect(program.output.stdout).not.toContain(upstream.apiKey)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('S50 another secret in a file is used when it changes, unless it is invalid', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'stagepass-secret-'))
    try {
      const path = join(folder, 'secret')
      writeFileSync(path, 'a'.repeat(32))
      await using redis = await startRedis()
      await using proxy = await startTcpProxy(redis.socketPath)
      await using beside = await startBeside({
        STAGEPASS_REDIS_URL: `redis://127.0.0.1:${proxy.port}`,
        STAGEPASS_USER_SECRET_FILE: path,
      })
      writeFileSync(path, 'short')
      await beside.program.lineOf('secrets.rejected')
      expect((await mint(beside.url, ada)).status).toBe(200)
      writeFileSync(path, 'b'.repeat(32))
      expect(await beside.program.lineOf('secrets.renewed')).toMatchObject({
        secrets: ['STAGEPASS_USER_SECRET'],
      })
      expect((await mint(beside.url, ada)).status).toBe(200)
      beside.program.child.kill('SIGTERM')
      expect(await beside.program.exited).toBe(0)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('starts without Redis, and reports that it is lost', async () => {
    await using beside = await startBeside({ STAGEPASS_REDIS_URL: 'redis://:vk_password@127.0.0.1:1' })
    expect((await mint(beside.url, ada)).status).toBe(200)
    expect(beside.program.lines().filter(({ type }) => type === 'redis.lost')).toHaveLength(1)
    expect(beside.program.output.stdout).not.toContain('vk_password')
  })

  it('S50 no secret and no query is in a line, a metric, an error or the list of processes', async () => {
    const probe = createServer()
    probe.listen(0, '127.0.0.1')
    await once(probe, 'listening')
    const { port } = probe.address() as AddressInfo
    probe.close()
    await once(probe, 'close')
    await using beside = await startBeside({ STAGEPASS_METRICS_PORT: String(port) })
    const { upstream, program } = beside
    const headers = { cookie: 'user=lovelace; session=vk_cookie', authorization: 'Bearer vk_bearer' }
    const token = JSON.parse((await mint(beside.url, headers)).text) as { session_key: string }
    await ask(`${beside.url}/meetings?q=vk_query&limit=1`, headers)
    await ask(`${beside.url}/nothing?vk_query`, headers)
    await ask(`${beside.root}/outside?vk_query`, headers)
    await mint(beside.url, { ...headers, origin: 'https://vk_origin.example' })
    const metrics = (await ask(`http://127.0.0.1:${port}/metrics`)).text
    expect(metrics).toContain('stagepass_tokens_minted_total')
    expect(metrics).not.toContain('lovelace')
    const command = readFileSync(`/proc/${program.child.pid}/cmdline`, 'utf8')
    program.child.kill('SIGTERM')
    await program.exited
    const written = program.output.stdout + program.output.stderr + metrics + command
    const secrets = [upstream.apiKey, upstream.meetingsCredential, token.session_key]
    for (const secret of [...secrets, 'vk_cookie', 'vk_bearer', 'vk_query'])
      for (const form of [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64')])
        expect(written).not.toContain(form)
    expect(program.lines().map(({ type }) => type)).toContain('request.finished')
  })

  it('takes what pages measure if it is set, as lines and as metrics', async () => {
    const report = '{"engine":"blink","network":"4g","products":{"stt":{"firstText":[900]}}}'
    await using plain = await startBeside()
    expect((await ask(`${plain.url}/vitals`, ada, report)).status).toBe(404)
    const port = await freePort()
    await using beside = await startBeside({
      STAGEPASS_METRICS_PORT: String(port),
      STAGEPASS_VITALS: '{"firstText":{"p95Ms":800,"target":0.99}}',
    })
    expect((await ask(`${beside.url}/vitals`, ada, report)).status).toBe(204)
    expect(await beside.program.lineOf('page.vitals')).toMatchObject({ figures: { firstText: [900] } })
    const metrics = (await ask(`http://127.0.0.1:${port}/metrics`)).text
    expect(metrics).toMatch(/^stagepass_page_first_text_count\{.*product="stt".*\} 1$/m)
    expect(metrics).toMatch(/^stagepass_page_objective_reports_total\{.*met="false".*\} 1$/m)
  })

  it('a team server that does not run is AUTHORIZE_FAILED, with a remedy in a line', async () => {
    await using beside = await startBeside({ STAGEPASS_AUTHORIZE_URL: 'http://127.0.0.1:1/grant' })
    // fetch refuses port 1 by itself.
    expect(await mint(beside.url, ada)).toMatchObject({ status: 503 })
    expect(await beside.program.lineOf('authorize.failed')).toMatchObject({
      problem: expect.stringContaining('The authorize server cannot be reached'),
    })
  })
})
