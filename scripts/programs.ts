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
  /** Its names in PATH. */
  readonly names?: readonly string[]
  /** Other places: files, or files below a folder of `/usr/lib` that is named after the processor. */
  readonly files?: readonly string[]
  /** A command that succeeds if a library is there. */
  readonly loads?: readonly [command: string, ...args: string[]]
  /** Debian's packages. */
  readonly debian: readonly string[]
  /** How to install it on other systems. Default: it runs on Linux only. */
  readonly elsewhere?: string
}

/** The programs, by the variable that has the path for the tests. */
const PROGRAMS = {
  CHROMIUM_PATH: {
    names: ['chromium', 'chromium-browser', 'google-chrome'],
    files: ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome', chromium.executablePath()],
    debian: ['chromium'],
    elsewhere: 'npx playwright install chromium',
  },
  REDIS_SERVER_PATH: {
    names: ['redis-server', 'valkey-server'],
    debian: ['redis-server'],
    elsewhere: 'brew install redis',
  },
  FIREFOX_PATH: {
    names: ['firefox-esr', 'firefox'],
    files: ['/Applications/Firefox.app/Contents/MacOS/firefox'],
    debian: ['firefox-esr'],
    elsewhere: 'brew install firefox',
  },
  WEBKIT_DRIVER_PATH: { names: ['WebKitWebDriver'], debian: ['webkit2gtk-driver'] },
  WEBKIT_BROWSER_PATH: {
    files: ['webkit2gtk-4.1/MiniBrowser', 'webkitgtk-6.0/MiniBrowser', 'webkit2gtk-4.0/MiniBrowser'],
    debian: ['webkit2gtk-driver'],
  },
  /** WebKitGTK's way to a sound server. */
  WEBKIT_SOUND_PATH: {
    files: ['gstreamer-1.0/libgstpulseaudio.so'],
    debian: ['gstreamer1.0-plugins-base', 'gstreamer1.0-plugins-good', 'gstreamer1.0-pulseaudio'],
  },
  XVFB_PATH: { names: ['Xvfb'], debian: ['xvfb'], elsewhere: 'brew install --cask xquartz' },
  PULSEAUDIO_PATH: {
    names: ['pulseaudio'],
    debian: ['pulseaudio', 'pulseaudio-utils'],
    elsewhere: 'brew install pulseaudio',
  },
  NGINX_PATH: {
    names: ['nginx'],
    files: ['/usr/sbin/nginx'],
    debian: ['nginx-light'],
    elsewhere: 'brew install nginx',
  },
  /** Debian installs it outside of PATH, in a folder for each version. */
  INITDB_PATH: {
    names: ['initdb'],
    files: ['bin/initdb'],
    debian: ['postgresql'],
    elsewhere: 'brew install postgresql',
  },
  PROMETHEUS_PATH: { names: ['prometheus'], debian: ['prometheus'], elsewhere: 'brew install prometheus' },
  PROMTOOL_PATH: { names: ['promtool'], debian: ['prometheus'], elsewhere: 'brew install prometheus' },
  // The tests find these in PATH. ffmpeg reads the captions that the packages write.
  FFMPEG: { names: ['ffmpeg'], debian: ['ffmpeg'], elsewhere: 'brew install ffmpeg' },
  SQLITE: { names: ['sqlite3'], debian: ['sqlite3'], elsewhere: 'brew install sqlite' },
  FAKETIME: { names: ['faketime'], debian: ['faketime'], elsewhere: 'brew install libfaketime' },
  FLASK: {
    loads: ['python3', '-c', 'import flask'],
    debian: ['python3-flask'],
    elsewhere: 'pip install flask',
  },
  PHP: { names: ['php'], debian: ['php-cli'], elsewhere: 'brew install php' },
  GO: { names: ['go'], debian: ['golang-go'], elsewhere: 'brew install go' },
  CADDY: { names: ['caddy'], debian: ['caddy'], elsewhere: 'brew install caddy' },
} as const satisfies Readonly<Record<string, Program>>

export type ProgramName = keyof typeof PROGRAMS

/** All programs that `npm test` needs. */
export const BASIC = ['CHROMIUM_PATH', 'REDIS_SERVER_PATH'] as const satisfies readonly ProgramName[]

/** Programs that the tests in the other engines need. */
export const ENGINES = [
  'FFMPEG',
  'FIREFOX_PATH',
  'WEBKIT_DRIVER_PATH',
  'WEBKIT_BROWSER_PATH',
  'WEBKIT_SOUND_PATH',
  'XVFB_PATH',
  'PULSEAUDIO_PATH',
] as const satisfies readonly ProgramName[]

export const ALL = Object.keys(PROGRAMS) as ProgramName[]

const foldersIn = (folder: string): string[] =>
  existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : []

/** The path of a program, or its name if it is no file. */
function find(name: ProgramName): string | undefined {
  const { names = [], files = [], loads }: Program = PROGRAMS[name]
  if (loads) return spawnSync(loads[0], loads.slice(1)).status === 0 ? name : undefined
  const folders = [...foldersIn('/usr/lib'), ...foldersIn('/usr/lib/postgresql').toReversed()]
  const paths = files.flatMap((file) =>
    file.startsWith('/') ? [file] : folders.map((folder) => join(folder, file)),
  )
  const set = process.env[name]
  if (set && existsSync(set)) return set
  return names.map(findInPath).find((path) => path !== undefined) ?? paths.find((path) => existsSync(path))
}

const canInstall = process.getuid?.() === 0 && findInPath('apt-get') !== undefined

function install(missing: readonly ProgramName[]): void {
  const names = [...new Set(missing.flatMap((name) => PROGRAMS[name].debian))]
  say(`Missing: ${missing.join(', ')}. Runs as root: apt-get update && apt-get install ${names.join(' ')}`)
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  try {
    for (const args of [
      ['update', '-qq'],
      ['install', '-y', '-qq', '--no-install-recommends', ...names],
    ])
      execFileSync('apt-get', args, { env, encoding: 'utf8', stdio: 'pipe' })
  } catch (error) {
    // The message has the output of apt-get.
    console.error(error instanceof Error ? error.message : error)
  }
}

function adviceFor(name: ProgramName): string {
  const { debian, elsewhere = 'it runs on Linux only' }: Program = PROGRAMS[name]
  return `  ${name}: apt-get install ${debian.join(' ')} (Debian, as root); elsewhere: ${elsewhere}`
}

/**
 * Paths of these programs by their variable. Throws if one is missing and cannot be installed; the message
 * has a command for each.
 */
export async function provide<T extends ProgramName>(names: readonly T[]): Promise<Record<T, string>> {
  const missingOf = (): T[] => names.filter((name) => find(name) === undefined)
  let missing = missingOf()
  if (missing.length > 0 && canInstall) {
    install(missing)
    missing = missingOf()
  }
  if (missing.length > 0)
    throw new Error(
      `Failed to find what the tests need. Install it:\n${missing.map(adviceFor).join('\n')}\nIf a program is in another place, set the variable with its name.`,
    )
  return Object.fromEntries(names.map((name) => [name, find(name) ?? ''])) as Record<T, string>
}
