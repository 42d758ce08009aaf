import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { build } from 'esbuild'
import { embedWorklets } from './embedWorklets.js'
import { COMMON_JS, PACKAGES, STARTER } from './packages.js'
import { run } from './run.js'
import { writeTemplates } from './templates.js'

/*
 * Builds the packages into dist: ES modules by `tsc`, and for the packages of servers the same modules as
 * CommonJS in dist/cjs (docs/decisions/modules.md says why). create-stagepass also gets its templates. In the
 * folder of a package (`npm run build`, `npm pack`) it builds that package and those that it needs.
 */

const root = resolve(import.meta.dirname, '..')
const all = [...PACKAGES, STARTER]
const current = all.find((name) => process.cwd() === join(root, 'packages', name))
const names = current ? [current] : all
const folderOf = (name: string): string => join(root, 'packages', name)

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.(js|d\.ts)(\.map)?$/.test(file),
  )

/** Removes the output of removed or renamed sources. `tsc` keeps it, and it would be published. */
function removeStale(folder: string): void {
  rmSync(join(folder, 'dist/cjs'), { recursive: true, force: true })
  for (const file of filesBelow(join(folder, 'dist'))) {
    const stem = join(folder, 'src', file.replace(/\.(js|d\.ts)(\.map)?$/, ''))
    if (!['.ts', '.tsx', '.js'].some((ending) => existsSync(stem + ending)))
      rmSync(join(folder, 'dist', file))
  }
}

/**
 * The modules of dist as CommonJS, each with its types. The package's own package.json declares ES modules,
 * so the folder has another package.json. Commands are left out, because no program requires them.
 */
async function writeCommonJs(folder: string): Promise<void> {
  const from = join(folder, 'dist')
  const to = join(from, 'cjs')
  const files = filesBelow(from).filter((file) => !/(?:^|\/)cli\b/.test(file))
  await build({
    entryPoints: files.filter((file) => file.endsWith('.js')).map((file) => join(from, file)),
    outbase: from,
    outdir: to,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    sourcemap: true,
    sourcesContent: false,
    logLevel: 'warning',
  })
  for (const file of files.filter((one) => one.endsWith('.d.ts'))) {
    mkdirSync(dirname(join(to, file)), { recursive: true })
    // Without the map, which would have a wrong path of the source.
    writeFileSync(join(to, file), readFileSync(join(from, file), 'utf8').replace(/^\/\/# source.*$/m, ''))
  }
  writeFileSync(join(to, 'package.json'), '{ "type": "commonjs" }\n')
}

await embedWorklets(root)
process.exitCode = await run('npx', ['tsc', '-b', ...names.map(folderOf)])
if (process.exitCode === 0) {
  for (const name of names) removeStale(folderOf(name))
  for (const name of names.filter((one) => COMMON_JS.includes(one))) await writeCommonJs(folderOf(name))
  if (names.includes(STARTER)) writeTemplates(join(folderOf(STARTER), 'dist/templates'))
}
