import { createHash } from 'node:crypto'
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/*
 * `node --import tsx scripts/fetchServed.ts <address>/r/ <folder>` fetches the components of all released
 * versions from the docs site, because a deployment replaces the whole site. Each file is compared with its
 * digest. A version that the site never had is left out.
 */

/** Writes the files of these versions into the folder. Returns the versions that the site has. */
export async function fetchServed(
  site: string,
  folder: string,
  versions: readonly string[],
): Promise<string[]> {
  const found: string[] = []
  mkdirSync(folder, { recursive: true })
  for (const version of versions) {
    const get = async (path: string): Promise<string | undefined> => {
      const response = await fetch(new URL(`${version}/${path}`, site))
      if (response.status === 404) return undefined
      if (!response.ok) throw new Error(`Failed to fetch ${response.url}: ${response.status}.`)
      return response.text()
    }
    const list = await get('digests.json')
    if (list === undefined) continue
    mkdirSync(join(folder, version), { recursive: true })
    writeFileSync(join(folder, version, 'digests.json'), list)
    for (const [path, digest] of Object.entries(JSON.parse(list) as Record<string, string>)) {
      const text = await get(path)
      const seen = text && `sha256-${createHash('sha256').update(text).digest('base64')}`
      if (text === undefined || seen !== digest)
        throw new Error(`Failed to fetch /r/${version}/${path}: it is not the file of its digest.`)
      writeFileSync(join(folder, version, path), text)
    }
    found.push(version)
  }
  return found
}

/** The versions on npm. None before the first release. */
function releasedVersions(): string[] {
  try {
    const text = execFileSync('npm', ['view', '@stagepass/react', 'versions', '--json'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    return [JSON.parse(text) as string | string[]].flat()
  } catch (thrown) {
    if (String(Object(thrown).stderr).includes('E404')) return []
    throw thrown
  }
}

if (process.argv[1] === import.meta.filename) {
  const [site = '', folder = ''] = process.argv.slice(2)
  console.log(await fetchServed(site, folder, releasedVersions()))
}
