import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const FOLDER = new URL('../../examples/', import.meta.url)
const pathOf = (file: string): string => new URL(file, FOLDER).pathname
const read = (file: string): string => readFileSync(pathOf(file), 'utf8')

const names = readdirSync(FOLDER)
/** A user may copy these: each is an application on one host, complete in its folder. */
const SERVERS = ['express-server', 'hono', 'next-app', 'react-router', 'workers']

interface Manifest {
  readonly name: string
  readonly private: boolean
  readonly scripts: Readonly<Record<string, string>>
  readonly dependencies: Readonly<Record<string, string>>
}
const manifestOf = (name: string): Manifest => JSON.parse(read(`${name}/package.json`)) as Manifest

it.each(names)('the example %s has a README and a name of its own', (name) => {
  expect(existsSync(pathOf(`${name}/README.md`))).toBe(true)
  expect(manifestOf(name)).toMatchObject({ name: `@stagepass/example-${name}`, private: true })
})

// Three servers in other languages: its README has the command of each.
it.each(names.filter((name) => name !== 'any-backend'))('the example %s starts with `npm run dev`', (name) =>
  expect(Object.keys(manifestOf(name).scripts)).toContain('dev'),
)

it.each(SERVERS)('the example %s has the scripts and files of every server', (name) => {
  const { scripts, dependencies } = manifestOf(name)
  expect(Object.keys(scripts)).toEqual(
    expect.arrayContaining(['dev', 'typecheck', name === 'workers' ? 'deploy' : 'start']),
  )
  expect(scripts.dev).toMatch(/^node with-emulator\.js /)
  expect(dependencies).toHaveProperty('@stagepass/bff')
  for (const file of ['tsconfig.json', 'with-emulator.js']) expect(readdirSync(pathOf(name))).toContain(file)
  const files = readdirSync(pathOf(name), { recursive: true, encoding: 'utf8' })
  const sources = files.filter((file) => !file.includes('node_modules/'))
  for (const stem of ['login', 'voice'])
    expect(sources.filter((file) => new RegExp(`(^|/)${stem}(\\.server)?\\.ts$`).test(file))).toHaveLength(1)
})

// Each example is complete in its folder, so what several need is there several times. `npm test -- -u
// test/examples` copies the first.
it.each([
  [
    'express-server/login.ts',
    ['hono/login.ts', 'next-app/lib/login.ts', 'react-router/app/login.server.ts', 'workers/login.ts'],
  ],
  [
    'express-server/with-emulator.js',
    [
      'hono/with-emulator.js',
      'next-app/with-emulator.js',
      'react-router/with-emulator.js',
      'workers/with-emulator.js',
    ],
  ],
  ['express-server/index.html', ['hono/index.html', 'workers/index.html']],
  ['hono/voice.ts', ['workers/voice.ts']],
  ['next-app/app/Workplace.tsx', ['react-router/app/Workplace.tsx']],
  ['next-app/app/SignIn.tsx', ['react-router/app/SignIn.tsx']],
  ['next-app/app/filters.ts', ['react-router/app/filters.ts']],
])('%s is the same in every example that has it', async (name, copies) => {
  for (const copy of copies) await expect(read(name)).toMatchFileSnapshot(pathOf(copy))
})
