import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { TEMPLATES } from '../packages/create-stagepass/src/templates.js'

const ROOT = resolve(import.meta.dirname, '..')

type Dependencies = Readonly<Record<string, string>>

interface Manifest {
  readonly version: string
  readonly repository?: { readonly url: string }
  readonly dependencies: Dependencies
  readonly devDependencies: Dependencies
}

const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')) as Manifest

/** An example takes the packages of the workspace, an application those that are published with it. */
const publishedVersions = (dependencies: Dependencies): Dependencies =>
  Object.fromEntries(
    Object.entries(dependencies).map(([name, version]) => {
      const [, own] = /^@stagepass\/(.+)/.exec(name) ?? []
      return [name, own === undefined ? version : `^${readManifest(`packages/${own}`).version}`]
    }),
  )

/**
 * A link to a page that the application does not have gets its whole address. Without an address of the
 * repository it becomes its text.
 */
const absoluteLinks = (page: string, example: string, repository: string | undefined): string =>
  page.replaceAll(/\[([^\]]+)\]\((\.\.\/[^)]*)\)/g, (_, text: string, path: string) =>
    repository ? `[${text}](${new URL(path, `${repository}/blob/main/examples/${example}/`).href})` : text,
  )

/**
 * Makes the templates of create-stagepass in a folder, each of an example. Only files that git knows: no
 * `.env` of a developer can be published. Tests stay here: they serve this repository. `repository` is its
 * address in a browser.
 */
export function writeTemplates(
  folder: string,
  repository = readManifest('packages/create-stagepass').repository?.url.replaceAll(/^git\+|\.git$/g, ''),
): void {
  rmSync(folder, { recursive: true, force: true })
  for (const [template, { example }] of Object.entries(TEMPLATES)) {
    const source = join(ROOT, 'examples', example)
    const files = execFileSync('git', ['ls-files', '-z'], { cwd: source, encoding: 'utf8' }).split('\0')
    for (const file of files.filter((file) => file && !file.includes('.test.'))) {
      const copy = join(folder, template, file)
      mkdirSync(dirname(copy), { recursive: true })
      copyFileSync(join(source, file), copy)
    }

    const manifest = readManifest(`examples/${example}`)
    const { dependencies, devDependencies } = manifest
    const published = {
      ...manifest,
      dependencies: publishedVersions(dependencies),
      devDependencies: publishedVersions(devDependencies),
    }
    writeFileSync(join(folder, template, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
    const readme = join(folder, template, 'README.md')
    writeFileSync(readme, absoluteLinks(readFileSync(readme, 'utf8'), example, repository))
  }
}
