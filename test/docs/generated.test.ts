import { expect, it } from 'vitest'
import { errorsText } from '../../docs/generate/errorsPage.js'
import { TABLES, withTables } from '../../docs/generate/params.js'
import { type Engine, IMPOSSIBLE_CASES } from '../../packages/testing/src/engines/impossibleCases.js'
import { readText } from './repositoryFiles.js'

/* Parts of pages that other files have too. */

it('docs/errors.md is what docs/generate/errorsPage.ts writes', async () => {
  expect(readText('docs/errors.md'), 'Run: npm run write -w @stagepass/docs').toBe(await errorsText())
})

it.each(Object.keys(TABLES))('%s has the same parameters of the list as the contract', (page) => {
  expect(readText(page), 'Run: npm run write -w @stagepass/docs').toBe(withTables(page))
})

const TITLES: Readonly<Record<Engine, string>> = {
  chromium: 'Chromium',
  firefox: 'Firefox ESR',
  webkit: 'WebKitGTK',
}

it('docs/support.md lists the cases that an engine cannot do', () => {
  const rows = IMPOSSIBLE_CASES.map(
    ({ engine, file, test, reason }) =>
      `| ${TITLES[engine]} | \`${file.split('/').at(-1)}\` | ${test} | ${reason} |`,
  )
  expect(readText('docs/support.md')).toContain(`| --- | --- | --- | --- |\n${rows.join('\n')}\n`)
})
