import { expect, it } from 'vitest'
import { PARAM_TABLES, withTable } from '../../scripts/params.js'
import { readText } from './repositoryFiles.js'

it.each(Object.keys(PARAM_TABLES))('%s has the parameters of the list as the contract has them', (page) => {
  expect(readText(page), 'Run: npx tsx scripts/params.ts').toBe(withTable(page))
})
