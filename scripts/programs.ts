import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from 'playwright'
import { findInPath, run, say } from './run.js'

/*
 * The tests want programs that npm does not bring: three browsers, a screen and a sound server for them, a
 * redis-server, an nginx and ffmpeg. The checks want Prometheus, and if all of them run, faketime. Each is
 * looked for, then installed where that can be done without asking, and otherwise named in one line.
 */

interface Program {
  readonly name: string
  find(): string | undefined
  /** Commands that install it, tried in order. */
  readonly installs: readonly (readonly [command: string, ...args: string[]])[]
  readonly remedy: string
}

const isRoot = process.getuid?.() === 0
const apt = (...names: string[]): Program['installs'] =>
  isRoot && findInPath('apt-get')
    ? [
        ['apt-get', 'update', '-qq'],
        ['apt-get', 'install', '-y', '-qq', '--no-install-recommends', ...names],
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

const FIREFOX: Program = {
  name: 'Firefox',
  find: () =>
    existing(process.env.FIREFOX_PATH) ??
    findInPath('firefox-esr') ??
    findInPath('firefox') ??
    existing('/Applications/Firefox.app/Contents/MacOS/firefox'),
  installs: apt('firefox-esr'),
  remedy: 'Install Firefox (Debian: apt-get install firefox-esr) or set FIREFOX_PATH.',
}

/** A file below a folder of `/usr/lib` that is named after the processor. */
const inLibraries = (...paths: string[]): string | undefined => {
  if (!existsSync('/usr/lib')) return undefined
  const folders = readdirSync('/usr/lib').map((folder) => join('/usr/lib', folder))
  return paths.flatMap((path) => folders.map((folder) => join(folder, path))).find((path) => existsSync(path))
}

const WEBKIT_REMEDY =
  'Install WebKitGTK (Debian: apt-get install webkit2gtk-driver) or set WEBKIT_DRIVER_PATH and WEBKIT_BROWSER_PATH. It runs on Linux only: elsewhere leave it out, npm test -- --project=!webkit.'

const WEBKIT_DRIVER: Program = {
  name: "WebKitGTK's WebDriver",
  find: () => existing(process.env.WEBKIT_DRIVER_PATH) ?? findInPath('WebKitWebDriver'),
  installs: apt('webkit2gtk-driver'),
  remedy: WEBKIT_REMEDY,
}

const WEBKIT_BROWSER: Program = {
  name: "WebKitGTK's MiniBrowser",
  find: () =>
    existing(process.env.WEBKIT_BROWSER_PATH) ??
    inLibraries('webkit2gtk-4.1/MiniBrowser', 'webkitgtk-6.0/MiniBrowser', 'webkit2gtk-4.0/MiniBrowser'),
  installs: apt('webkit2gtk-driver'),
  remedy: WEBKIT_REMEDY,
}

const WEBKIT_SOUND: Program = {
  name: "WebKitGTK's way to a sound server",
  find: () => inLibraries('gstreamer-1.0/libgstpulseaudio.so'),
  installs: apt('gstreamer1.0-plugins-base', 'gstreamer1.0-plugins-good', 'gstreamer1.0-pulseaudio'),
  remedy:
    'Install its plugins (Debian: apt-get install gstreamer1.0-plugins-base gstreamer1.0-plugins-good gstreamer1.0-pulseaudio).',
}

const XVFB: Program = {
  name: 'Xvfb',
  find: () => existing(process.env.XVFB_PATH) ?? findInPath('Xvfb'),
  installs: apt('xvfb'),
  remedy: 'Install Xvfb (Debian: apt-get install xvfb) or set XVFB_PATH.',
}

const PULSEAUDIO: Program = {
  name: 'PulseAudio',
  find: () => existing(process.env.PULSEAUDIO_PATH) ?? findInPath('pulseaudio'),
  installs: apt('pulseaudio', 'pulseaudio-utils'),
  remedy: 'Install PulseAudio (Debian: apt-get install pulseaudio pulseaudio-utils) or set PULSEAUDIO_PATH.',
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

/** It reads the captions that the kit writes. */
const FFMPEG: Program = {
  name: 'ffmpeg',
  find: () => findInPath('ffmpeg'),
  installs: apt('ffmpeg'),
  remedy: 'Install ffmpeg (Debian: apt-get install ffmpeg; macOS: brew install ffmpeg).',
}

const FAKETIME: Program = {
  name: 'faketime',
  find: () => findInPath('faketime'),
  installs: apt('faketime'),
  remedy: 'Install faketime (Debian: apt-get install faketime).',
}

/** Debian has it outside of PATH, in a folder for each version. */
const POSTGRES: Program = {
  name: "Postgres' initdb",
  find() {
    const folder = '/usr/lib/postgresql'
    const versions = existsSync(folder) ? readdirSync(folder).toSorted((a, b) => Number(b) - Number(a)) : []
    const paths = versions.map((version) => join(folder, version, 'bin/initdb'))
    return existing(process.env.INITDB_PATH) ?? findInPath('initdb') ?? paths.find((path) => existsSync(path))
  },
  installs: apt('postgresql'),
  remedy:
    'Install Postgres (Debian: apt-get install postgresql; macOS: brew install postgresql) or set INITDB_PATH.',
}

/** The last program of the tests on real topologies. It is used if it is there: not every Debian has it. */
const findValkey = (): string | undefined =>
  existing(process.env.VALKEY_SERVER_PATH) ?? findInPath('valkey-server')

const PROMETHEUS_REMEDY =
  'Install Prometheus (Debian: apt-get install prometheus; macOS: brew install prometheus) or set PROMETHEUS_PATH and PROMTOOL_PATH.'

const PROMETHEUS: Program = {
  name: 'prometheus',
  find: () => existing(process.env.PROMETHEUS_PATH) ?? findInPath('prometheus'),
  installs: apt('prometheus'),
  remedy: PROMETHEUS_REMEDY,
}

const PROMTOOL: Program = {
  name: 'promtool',
  find: () => existing(process.env.PROMTOOL_PATH) ?? findInPath('promtool'),
  installs: apt('prometheus'),
  remedy: PROMETHEUS_REMEDY,
}

/** What the servers of examples/any-backend run on, and the proxy that is not nginx. */
const BACKENDS: readonly Program[] = [
  {
    name: 'Flask',
    // A library has no program of its own.
    find: () => (spawnSync('python3', ['-c', 'import flask']).status === 0 ? 'python3' : undefined),
    installs: apt('python3-flask'),
    remedy: 'Install Flask (Debian: apt-get install python3-flask; elsewhere: pip install flask).',
  },
  {
    name: 'Sinatra',
    find: () =>
      spawnSync('ruby', ['-r', 'sinatra/base', '-r', 'webrick', '-e', '']).status === 0 ? 'ruby' : undefined,
    installs: apt('ruby-sinatra', 'ruby-webrick'),
    remedy:
      'Install Sinatra (Debian: apt-get install ruby-sinatra ruby-webrick; elsewhere: gem install sinatra webrick).',
  },
  {
    name: 'a JDK',
    // Debian has a `java` that compiles nothing.
    find: () => findInPath('javac'),
    installs: apt('default-jdk-headless'),
    remedy: 'Install a JDK from 17 on (Debian: apt-get install default-jdk-headless).',
  },
  {
    name: 'Gson',
    find: () => existing('/usr/share/java/gson.jar'),
    installs: apt('libgoogle-gson-java'),
    remedy: 'Install Gson as /usr/share/java/gson.jar (Debian: apt-get install libgoogle-gson-java).',
  },
  ...(
    [
      ['php', 'php-cli'],
      ['go', 'golang-go'],
      ['caddy', 'caddy'],
    ] as const
  ).map(([name, debian]) => ({
    name,
    find: () => findInPath(name),
    installs: apt(debian),
    remedy: `Install ${name} (Debian: apt-get install ${debian}; macOS: brew install ${name}).`,
  })),
]

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

/** Python with Flask, Ruby with Sinatra, Java with Gson, PHP, Go and Caddy, found in PATH. */
export async function provideBackends(): Promise<void> {
  for (const program of BACKENDS) await provide(program)
}

/** Path of Postgres' `initdb`, beside which the server is. */
export const providePostgres = (): Promise<string> => provide(POSTGRES)

/** Path of the proxy that stands in front of the hosts of scripts/consumer. */
export const provideNginx = (): Promise<string> => provide(NGINX)

/**
 * Servers for the tests on real topologies; `valkey` is not there if it is not installed. They also need
 * faketime, found in PATH.
 */
export async function provideServers(): Promise<{ redis: string; valkey: string | undefined }> {
  await provide(FAKETIME)
  return { redis: await provide(REDIS), valkey: findValkey() }
}

/** Programs of the engines besides Chromium. Without one of them, only the tests of its engine fail. */
const ENGINES = {
  FIREFOX_PATH: FIREFOX,
  WEBKIT_DRIVER_PATH: WEBKIT_DRIVER,
  WEBKIT_BROWSER_PATH: WEBKIT_BROWSER,
  WEBKIT_SOUND_PATH: WEBKIT_SOUND,
  XVFB_PATH: XVFB,
  PULSEAUDIO_PATH: PULSEAUDIO,
} as const

/** Paths of Prometheus and of its tool that checks alert rules. */
export async function providePrometheus(): Promise<{ prometheus: string; promtool: string }> {
  return { prometheus: await provide(PROMETHEUS), promtool: await provide(PROMTOOL) }
}

/**
 * Paths of the programs, as environment variables for the tests; ffmpeg is found in PATH. Throws a sentence
 * with the remedy where one cannot be had.
 */
export async function providePrograms(): Promise<
  Record<'CHROMIUM_PATH' | 'REDIS_SERVER_PATH' | 'NGINX_PATH', string>
> {
  const CHROMIUM_PATH = await provide(CHROMIUM)
  const REDIS_SERVER_PATH = await provide(REDIS)
  const NGINX_PATH = await provide(NGINX)
  await provide(FFMPEG)
  say(`Browser: ${CHROMIUM_PATH}. Redis: ${REDIS_SERVER_PATH}. Proxy: ${NGINX_PATH}.`)
  return { CHROMIUM_PATH, REDIS_SERVER_PATH, NGINX_PATH }
}

/** Paths of the engines' programs. An engine that is missing is named, and its tests fail with the remedy. */
export async function provideEngines(): Promise<Partial<Record<keyof typeof ENGINES, string>>> {
  const paths: Partial<Record<keyof typeof ENGINES, string>> = {}
  for (const [variable, program] of Object.entries(ENGINES)) {
    try {
      paths[variable as keyof typeof ENGINES] = await provide(program)
    } catch (error) {
      console.error(error instanceof Error ? error.message : error)
    }
  }
  const browsers = [paths.FIREFOX_PATH, paths.WEBKIT_BROWSER_PATH].filter(Boolean)
  say(`More browsers: ${browsers.join(', ')}.`)
  return paths
}
