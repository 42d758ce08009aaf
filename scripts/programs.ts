import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from 'playwright'
import { findInPath, say } from './run.js'

/*
 * Programs that the tests and checks need, and that npm does not install. For each missing program it prints
 * one line. On Debian as root it installs the program; otherwise nothing runs, and the line says what to
 * type.
 */

interface Program {
  /** Name of the program in a sentence. */
  readonly title: string
  /** Path of the program, or anything else if it is found in PATH. */
  find(): string | undefined
  /** Debian's packages. */
  readonly debian: readonly string[]
  /** How to install it on other systems. */
  readonly elsewhere: string
}

const existing = (path: string | undefined): string | undefined =>
  path && existsSync(path) ? path : undefined

/** A program that the variable names, or that has one of these names in PATH. */
const find =
  (variable: string, ...names: readonly string[]) =>
  (): string | undefined =>
    existing(process.env[variable]) ?? names.map(findInPath).find((path) => path !== undefined)

/** A file below a folder of `/usr/lib` that is named after the processor. */
const inLibraries = (...paths: string[]): string | undefined => {
  if (!existsSync('/usr/lib')) return undefined
  const folders = readdirSync('/usr/lib').map((folder) => join('/usr/lib', folder))
  return paths.flatMap((path) => folders.map((folder) => join(folder, path))).find((path) => existsSync(path))
}

/** Debian installs it outside of PATH, in a folder for each version. */
function findInitdb(): string | undefined {
  const folder = '/usr/lib/postgresql'
  const versions = existsSync(folder) ? readdirSync(folder).toSorted((a, b) => Number(b) - Number(a)) : []
  return versions.map((version) => join(folder, version, 'bin/initdb')).find((path) => existsSync(path))
}

/** A library is not a program, so the language tries to load it. */
const loads =
  (command: string, ...args: readonly string[]) =>
  (): string | undefined =>
    spawnSync(command, args).status === 0 ? command : undefined

const WEBKIT_ELSEWHERE = 'it runs on Linux only'

/** The programs, by the variable that has the path for the tests. */
const PROGRAMS = {
  CHROMIUM_PATH: {
    title: 'Chromium',
    find: () =>
      find('CHROMIUM_PATH', 'chromium', 'chromium-browser', 'google-chrome')() ??
      existing('/Applications/Google Chrome.app/Contents/MacOS/Google Chrome') ??
      existing(chromium.executablePath()),
    debian: ['chromium'],
    elsewhere: 'npx playwright install chromium',
  },
  REDIS_SERVER_PATH: {
    title: 'redis-server',
    find: find('REDIS_SERVER_PATH', 'redis-server', 'valkey-server'),
    debian: ['redis-server'],
    elsewhere: 'brew install redis',
  },
  FIREFOX_PATH: {
    title: 'Firefox',
    find: () =>
      find('FIREFOX_PATH', 'firefox-esr', 'firefox')() ??
      existing('/Applications/Firefox.app/Contents/MacOS/firefox'),
    debian: ['firefox-esr'],
    elsewhere: 'brew install firefox',
  },
  WEBKIT_DRIVER_PATH: {
    title: "WebKitGTK's WebDriver",
    find: find('WEBKIT_DRIVER_PATH', 'WebKitWebDriver'),
    debian: ['webkit2gtk-driver'],
    elsewhere: WEBKIT_ELSEWHERE,
  },
  WEBKIT_BROWSER_PATH: {
    title: "WebKitGTK's MiniBrowser",
    find: () =>
      existing(process.env.WEBKIT_BROWSER_PATH) ??
      inLibraries('webkit2gtk-4.1/MiniBrowser', 'webkitgtk-6.0/MiniBrowser', 'webkit2gtk-4.0/MiniBrowser'),
    debian: ['webkit2gtk-driver'],
    elsewhere: WEBKIT_ELSEWHERE,
  },
  WEBKIT_SOUND_PATH: {
    title: "WebKitGTK's way to a sound server",
    find: () => inLibraries('gstreamer-1.0/libgstpulseaudio.so'),
    debian: ['gstreamer1.0-plugins-base', 'gstreamer1.0-plugins-good', 'gstreamer1.0-pulseaudio'],
    elsewhere: WEBKIT_ELSEWHERE,
  },
  XVFB_PATH: {
    title: 'Xvfb',
    find: find('XVFB_PATH', 'Xvfb'),
    debian: ['xvfb'],
    elsewhere: 'brew install --cask xquartz',
  },
  PULSEAUDIO_PATH: {
    title: 'PulseAudio',
    find: find('PULSEAUDIO_PATH', 'pulseaudio'),
    debian: ['pulseaudio', 'pulseaudio-utils'],
    elsewhere: 'brew install pulseaudio',
  },
  NGINX_PATH: {
    title: 'nginx',
    find: () => find('NGINX_PATH', 'nginx')() ?? existing('/usr/sbin/nginx'),
    debian: ['nginx-light'],
    elsewhere: 'brew install nginx',
  },
  INITDB_PATH: {
    title: "Postgres' initdb",
    find: () => find('INITDB_PATH', 'initdb')() ?? findInitdb(),
    debian: ['postgresql'],
    elsewhere: 'brew install postgresql',
  },
  PROMETHEUS_PATH: {
    title: 'prometheus',
    find: find('PROMETHEUS_PATH', 'prometheus'),
    debian: ['prometheus'],
    elsewhere: 'brew install prometheus',
  },
  PROMTOOL_PATH: {
    title: 'promtool',
    find: find('PROMTOOL_PATH', 'promtool'),
    debian: ['prometheus'],
    elsewhere: 'brew install prometheus',
  },
  // The tests find these in PATH.
  FFMPEG: {
    title: 'ffmpeg',
    find: () => findInPath('ffmpeg'),
    debian: ['ffmpeg'],
    elsewhere: 'brew install ffmpeg',
  },
  FAKETIME: {
    title: 'faketime',
    find: () => findInPath('faketime'),
    debian: ['faketime'],
    elsewhere: 'brew install libfaketime',
  },
  FLASK: {
    title: 'Flask',
    find: loads('python3', '-c', 'import flask'),
    debian: ['python3-flask'],
    elsewhere: 'pip install flask',
  },
  PHP: {
    title: 'php',
    find: () => findInPath('php'),
    debian: ['php-cli'],
    elsewhere: 'brew install php',
  },
  GO: {
    title: 'go',
    find: () => findInPath('go'),
    debian: ['golang-go'],
    elsewhere: 'brew install go',
  },
  CADDY: {
    title: 'caddy',
    find: () => findInPath('caddy'),
    debian: ['caddy'],
    elsewhere: 'brew install caddy',
  },
} as const satisfies Readonly<Record<string, Program>>

