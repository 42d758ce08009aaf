import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { entriesOf, type Folder } from './readFolder.js'

/**
 * Content of `.gitignore`. It cannot be a file of the package, because npm would read it as a list of files
 * to exclude.
 */
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

/** Without this file, `pnpm install` of version 11 and newer fails for packages with install scripts. */
const PNPM_WORKSPACE = `# They work without their install scripts.
allowBuilds:
  esbuild: false
  sharp: false
  workerd: false
`

/**
 * Writes the application. If this fails, removes the written files and throws.
 *
 * @param template the folder of the template
 */
export function createApp(template: string, { path, name }: Folder, manager: string): void {
  // `undefined` if the folder already existed.
  const created = mkdirSync(path, { recursive: true })
  try {
    write(template, path, name)
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
