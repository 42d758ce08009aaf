import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { ERRORS_PAGE, errorsText } from '../../scripts/errorsPage.js'

it('docs/errors.md is what scripts/errorsPage.ts writes', async () => {
  expect(readFileSync(ERRORS_PAGE, 'utf8')).toBe(await errorsText())
})

it('no text of the packages sends a reader to a file of this repository', () => {
  const root = fileURLToPath(new URL('../../packages/', import.meta.url))
  const sources = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /src\/.*\.tsx?$/.test(file) && !/\.test|node_modules|dist\//.test(file),
  )
  const found = sources.filter((file) =>
    /See [^\n]* in docs\/errors\.md/.test(readFileSync(root + file, 'utf8')),
  )
  expect(found).toEqual([])
  expect(sources.length).toBeGreaterThan(100)
})