export type ProgramName = keyof typeof PROGRAMS

/** All programs that `npm test` needs. ffmpeg reads the captions that the package writes. */
export const BASIC = [
  'CHROMIUM_PATH',
  'REDIS_SERVER_PATH',
  'FFMPEG',
] as const satisfies readonly ProgramName[]

/** Programs that the tests in the other engines need. */
export const ENGINES = [
  'FIREFOX_PATH',
  'WEBKIT_DRIVER_PATH',
  'WEBKIT_BROWSER_PATH',
  'WEBKIT_SOUND_PATH',
  'XVFB_PATH',
  'PULSEAUDIO_PATH',
] as const satisfies readonly ProgramName[]

export const ALL = Object.keys(PROGRAMS) as ProgramName[]

const canInstall = process.getuid?.() === 0 && findInPath('apt-get') !== undefined

function install(missing: readonly Program[]): void {
  const names = [...new Set(missing.flatMap(({ debian }) => debian))]
  const commands = [
    ['update', '-qq'],
    ['install', '-y', '-qq', '--no-install-recommends', ...names],
  ]
  say(
    `Missing: ${missing.map(({ title }) => title).join(', ')}. Installing: apt-get install ${names.join(' ')}`,
  )
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  try {
    for (const args of commands) execFileSync('apt-get', args, { env, encoding: 'utf8', stdio: 'pipe' })
  } catch (error) {
    // The message has the output of apt-get.
    console.error(error instanceof Error ? error.message : error)
  }
}

/**
 * Paths of these programs by their variable. Throws if one is missing and cannot be installed; the message
 * has a command for each.
 */
export async function provide<T extends ProgramName>(names: readonly T[]): Promise<Record<T, string>> {
  const missingOf = (): Program[] => names.map((name) => PROGRAMS[name]).filter((one) => !one.find())
  let missing = missingOf()
  if (missing.length > 0 && canInstall) {
    install(missing)
    missing = missingOf()
  }
  if (missing.length > 0) {
    const lines = missing.map(
      ({ title, debian, elsewhere }) =>
        `  ${title}: apt-get install ${debian.join(' ')} (Debian, as root); elsewhere: ${elsewhere}`,
    )
    const variables = names.filter((name) => name.endsWith('_PATH')).join(', ')
    throw new Error(
      `Failed to find what the tests need. Install it:\n${lines.join('\n')}\nIf it is installed in another place, set its variable: ${variables}.`,
    )
  }
  return Object.fromEntries(names.map((name) => [name, PROGRAMS[name].find() ?? ''])) as Record<T, string>
}
