import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { TEMPLATES } from '../../packages/create-stagepass/src/templates.js'

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

it('the examples read .env, and the environment comes first', () => {
  const folder = mkdtempSync(join(tmpdir(), 'stagepass-env-'))
  try {
    writeFileSync(join(folder, '.env'), 'VOICE_API_KEY=from-file\nVOICE_BASE_URL=from-file\n')
    const show = 'console.log(`${process.env.VOICE_API_KEY} ${process.env.VOICE_BASE_URL}`)'
    const args = [pathOf('server/with-emulator.js'), process.execPath, '-e', show]
    const env = { ...process.env, PORT: '0', VOICE_BASE_URL: 'from-environment' }
    const output = execFileSync(process.execPath, args, { cwd: folder, env, encoding: 'utf8' })
    expect(output.split('\n')).toContain('from-file from-environment')
  } finally {
    rmSync(folder, { recursive: true })
  }
})

it('the examples report in one sentence that their port is in use', async () => {
  const server = createServer().listen(0, 'localhost')
  await once(server, 'listening')
  const PORT = String((server.address() as AddressInfo).port)
  const env = { ...process.env, PORT }
  const args = [pathOf('server/with-emulator.js'), process.execPath, '-e', '']
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' })
  server.close()
  expect({ status, stdout, stderr }).toEqual({
    status: 1,
    stdout: '',
    stderr: `Failed to listen on port ${PORT} (EADDRINUSE). Set PORT to another one, here or in .env.\n`,
  })
})
