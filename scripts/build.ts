import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { embedWorklets } from './embedWorklets.js'
import { PACKAGES } from './packages.js'
import { run } from './run.js'

/*
 * Builds the packages into dist (ES modules) and dist/cjs (CommonJS), each by `tsc`;
 * docs/decisions/modules.md says why there are two. In the folder of a package (`npm run build`, `npm pack`)
 * it builds that package and those that it needs.
 */

const root = resolve(import.meta.dirname, '..')
const current = PACKAGES.find((name) => process.cwd() === join(root, 'packages', name))
const folders = (current ? [current] : PACKAGES).map((name) => join(root, 'packages', name))

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
const configs = folders.flatMap((folder) => [folder, join(folder, 'tsconfig.cjs.json')])
process.exitCode = await run('npx', ['tsc', '-b', ...configs])
if (process.exitCode === 0) {
  for (const folder of folders) {
    removeStale(folder, 'dist')
    finishCommonJs(join(folder, 'dist/cjs'))
  }
}
