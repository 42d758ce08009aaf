import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { embedWorklets } from './embedWorklets.js'
import { PACKAGES, STARTER } from './packages.js'
import { run } from './run.js'
import { writeTemplates } from './templates.js'

/*
 * Builds the packages into dist (ES modules) and dist/cjs (CommonJS), each by `tsc`;
 * docs/decisions/modules.md says why there are two. create-stagepass is ES modules alone, with its templates
 * beside them. In the folder of a package (`npm run build`, `npm pack`) it builds that package and those that
 * it needs.
 */

const root = resolve(import.meta.dirname, '..')
const all = [...PACKAGES, STARTER]
const current = all.find((name) => process.cwd() === join(root, 'packages', name))
const folders = (current ? [current] : all).map((name) => join(root, 'packages', name))
const starter = join(root, 'packages', STARTER)
const libraries = folders.filter((folder) => folder !== starter)

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.(js|d\.ts)(\.map)?$/.test(file),
  )

/** `tsc` leaves the output of a source that was removed or renamed, and it would be published. */
function removeStale(folder: string, output: string): void {
  for (const file of filesBelow(join(folder, output))) {
    const stem = join(folder, 'src', file.replace(/^cjs\//, '').replace(/\.(js|d\.ts)(\.map)?$/, ''))
    if (!['.ts', '.tsx', '.js'].some((ending) => existsSync(stem + ending)))
      rmSync(join(folder, output, file))
  }
}

/**
 * The package.json of the package calls its files ES modules, so dist/cjs has its own. A CommonJS module has
 * no address of its own.
 */
function finishCommonJs(output: string): void {
  writeFileSync(join(output, 'package.json'), '{ "type": "commonjs" }\n')
  for (const file of filesBelow(output).filter((file) => file.endsWith('.js'))) {
    const path = join(output, file)
    const code = readFileSync(path, 'utf8')
    const finished = code.replace(/new URL\('[^']+', import\.meta\.url\)/, 'undefined')
    if (finished !== code) writeFileSync(path, finished)
  }
}

await embedWorklets(root)
const commonJs = libraries.map((folder) => join(folder, 'tsconfig.cjs.json'))
process.exitCode = await run('npx', ['tsc', '-b', ...folders, ...commonJs])
if (process.exitCode === 0) {
  for (const folder of folders) removeStale(folder, 'dist')
  for (const folder of libraries) finishCommonJs(join(folder, 'dist/cjs'))
  if (folders.includes(starter)) writeTemplates(join(starter, 'dist/templates'))
}
