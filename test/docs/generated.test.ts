import { expect, it } from 'vitest'
import { errorsText } from '../../docs/generate/errorsPage.js'
import { TABLES, withTables } from '../../docs/generate/params.js'
import { readText } from './repositoryFiles.js'

/* Parts of pages that other files have too. */

it('docs/errors.md is what docs/generate/errorsPage.ts writes', async () => {
  expect(readText('docs/errors.md'), 'Run: npm run write -w @stagepass/docs').toBe(await errorsText())
})

it.each(Object.keys(TABLES))('%s has the same parameters of the list as the contract', (page) => {
  expect(readText(page), 'Run: npm run write -w @stagepass/docs').toBe(withTables(page))
})
