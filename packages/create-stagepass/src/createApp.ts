import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { entriesOf, type Folder } from './readFolder.js'
import type { Template } from './templates.js'

const TEMPLATES = join(import.meta.dirname, 'templates')

/** A tarball cannot hold it: npm reads it as a list of what to leave out. */
const GITIGNORE = `node_modules/
.env
.env.local
.next/
next-env.d.ts
.react-router/
.wrangler/
build/
dist/
*.tsbuildinfo
`

/** Without it, `pnpm install` of 11 and newer ends with an error at packages that have install scripts. */
const PNPM_WORKSPACE = `# They work without their install scripts.
allowBuilds:
  esbuild: false
  sharp: false
  workerd: false
`

/** Writes the application. If that fails, it removes what it wrote, and throws. */
export function createApp(template: Template, { path, name }: Folder, manager: string): void {
  // Nothing, if the folder existed.
  const created = mkdirSync(path, { recursive: true })
  try {
    write(join(TEMPLATES, template), path, name)
    if (manager === 'pnpm') writeFileSync(join(path, 'pnpm-workspace.yaml'), PNPM_WORKSPACE)
  } catch (error) {
    const written = created === undefined ? entriesOf(path).map((entry) => join(path, entry)) : [created]
    for (const each of written) rmSync(each, { recursive: true })
    throw error
  }
}

function write(source: string, path: string, name: string): void {
  for (const entry of readdirSync(source, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name)
    const copy = join(path, relative(source, file))
    mkdirSync(dirname(copy), { recursive: true })
    if (entry.isFile()) copyFileSync(file, copy)
  }
  writeFileSync(join(path, '.gitignore'), GITIGNORE)
  const readme = join(path, 'README.md')
  writeFileSync(
    readme,
    readFileSync(readme, 'utf8').replace(/^# .*/, () => `# ${name}`),
  )
  const manifest = join(path, 'package.json')
  const values = JSON.parse(readFileSync(manifest, 'utf8')) as object
  writeFileSync(manifest, `${JSON.stringify({ ...values, name }, null, 2)}\n`)
}
