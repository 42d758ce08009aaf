import { expect, it } from 'vitest'
import { TABLES, withTables } from '../../docs/generate/params.js'
import { readText } from './repositoryFiles.js'

it.each(Object.keys(TABLES))('%s has the same parameters of the list as the contract', (page) => {
  expect(readText(page), 'Run: npm run write -w @stagepass/docs').toBe(withTables(page))
})
