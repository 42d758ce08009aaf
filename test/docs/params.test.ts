import { expect, it } from 'vitest'
import { TABLES, withTables } from '../../scripts/params.js'
import { readText } from './repositoryFiles.js'

it.each(Object.keys(TABLES))('%s has the same parameters of the list as the contract', (page) => {
  expect(readText(page), 'Run: npx tsx scripts/params.ts').toBe(withTables(page))
})
