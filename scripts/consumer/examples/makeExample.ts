import { mkdtempSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runIn } from '@stagepass/testing/programs'
import type { Template } from '../../../packages/create-stagepass/src/templates.js'
import type { Context } from '../Case.js'
import { makeApp, type App, type AppOptions } from '../makeApp.js'

interface Manifest {
  readonly scripts: Readonly<Record<string, string>>
  readonly type: string
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
}

interface ExampleOptions extends Pick<AppOptions, 'files'> {
  /** Versions that replace those of its package.json. */
  readonly versions?: Readonly<Record<string, string>>
}

/** An example as `npm create stagepass` copies it, with the tarballs in place of the packages. */
export async function makeExample(
  context: Context,
  template: Template,
  { versions = {}, files = {} }: ExampleOptions = {},
): Promise<App> {
  const folder = mkdtempSync(join(context.folder, 'created-'))
  await runIn(folder, 'tar', ['-xzf', context.starter])
  await runIn(folder, 'node', ['package/dist/main.js', 'app', '--template', template])
  const created = join(folder, 'app')
  const text = readFileSync(join(created, 'package.json'), 'utf8')
  const { scripts, type, dependencies, devDependencies } = JSON.parse(text) as Manifest
  const all = { ...dependencies, ...devDependencies, ...versions }
  const others = Object.entries(all).filter(([dependency]) => !dependency.startsWith('@stagepass/'))
  return makeApp(context, {
    copy: [created],
    files,
    manifest: { type, scripts },
    dependencies: Object.fromEntries(others),
  })
}
