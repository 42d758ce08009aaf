import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const GENERATED = new Set(['node_modules', 'dist', 'coverage'])

/** Text of a file of the repository, by its path from the root. */
export const readText = (path: string): string => readFileSync(ROOT + path, 'utf8')

/** Paths of all files with these endings, without generated and hidden folders. */
export function filesEndingIn(endings: RegExp, folder = ''): string[] {
  return readdirSync(ROOT + folder, { withFileTypes: true }).flatMap((entry) => {
    const path = folder + entry.name
    if (!entry.isDirectory()) return endings.test(entry.name) ? [path] : []
    return GENERATED.has(entry.name) || entry.name.startsWith('.') ? [] : filesEndingIn(endings, `${path}/`)
  })
}
