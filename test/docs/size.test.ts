import { expect, it } from 'vitest'
import { filesEndingIn, readText } from './repositoryFiles.js'

/** As `wc -w` counts. */
const wordsOf = (text: string): number => text.split(/\s+/).filter(Boolean).length

const pages = filesEndingIn(/\.md$/).filter(
  (path) => !path.includes('/') || /^packages\/[\w-]+\/README\.md$|^docs\//.test(path),
)

/** Pages that a reader looks things up in, and does not read from their beginning to their end. */
const REFERENCE =
  /^docs\/(?:assumptions|bench|contract|errors|hosts)\.md$|^SECURITY\.md$|^packages\/(?:bff|emulator|react)\/README\.md$/

it('all pages together have at most 34,000 words', () => {
  expect(pages.length).toBeGreaterThan(40)
  expect(wordsOf(pages.map(readText).join('\n'))).toBeLessThanOrEqual(34_000)
})

it('a guide has at most 1,200 words beside its code', () => {
  const long = pages
    .filter((path) => !REFERENCE.test(path))
    .map((path) => ({ path, words: wordsOf(readText(path).replaceAll(/^```[\s\S]*?^```/gm, '')) }))
    .filter(({ words }) => words > 1_200)
  expect(long).toEqual([])
})
