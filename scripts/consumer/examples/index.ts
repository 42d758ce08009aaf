import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { freePort } from '@stagepass/testing/freePorts'
import type { RunOptions } from '@stagepass/testing/programs'
import type { Template } from '../../../packages/create-stagepass/src/templates.js'
import { SHARED } from '../../templates.js'
import type { Case } from '../Case.js'
import type { App } from '../makeApp.js'
import { makeExample } from './makeExample.js'
import { visitSite } from './visit.js'

/** The templates do not contain the tests. */
const TESTS = new URL('../../../examples/express-server/server.test.ts', import.meta.url)

interface Started {
  readonly ready: string | RegExp
  /** Arguments of the script, with the port. Default: the script reads the variable PORT. */
  readonly args?: (port: string) => readonly string[]
  readonly env?: RunOptions['env']
  /** Throws if a check fails. */
  readonly visit: (url: string) => Promise<void>
}

/** Starts a server of an example by its script, waits until it listens, and visits it. */
async function visitScript(app: App, script: string, { ready, args, env, visit }: Started): Promise<void> {
  const port = String(await freePort('localhost'))
  const server = app.start('npm', ['run', script, ...(args ? ['--', ...args(port)] : [])], {
    env: { ...env, PORT: port, PUBLIC_ORIGIN: `http://localhost:${port}` },
    limitSeconds: 120,
  })
  try {
    await server.printed(ready)
    await visit(`http://localhost:${port}`)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(
      `Failed to visit "npm run ${script}": ${reason}\nIt printed:\n${server.output().slice(-3_000)}`,
      { cause: error },
    )
  } finally {
    await server.stop()
  }
}

const visitPage = (url: string): Promise<void> => visitSite({ url, rendersMeetings: false })

const visitRendered = (url: string): Promise<void> => visitSite({ url, rendersMeetings: true })

/**
 * In production an application has its own login. Here the example's login no longer refuses to run in
 * production.
 */
function replaceLogin(app: App, template: Template): void {
  const path = SHARED['login/login.ts']?.[template] ?? ''
  const text = app.read(path)
  const own = text.replace(/ {2}if \(process\.env\.NODE_ENV[^]+?\n {4}\)\n/, '')
  assert.notEqual(own, text)
  app.write({ [path]: own })
}

/** The variables of an emulator for a server in production. The emulator itself refuses to run there. */
async function withEmulator(run: (env: NodeJS.ProcessEnv) => Promise<void>): Promise<void> {
  // Imported here, because it does not exist before the packages are built.
  const { createEmulator } = await import('@stagepass/emulator')
  await using emulator = await createEmulator()
  await run({
    VOICE_API_KEY: emulator.apiKey,
    VOICE_BASE_URL: emulator.baseUrl,
    VOICE_STREAMING_URL: emulator.streamingUrl,
    VOICE_MEETINGS_URL: emulator.meetingsUrl,
    VOICE_MEETINGS_TOKEN: emulator.meetingsCredential,
  })
}

const expressServer = (express: string, types: string): Case => ({
  name: `Example express-server, Express ${express}`,
  table: 'builds',
  async run(context) {
    const app = await makeExample(context, 'express', {
      versions: {
        express,
        '@types/express': types,
        '@types/node': '24.13.2',
        typescript: '5.9.3',
        vitest: '4.1.12',
      },
      files: { 'server.test.ts': readFileSync(TESTS, 'utf8').replace('../login/login.js', './login.js') },
    })
    await app.runTool('tsc', ['-p', '.'])
    await app.runTool('vitest', ['run', '--testTimeout=60000'])
    await visitScript(app, 'dev', { ready: 'Listening for', visit: visitPage })
    replaceLogin(app, 'express')
    await app.run('npm', ['run', 'build'])
    await withEmulator((env) => visitScript(app, 'start', { env, ready: 'Listening for', visit: visitPage }))
    return 'its own tests; dev, build and start; all steps'
  },
})

/** Every example, as `npm create stagepass` copies it, used as its README says. */
export const EXAMPLES: readonly Case[] = [
  expressServer('4.18.3', '4.17.25'),
  expressServer('4.22.3', '4.17.25'),
  expressServer('5.3.0', '5.0.6'),
  {
    name: 'Example hono',
    table: 'builds',
    async run(context) {
      const app = await makeExample(context, 'hono')
      await app.run('npm', ['run', 'typecheck'])
      await visitScript(app, 'dev', { ready: 'Listening for', visit: visitPage })
      return 'all steps'
    },
  },
  {
    name: 'Example workers',
    table: 'builds',
    async run(context) {
      const app = await makeExample(context, 'workers')
      await app.run('npm', ['run', 'typecheck'])
      await visitScript(app, 'dev', { ready: 'Ready on', args: (port) => ['--port', port], visit: visitPage })
      return 'in workerd, by `wrangler dev`: all steps'
    },
  },
  {
    name: 'Example react-router',
    table: 'builds',
    async run(context) {
      const app = await makeExample(context, 'react-router')
      await app.run('npm', ['run', 'typecheck'])
      await visitScript(app, 'dev', { ready: 'Local:', visit: visitRendered })
      replaceLogin(app, 'react-router')
      await app.run('npm', ['run', 'build'])
      await withEmulator((env) => visitScript(app, 'start', { env, ready: 'http://', visit: visitRendered }))
      return 'dev, build and start; all steps'
    },
  },
  {
    name: 'Example next-app',
    table: 'builds',
    async run(context) {
      const app = await makeExample(context, 'next')
      await visitScript(app, 'dev', { ready: 'Ready in', visit: visitRendered })
      replaceLogin(app, 'next')
      await app.run('npm', ['run', 'build'], { limitSeconds: 600 })
      await withEmulator((env) => visitScript(app, 'start', { env, ready: 'Ready in', visit: visitRendered }))
      return 'dev, build and start; all steps'
    },
  },
]
