import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { runCli } from '../packages/create-stagepass/src/runCli.js'
import type { Template } from '../packages/create-stagepass/src/templates.js'
import { type Libraries, provideTarballs } from './pack.js'
import { STARTER } from './packages.js'
import { say } from './run.js'
import { writeTemplates } from './templates.js'

/*
 * `npm run create -- ../my-app --template next` creates an application as `npm create stagepass` does, with
 * the packages of this clone: their tarballs are in its folder `tarballs`, so that it needs no registry which
 * has them.
 */

const TARBALLS = 'tarballs'

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
}

/** Puts the tarballs into a template. The tarballs name each other by version, so they are overrides too. */
function addTarballs(template: string, libraries: Libraries): void {
  const files: Record<string, string> = {}
  for (const [name, path] of Object.entries(libraries)) {
    const file = `${TARBALLS}/${basename(path)}`
    cpSync(path, join(template, file))
    files[name] = `file:${file}`
  }
  const path = join(template, 'package.json')
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as Manifest
  const withFiles = (versions: Manifest['dependencies']) =>
    Object.fromEntries(Object.entries(versions).map(([name, version]) => [name, files[name] ?? version]))
  const changed = {
    ...manifest,
    dependencies: withFiles(manifest.dependencies),
    devDependencies: withFiles(manifest.devDependencies),
    overrides: files,
  }
  writeFileSync(path, `${JSON.stringify(changed, null, 2)}\n`)
}

const folder = mkdtempSync(join(tmpdir(), 'stagepass-create-'))
async function findTemplate(template: Template): Promise<string> {
  say('Building and packing the packages of this clone')
  const { [STARTER]: _starter, ...libraries } = await provideTarballs(folder)
  writeTemplates(join(folder, 'templates'))
  addTarballs(join(folder, 'templates', template), libraries)
  return join(folder, 'templates', template)
}

// The user's folder: npm starts its scripts at the root.
process.chdir(process.env.INIT_CWD ?? '.')
try {
  process.exitCode = await runCli({
    command: (name, options) => `npm run create -- ${name} ${options}`,
    findTemplate,
  })
} finally {
  rmSync(folder, { recursive: true, force: true })
}
