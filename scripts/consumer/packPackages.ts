import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { PACKAGES } from '../packages.js'
import { runIn } from './runIn.js'

/** Path of the tarball of each package, by the name of the package. */
export type Tarballs = Readonly<Record<`@stagepass/${(typeof PACKAGES)[number]}`, string>>

/** Builds the packages, and packs them as they would be published. */
export async function packPackages(folder: string): Promise<Tarballs> {
  const root = resolve(import.meta.dirname, '../..')
  await runIn(root, 'npm', ['run', 'build'])
  const paths = PACKAGES.map((name) => join(root, 'packages', name))
  await runIn(root, 'npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder, ...paths])
  return findTarballs(folder)
}

/** The tarballs that a folder holds. */
export function findTarballs(folder: string): Tarballs {
  const files = readdirSync(folder)
  return Object.fromEntries(
    PACKAGES.map((name) => [
      `@stagepass/${name}`,
      join(folder, files.find((file) => file.startsWith(`stagepass-${name}-`)) ?? ''),
    ]),
  ) as Tarballs
}
