import { freePorts } from '@stagepass/testing/freePorts'
import { runIn, startIn } from '@stagepass/testing/programs'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { provideTarballs } from '../../scripts/pack.js'
import { startRegistry } from '../start/startRegistry.js'

/*
 * examples/native as its user has it: installed from a registry, because Expo and React Native are no
 * dependencies of this repository.
 */

/** The modules in Metro's bundle for a system, by the source map. */
function modulesOf(bundles: string): readonly string[] {
  const map = readdirSync(bundles).find((name) => name.endsWith('.map')) ?? ''
  return (JSON.parse(readFileSync(join(bundles, map), 'utf8')) as { sources: string[] }).sources
}

/** Signs in as the application does, and asks for what its screens need, with the token and without. */
async function tryServer(app: string): Promise<void> {
  const [port = 0, emulatorPort = 0] = await freePorts(2)
  const env = { PORT: String(port), EMULATOR_PORT: String(emulatorPort) }
  const server = startIn(app, 'npm', ['run', 'server'], { env })
  try {
    await server.printed('Listening on')
    const url = `http://localhost:${port}`
    const signIn = (headers: Readonly<Record<string, string>>): Promise<Response> =>
      fetch(`${url}/issuer/token`, { method: 'POST', headers, body: JSON.stringify({ user: 'ada' }) })
    expect((await signIn({ 'content-type': 'text/plain' })).status).toBe(415)
    const { token } = (await (await signIn({ 'content-type': 'application/json' })).json()) as {
      token: string
    }
    const list = async (headers: Readonly<Record<string, string>>): Promise<number> =>
      (await fetch(`${url}/api/voice/meetings`, { headers: { 'x-stagepass': '1', ...headers } })).status
    expect(await list({ authorization: `Bearer ${token}` })).toBe(200)
    expect(await list({ authorization: `Bearer ${token.slice(0, -4)}AAAA` })).toBe(401)
    expect(await list({})).toBe(401)
    for (const usage_type of ['stt', 'tts']) {
      const { status } = await fetch(`${url}/api/voice/session-token`, {
        method: 'POST',
        headers: { 'x-stagepass': '1', 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: JSON.stringify({ usage_type }),
      })
      expect([usage_type, status]).toEqual([usage_type, 200])
    }
  } finally {
    await server.stop()
  }
}

it('examples/native type-checks, its tests pass, its server takes a bearer token, and Metro bundles it for iOS and Android', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'stagepass-native-'))
  onTestFinished(() => void execFileSync('rm', ['-rf', folder]))
  const [app, tarballs] = [join(folder, 'app'), join(folder, 'tarballs')]
  mkdirSync(tarballs)
  await using registry = await startRegistry(Object.values(await provideTarballs(tarballs)))
  cpSync('examples/native', app, { recursive: true, filter: (path) => basename(path) !== 'node_modules' })
  const run = (...command: readonly string[]): Promise<string> =>
    runIn(app, 'npm', command, { env: { ...registry.env, CI: '1' }, limitSeconds: 900 })

  await run('install', '--loglevel=error')
  await run('run', 'typecheck')
  await run('test')
  await tryServer(app)
  await run('run', 'bundle', '--', '--source-maps', '--output-dir', 'bundles')
  for (const system of ['ios', 'android']) {
    const [bytecode = ''] = readdirSync(join(app, 'bundles/_expo/static/js', system)).filter((name) =>
      name.endsWith('.hbc'),
    )
    // The first bytes of what React Native's own Hermes compiler writes.
    const magic = readFileSync(join(app, 'bundles/_expo/static/js', system, bytecode)).subarray(0, 8)
    expect(magic.toString('hex')).toBe('c61fbc03c103191f')
    const modules = modulesOf(join(app, 'bundles/_expo/static/js', system))
    const ours = modules.filter((path) => path.includes('@stagepass/react/')).map((path) => basename(path))
    expect(ours.filter((name) => name.includes('.native.'))).toHaveLength(2)
    expect(modules.filter((path) => /node_modules\/(?:react-dom|react-use-websocket)\//.test(path))).toEqual(
      [],
    )
  }
})
