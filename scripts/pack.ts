import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { runIn } from '@stagepass/testing/programs'
import { absoluteLinks, readRepository } from './absoluteLinks.js'
import { llmsText } from './llmsText.js'
import { PACKAGES, STARTER } from './packages.js'

/*
 * `npx tsx scripts/pack.ts` builds the packages and packs them for publishing into dist/release. It also
 * writes their SHA-512, which the publishing job compares, and a bill of materials.
 */

/** Paths of the tarballs that an application installs, by the name of the package. */
export type Libraries = Readonly<Record<`@stagepass/${(typeof PACKAGES)[number]}`, string>>

/** Path of the tarball of each package, by the name of the package. */
export type Tarballs = Libraries & Readonly<Record<typeof STARTER, string>>

const ROOT = resolve(import.meta.dirname, '..')

/** Builds the packages, and packs them as they would be published. */
async function packPackages(folder: string): Promise<Tarballs> {
  await runIn(ROOT, 'npm', ['run', 'build'])
  return packBuilt(folder)
}

/**
 * Packs copies of the packages, in which no link of a page leads out of its package, and whose manifests have
 * the addresses of the repository.
 *
 * @param repository its address in a browser. Default: the one in package.json. Empty: none.
 */
export async function packBuilt(folder: string, repository?: string): Promise<Tarballs> {
  const copies = mkdtempSync(join(tmpdir(), 'stagepass-'))
  try {
    const names = [...PACKAGES, STARTER]
    for (const name of names) copyWithLinks(name, join(copies, name), repository ?? readRepository(name))
    const paths = names.map((name) => join(copies, name))
    await runIn(ROOT, 'npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder, ...paths])
  } finally {
    rmSync(copies, { recursive: true, force: true })
  }
  return findTarballs(folder)
}

function copyWithLinks(name: string, copy: string, repository: string | undefined): void {
  const source = join(ROOT, 'packages', name)
  cpSync(source, copy, { recursive: true, filter: (path) => basename(path) !== 'node_modules' })
  // The build has written the pages in `dist`.
  const pages = readdirSync(copy, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.md') && !path.startsWith('dist'),
  )
  for (const path of pages) {
    const page = join(copy, path)
    const text = readFileSync(page, 'utf8')
    writeFileSync(page, absoluteLinks(text, `packages/${name}/${path}`, `packages/${name}`, repository))
  }
  const manifest = join(copy, 'package.json')
  const own = JSON.parse(readFileSync(manifest, 'utf8')) as PackedManifest
  const packed = { ...own, ...addressesOf(name, repository) }
  // Prettier's form.
  writeFileSync(manifest, `${JSON.stringify(packed, null, 2)}\n`)
  if (own.files.includes('llms.txt')) writeFileSync(join(copy, 'llms.txt'), llmsText(copy))
}

interface PackedManifest {
  readonly files: readonly string[]
}

/** The fields of a manifest from which npm makes its links. */
const addressesOf = (name: string, repository: string | undefined) =>
  repository
    ? {
        homepage: `${repository}/tree/main/packages/${name}#readme`,
        bugs: `${repository}/issues`,
        repository: { type: 'git', url: `git+${repository}.git`, directory: `packages/${name}` },
      }
    : {}

/** Finds the tarballs in a folder. */
function findTarballs(folder: string): Tarballs {
  const files = readdirSync(folder)
  const pathOf = (name: string): string => {
    const file = files.find((one) => new RegExp(`^${name}-\\d.*\\.tgz$`).test(one))
    if (file === undefined)
      throw new Error(`Failed to find the tarball of ${name} in ${folder}. Run \`npx tsx scripts/pack.ts\`.`)
    return join(folder, file)
  }
  const libraries = PACKAGES.map((name) => [`@stagepass/${name}`, pathOf(`stagepass-${name}`)])
  return { ...(Object.fromEntries(libraries) as Libraries), [STARTER]: pathOf(STARTER) }
}

/**
 * The tarballs of the folder that the variable `TARBALLS` names. Without it, the packages are packed into
 * `folder`.
 */
export async function provideTarballs(folder: string): Promise<Tarballs> {
  const { TARBALLS } = process.env
  return TARBALLS ? findTarballs(resolve(TARBALLS)) : packPackages(folder)
}

/** Lines in the format of `sha512sum`, each package after its dependencies. */
const sumsOf = (tarballs: Tarballs): string =>
  Object.values(tarballs)
    .map((path) => `${createHash('sha512').update(readFileSync(path)).digest('hex')}  ${basename(path)}\n`)
    .join('')

/** All packages that an application installs with ours, including peers, in the format of CycloneDX. */
async function billOfMaterials({ [STARTER]: _starter, ...tarballs }: Tarballs): Promise<string> {
  const temporary = mkdtempSync(join(tmpdir(), 'stagepass-'))
  // npm writes the folder's name into the bill.
  const folder = join(temporary, 'stagepass')
  try {
    for (const path of Object.values(tarballs)) cpSync(path, join(folder, basename(path)))
    const files = Object.fromEntries(
      Object.entries(tarballs).map(([name, path]) => [name, `file:${basename(path)}`]),
    )
    const manifest = { name: 'stagepass', version: '0.0.0', private: true, dependencies: files }
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
    await runIn(folder, 'npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'])
    const text = await runIn(folder, 'npm', ['sbom', '--sbom-format=cyclonedx', '--loglevel=error'])
    return text.replaceAll(`file:${folder}/`, '')
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
}

if (process.argv[1] === import.meta.filename) {
  const folder = join(ROOT, 'dist/release')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const tarballs = await packPackages(folder)
  writeFileSync(join(folder, 'SHA512SUMS'), sumsOf(tarballs))
  writeFileSync(join(folder, 'stagepass.cdx.json'), await billOfMaterials(tarballs))
  console.log(sumsOf(tarballs))
}
