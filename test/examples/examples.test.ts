import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePorts } from '@stagepass/testing/freePorts'
import { expect, it } from 'vitest'
import { TEMPLATES } from '../../packages/create-stagepass/src/templates.js'
import { takePort } from '../first/takePort.js'

const FOLDER = new URL('../../examples/', import.meta.url)
const pathOf = (file: string): string => new URL(file, FOLDER).pathname
const read = (file: string): string => readFileSync(pathOf(file), 'utf8')

// `login`, `page` and `server` are not examples: several examples use their files.
const names = readdirSync(FOLDER).filter((name) => existsSync(pathOf(`${name}/package.json`)))
/** Templates of create-stagepass: each is an application on one host, complete in its folder. */
const SERVERS = Object.values(TEMPLATES).map(({ example }) => example)

interface Manifest {
  readonly name: string
  readonly private: boolean
  readonly scripts: Readonly<Record<string, string>>
  readonly dependencies: Readonly<Record<string, string>>
}
const manifestOf = (name: string): Manifest => JSON.parse(read(`${name}/package.json`)) as Manifest

it.each(names)('the example %s has a README and a unique name', (name) => {
  expect(existsSync(pathOf(`${name}/README.md`))).toBe(true)
  expect(manifestOf(name)).toMatchObject({ name: `@stagepass/example-${name}`, private: true })
})

// `any-backend` has three servers in other languages: its README has the command of each.
it.each(names.filter((name) => name !== 'any-backend'))('the example %s starts with `npm run dev`', (name) =>
  expect(Object.keys(manifestOf(name).scripts)).toContain('dev'),
)

it.each(SERVERS)('the example %s has the scripts and files of every server', (name) => {
  const { scripts, dependencies } = manifestOf(name)
  expect(Object.keys(scripts)).toEqual(
    expect.arrayContaining(['dev', 'typecheck', name === 'workers' ? 'deploy' : 'start']),
  )
  expect(scripts.dev).toMatch(/^node \.\.\/server\/with-emulator\.js /)
  expect(dependencies).toHaveProperty('@stagepass/bff')
})

/** Runs `npm run dev` of an example, with another command in place of its server. */
function runDev(options: readonly string[], env: NodeJS.ProcessEnv, code: string, cwd?: string) {
  const args = [pathOf('server/with-emulator.js'), process.execPath, '-e', code, '--', ...options]
  const { PORT: _port, HOST: _host, ...inherited } = process.env
  return spawnSync(process.execPath, args, { cwd, env: { ...inherited, ...env }, encoding: 'utf8' })
}
const SHOW = 'console.log(process.env.HOST, process.env.PORT, process.env.PUBLIC_ORIGIN)'

it('the examples read .env, and the environment comes first', () => {
  const folder = mkdtempSync(join(tmpdir(), 'stagepass-env-'))
  try {
    writeFileSync(join(folder, '.env'), 'VOICE_API_KEY=from-file\nVOICE_BASE_URL=from-file\n')
    const show = 'console.log(`${process.env.VOICE_API_KEY} ${process.env.VOICE_BASE_URL}`)'
    const { stdout } = runDev([], { PORT: '0', VOICE_BASE_URL: 'from-environment' }, show, folder)
    expect(stdout.split('\n')).toContain('from-file from-environment')
  } finally {
    rmSync(folder, { recursive: true })
  }
})

it('the examples listen where PORT, --port and --host say, and otherwise on this machine alone', async () => {
  const [one = 0, two = 0] = await freePorts(2)
  const shown = (options: readonly string[], env: NodeJS.ProcessEnv): string =>
    runDev(options, { VOICE_API_KEY: 'none', ...env }, SHOW).stdout.trim()
  const PORT = String(one)
  expect(shown([], { PORT })).toBe(`127.0.0.1 ${one} http://localhost:${one}`)
  expect(shown(['--host'], { PORT })).toBe(`0.0.0.0 ${one} http://localhost:${one}`)
  // pnpm passes the "--" of its caller on.
  for (const options of [['--port', `${two}`], [`--port=${two}`], ['--', '--port', `${two}`]])
    expect(shown(options, { PORT })).toBe(`127.0.0.1 ${two} http://localhost:${two}`)
  expect(shown(['--host', '127.0.0.2', '--port', `${two}`], {})).toBe(
    `127.0.0.2 ${two} http://localhost:${two}`,
  )
})

it.each(['127.0.0.1', '::1'])(
  'the examples take the next port if theirs is in use on %s, and say so',
  async (host) => {
    await using taken = await takePort(host)
    const PORT = String(taken.port)
    const { status, stdout } = runDev([], { PORT, VOICE_API_KEY: 'none' }, SHOW)
    const [, next = ''] = /^127\.0\.0\.1 (\d+) /m.exec(stdout) ?? []
    expect(status).toBe(0)
    expect(Number(next)).toBeGreaterThan(taken.port)
    expect(stdout).toContain(`Port ${PORT} is in use. Trying the next one …\n`)
    expect(stdout).toContain(`http://localhost:${next}\n`)
  },
)

it('the examples say in one sentence why they cannot listen, or what an option is not', async () => {
  await using taken = await takePort('127.0.0.1')
  const PORT = String(taken.port)
  const errorOf = (options: readonly string[], env: NodeJS.ProcessEnv = {}) => {
    const { status, stdout, stderr } = runDev(options, env, '')
    expect([status, stdout]).toEqual([1, ''])
    return stderr
  }
  expect(errorOf([], { PORT, PUBLIC_ORIGIN: 'http://localhost:80' })).toBe(
    `Failed to listen on port ${PORT} of http://localhost:80: it is in use. Set PORT to another one.\n`,
  )
  expect(errorOf(['--port', '99999'])).toBe(
    'Failed to listen on port 99999 of 127.0.0.1 (ERR_SOCKET_BAD_PORT). Set PORT or HOST to another one.\n',
  )
  expect(errorOf(['--prot', '5199'])).toBe(
    'Failed to read the option --prot 5199. The options are --port 5199, --host and --open.\n',
  )
})

it('the examples open a browser with --open, once the server responds', async () => {
  const [port = 0] = await freePorts(1)
  const folder = mkdtempSync(join(tmpdir(), 'stagepass-open-'))
  try {
    const BROWSER = join(folder, 'browser')
    writeFileSync(BROWSER, `#!/bin/sh\necho "$1" > '${folder}/opened'\n`, { mode: 0o755 })
    // A server that ends after a request, when its browser has opened, which may have been before.
    const serve = `require('node:http').createServer((request, response) => {
      response.end()
      setInterval(() => require('node:fs').existsSync('${folder}/opened') && process.exit(), 20)
    }).listen(process.env.PORT)`
    const { status } = runDev(['--open', '--port', `${port}`], { VOICE_API_KEY: 'none', BROWSER }, serve)
    expect(status).toBe(0)
    await expect
      .poll(() => readFileSync(join(folder, 'opened'), 'utf8').trim())
      .toBe(`http://localhost:${port}`)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
