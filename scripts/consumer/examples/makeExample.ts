import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Context } from '../Case.js'
import { makeApp, type App } from '../makeApp.js'

const EXAMPLES = resolve(import.meta.dirname, '../../../examples')

interface Manifest {
  readonly scripts: Readonly<Record<string, string>>
  readonly type: string
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
}

/**
 * A copy of an example outside of the repository, with the tarballs in place of the packages. `versions`
 * replace those of its package.json.
 */
export function makeExample(
  context: Context,
  name: string,
  versions: Readonly<Record<string, string>> = {},
): Promise<App> {
  const folder = join(EXAMPLES, name)
  const text = readFileSync(join(folder, 'package.json'), 'utf8')
  const { scripts, type, dependencies, devDependencies } = JSON.parse(text) as Manifest
  const all = { ...dependencies, ...devDependencies, ...versions }
  const others = Object.entries(all).filter(([dependency]) => !dependency.startsWith('@stagepass/'))
  return makeApp(context, {
    copy: [`../../../examples/${name}`],
    manifest: { type, scripts },
    dependencies: Object.fromEntries(others),
  })
}
