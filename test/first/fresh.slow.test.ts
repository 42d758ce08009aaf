import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@stagepass/testing/freePorts'
import { runIn, type Running, startIn, visitThenStop } from '@stagepass/testing/programs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TEMPLATES } from '../../packages/create-stagepass/src/templates.js'
import { expectLogin, expectLoginRefused, expectThisMachineAlone } from '../start/expectLoopback.js'
import { demoPort, expectDemo } from './expectDemo.js'
import { takePort } from './takePort.js'

/*
 * The first commands of the README in a fresh copy of the repository, without what a developer's folder has
 * built and cached.
 */

const folder = mkdtempSync(join(tmpdir(), 'stagepass-first-'))
const copy = join(folder, 'stagepass')

beforeAll(async () => {
  // The copy packs its own packages, also in a check that has packed them.
  delete process.env.TARBALLS
  const files = execFileSync('git', ['ls-files', '-z'], { encoding: 'utf8' }).split('\0').filter(Boolean)
  for (const file of files) cpSync(file, join(copy, file))
  // The templates are the files in git.
  for (const args of [
    ['init', '--quiet'],
    ['add', '.'],
  ])
    execFileSync('git', args, { cwd: copy })
  await runIn(copy, 'npm', ['ci'], { limitSeconds: 1_800 })
}, 1_800_000)
// Half a million files: Node's own function needs minutes for them.
afterAll(() => execFileSync('rm', ['-rf', folder]), 600_000)

/** Starts the server of a folder, and ends it after the visit. */
const serve = (
  cwd: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  visit: (server: Running) => Promise<void>,
): Promise<void> =>
  visitThenStop(startIn(cwd, 'npm', ['run', 'dev', ...args], { env, limitSeconds: 180 }), visit)

describe('npm run dev', () => {
  it('without an option: a page that signs in, for this machine alone', () =>
    serve(copy, [], {}, async (server) => {
      const port = await demoPort(server)
      // Or the next one, on a machine where it is in use.
      expect(port).toBeGreaterThanOrEqual(5173)
      await expectDemo(port)
      await expectThisMachineAlone(port)
    }))

  it('on the port of --port and of PORT', async () => {
    const port = await freePort()
    await serve(copy, ['--', '--port', String(port)], {}, async (server) => {
      expect(await demoPort(server)).toBe(port)
      await expectDemo(port)
    })
    await serve(copy, [], { PORT: String(port) }, async (server) => {
      expect(await demoPort(server)).toBe(port)
      await expectDemo(port)
    })
  })

  it('on all interfaces with --host, where only this machine signs in', async () => {
    const port = await freePort()
    await serve(copy, ['--', '--host', '--port', String(port)], {}, async (server) => {
      expect(await demoPort(server)).toBe(port)
      await expectDemo(port)
      await expectLoginRefused(port, '/api/login')
    })
  })

  it('opens a browser with --open', async () => {
    const [browser, opened] = [join(folder, 'browser.js'), join(folder, 'opened')]
    const code = `import('node:fs').then((fs) => fs.writeFileSync('${opened}', process.argv.at(-1)))`
    writeFileSync(browser, code)
    await serve(copy, ['--', '--open'], { BROWSER: browser }, async (server) => {
      const port = await demoPort(server)
      await expect.poll(() => existsSync(opened) && readFileSync(opened, 'utf8')).toMatch(`:${port}/`)
    })
  })

  it('on the next port if another program listens on ::1', async () => {
    await using taken = await takePort('::1')
    await serve(copy, ['--', '--port', String(taken.port)], {}, async (server) => {
      expect(await demoPort(server)).toBeGreaterThan(taken.port)
      expect(server.output()).toContain(`Port ${taken.port} is in use on ::1`)
    })
  })
})

interface Lockfile {
  readonly packages: Readonly<Record<string, { readonly resolved?: string }>>
}

describe.each(Object.keys(TEMPLATES))('npm run create -- ../my-%s', (template) => {
  it('creates an application that needs no registry for the packages, and signs in', async () => {
    const app = join(folder, `my-${template}`)
    const options = ['run', 'create', '--', `../my-${template}`, '--template', template]
    const printed = await runIn(copy, 'npm', options, { limitSeconds: 600 })
    const steps = [...printed.matchAll(/^ {2}(.+)$/gm)].map(([, line]) => line)
    expect(steps).toEqual([`cd ../my-${template}`, 'npm install', 'npm run dev'])

    await runIn(app, 'npm', ['install'], { limitSeconds: 900 })
    const { packages } = JSON.parse(readFileSync(join(app, 'package-lock.json'), 'utf8')) as Lockfile
    const own = Object.entries(packages).filter(([path]) => /\/@stagepass\/[^/]+$/.test(path))
    expect(own.length).toBeGreaterThan(4)
    for (const [, { resolved }] of own) expect(resolved).toMatch(/^file:tarballs\//)

    const port = await freePort()
    await serve(app, ['--', '--port', String(port)], {}, async (server) => {
      await server.printed(String(port))
      await expect
        .poll(() => fetch(`http://localhost:${port}`).then(({ status }) => status, String))
        .toBe(200)
      await expectThisMachineAlone(port)
      await expectLogin(port)
    })
  })
})
