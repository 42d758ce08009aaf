import { existsSync } from 'node:fs'
import { chromium } from 'playwright'
import { findInPath, run, say } from './run.js'

/*
 * The tests want three programs that npm does not bring: a Chromium, a redis-server and an nginx. The checks want luacheck, and if all of them
 * run, faketime. Each is looked for, then installed where that can be done without asking, and otherwise named in one line.
 */

interface Program {
  readonly name: string
  find(): string | undefined
  /** Commands that install it, tried in order. */
  readonly installs: readonly (readonly [command: string, ...args: string[]])[]
  readonly remedy: string
}

const isRoot = process.getuid?.() === 0
const apt = (name: string): Program['installs'] =>
  isRoot && findInPath('apt-get')
    ? [
        ['apt-get', 'update', '-qq'],
        ['apt-get', 'install', '-y', '-qq', '--no-install-recommends', name],
      ]
    : []

const existing = (path: string | undefined): string | undefined =>
  path && existsSync(path) ? path : undefined

const CHROMIUM: Program = {
  name: 'Chromium',
  find: () =>
    existing(process.env.CHROMIUM_PATH) ??
    findInPath('chromium') ??
    findInPath('chromium-browser') ??
    findInPath('google-chrome') ??
    existing('/Applications/Google Chrome.app/Contents/MacOS/Google Chrome') ??
    existing(chromium.executablePath()),
  installs: [...apt('chromium'), ...(isRoot ? [] : [['npx', 'playwright', 'install', 'chromium'] as const])],
  remedy:
    'Install Chromium (Debian: apt-get install chromium; elsewhere: npx playwright install chromium) or set CHROMIUM_PATH.',
}

const REDIS: Program = {
  name: 'redis-server',
  find: () =>
    existing(process.env.REDIS_SERVER_PATH) ?? findInPath('redis-server') ?? findInPath('valkey-server'),
  installs: apt('redis-server'),
  remedy:
    'Install Redis (Debian: apt-get install redis-server; macOS: brew install redis) or set REDIS_SERVER_PATH.',
}

const NGINX: Program = {
  name: 'nginx',
  find: () => existing(process.env.NGINX_PATH) ?? findInPath('nginx') ?? existing('/usr/sbin/nginx'),
  installs: apt('nginx-light'),
  remedy: 'Install nginx (Debian: apt-get install nginx-light; macOS: brew install nginx) or set NGINX_PATH.',
}

const LUACHECK: Program = {
  name: 'luacheck',
  find: () => findInPath('luacheck'),
  installs: apt('lua-check'),
  remedy:
    'Install luacheck (Debian: apt-get install lua-check; macOS: brew install luacheck; elsewhere: luarocks install luacheck).',
}

const FAKETIME: Program = {
  name: 'faketime',
  find: () => findInPath('faketime'),
  installs: apt('faketime'),
  remedy: 'Install faketime (Debian: apt-get install faketime).',
}

/** The last program of the tests on real topologies. It is used if it is there: not every Debian has it. */
const findValkey = (): string | undefined =>
  existing(process.env.VALKEY_SERVER_PATH) ?? findInPath('valkey-server')

async function provide(program: Program): Promise<string> {
  const found = program.find()
  if (found) return found
  for (const [command, ...args] of program.installs) {
    say(`${program.name} is missing: ${command} ${args.join(' ')}`)
    await run(command, args, { DEBIAN_FRONTEND: 'noninteractive' })
  }
  const installed = program.find()
  if (!installed)
    throw new Error(
      `Failed to find ${program.name}: it is neither installed nor installable from here. ${program.remedy}`,
    )
  return installed
}

/** Path of the proxy that stands in front of the hosts of scripts/consumer. */
export const provideNginx = (): Promise<string> => provide(NGINX)

/** Path of the linter for the budget's Lua. */
export const provideLuacheck = (): Promise<string> => provide(LUACHECK)

/** Servers for the tests on real topologies; `valkey` is not there if it is not installed. They also need faketime, found in PATH. */
export async function provideServers(): Promise<{ redis: string; valkey: string | undefined }> {
  await provide(FAKETIME)
  return { redis: await provide(REDIS), valkey: findValkey() }
}

/** Paths of the programs, as environment variables for the tests. Throws a sentence with the remedy where one cannot be had. */
export async function providePrograms(): Promise<
  Record<'CHROMIUM_PATH' | 'REDIS_SERVER_PATH' | 'NGINX_PATH', string>
> {
  const CHROMIUM_PATH = await provide(CHROMIUM)
  const REDIS_SERVER_PATH = await provide(REDIS)
  const NGINX_PATH = await provide(NGINX)
  say(`Browser: ${CHROMIUM_PATH}. Redis: ${REDIS_SERVER_PATH}. Proxy: ${NGINX_PATH}.`)
  return { CHROMIUM_PATH, REDIS_SERVER_PATH, NGINX_PATH }
}
