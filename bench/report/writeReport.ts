import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { provenClaims } from './claims.js'
import { drawClaim } from './drawClaim.js'
import type { Figures } from './figures.js'
import { formatPage, pictureLine } from './formatPage.js'

const ROOT = resolve(import.meta.dirname, '../..')

/** The pages that show some of the pictures in one line, and the folder of the pictures from there. */
export const PICTURE_PAGES = [
  ['README.md', 'docs/bench'],
  ['docs/index.md', './bench'],
] as const

/** The page with the pictures that have figures now. */
export function withPictures(page: string, folder: string, figures: Figures): string {
  const text = readFileSync(join(ROOT, page), 'utf8')
  const line = /^<img src="[^"]*\bbench\/.*$/m
  if (!line.test(text)) throw new Error(`Failed to write ${page}: it has no line of pictures of ${folder}.`)
  return text.replace(line, () => pictureLine(figures, folder))
}

/** The files of a report by their paths in its folder. */
export const reportFiles = (figures: Figures): Map<string, string> =>
  new Map([
    ['bench.md', formatPage(figures)],
    ...provenClaims(figures).map(
      (proven) => [`bench/${proven.claim.id}.svg`, drawClaim(proven)] as [string, string],
    ),
  ])

/** Writes page and pictures, in place of those of another report. */
export function writeReport(
  figures: Figures,
  folder: string,
  pages: typeof PICTURE_PAGES | readonly [],
): void {
  mkdirSync(join(folder, 'bench'), { recursive: true })
  for (const file of readdirSync(join(folder, 'bench')))
    if (file.endsWith('.svg')) rmSync(join(folder, 'bench', file))
  for (const [path, text] of reportFiles(figures)) writeFileSync(join(folder, path), text)
  for (const [page, pictures] of pages) writeFileSync(join(ROOT, page), withPictures(page, pictures, figures))
}
