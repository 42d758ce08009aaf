import { expect, it } from 'vitest'
import { proseOf } from './markdown.js'
import { readText } from './repositoryFiles.js'

const GLOSSARY = 'docs/glossary.md'
const lines = proseOf(readText(GLOSSARY))
  .split('\n')
  .filter((line) => line.startsWith('- '))
const words = lines.map((line) => /^- \*\*([^*]+)\*\*: \S/.exec(line)?.[1] ?? line)

it('the words of the glossary are unique and in alphabetical order', () => {
  expect(words.length).toBeGreaterThan(10)
  const sorted = words.toSorted((a, b) => a.localeCompare(b, 'en', { sensitivity: 'base' }))
  expect(words).toEqual(sorted)
  expect(new Set(words.map((word) => word.toLowerCase())).size).toBe(words.length)
})

it('README and CONTRIBUTING link the glossary', () => {
  for (const page of ['README.md', 'CONTRIBUTING.md']) expect(readText(page)).toContain(`(${GLOSSARY})`)
})
