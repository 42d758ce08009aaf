import { cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { runIn, startIn, type Running, type RunOptions } from '@stagepass/testing/programs'
import type { Context } from './Case.js'
import { INSTALLERS, type InstallerName } from './installers.js'

export interface AppOptions {
  /** Dependencies in addition to the tarballs. */
  readonly dependencies: Readonly<Record<string, string>>
  /** More fields of package.json. Default: `{ type: 'module' }`. */
  readonly manifest?: Readonly<Record<string, unknown>>
  /** Folders that are copied into the application. A relative path is below scripts/consumer/apps. */
  readonly copy?: readonly string[]
  /** Texts by path. An object is written as JSON. */
  readonly files?: Readonly<Record<string, string | object>>
  /** Default `npm`. */
  readonly installer?: InstallerName
  /** Installed before, in this order, as in an existing application. */
  readonly before?: Readonly<Record<string, string>>
}

/** An application outside the workspace, with the tarballs installed. */
export interface App {
  readonly folder: string
  write(files: Readonly<Record<string, string | object>>): void
  read(path: string): string
  /** Runs a program to its end, and returns its output. */
  run(command: string, args: readonly string[], options?: RunOptions): Promise<string>
  /** Runs a program of a dependency. */
  runTool(command: string, args: readonly string[], options?: RunOptions): Promise<string>
  /** Runs a file in Node. */
  runNode(...args: readonly string[]): Promise<string>
  /** Starts a program, and does not wait for its end. */
  start(command: string, args: readonly string[], options?: RunOptions): Running
}

/** Creates an application in a new folder, and installs its dependencies. */
export async function makeApp(context: Context, options: AppOptions): Promise<App> {
  const { dependencies, manifest = { type: 'module' }, copy = [], files = {}, before } = options
  const folder = mkdtempSync(join(context.folder, 'app-'))
  const installer = INSTALLERS[options.installer ?? 'npm']

  function write(texts: Readonly<Record<string, string | object>>): void {
    for (const [path, text] of Object.entries(texts)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), typeof text === 'string' ? text : JSON.stringify(text, null, 2))
    }
  }

  async function install(packages: Readonly<Record<string, string>>): Promise<void> {
    const all = { name: 'app', version: '1.0.0', private: true, ...manifest, dependencies: packages }
    write({ 'package.json': { ...all, ...installer.manifest(context.tarballs) } })
    write(installer.files(context.tarballs))
    const [command, ...args] = installer.install
    await runIn(folder, command, args, { limitSeconds: 600 })
  }

  for (const name of copy) cpSync(resolve(import.meta.dirname, 'apps', name), folder, { recursive: true })
  write(files)
  if (before) await install(before)
  const tarballs = Object.entries(context.tarballs).map(([name, path]) => [name, `file:${path}`])
  await install({ ...before, ...dependencies, ...(Object.fromEntries(tarballs) as Record<string, string>) })

  return {
    folder,
    write,
    read: (path) => readFileSync(join(folder, path), 'utf8'),
    run: (command, args, options) => runIn(folder, command, args, options),
    runTool(command, args, options) {
      const [program, ...before] = [...installer.exec, command]
      return runIn(folder, program ?? command, [...before, ...args], options)
    },
    runNode(...args) {
      const [command, ...before] = installer.node
      return runIn(folder, command, [...before, ...args])
    },
    start: (command, args, options) => startIn(folder, command, args, options),
  }
}
