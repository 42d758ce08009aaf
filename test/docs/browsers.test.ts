import { expect, it } from 'vitest'
import { type Engine, IMPOSSIBLE_CASES } from '../../packages/testing/src/engines/impossibleCases.js'
import { readText } from './repositoryFiles.js'

const TITLES: Readonly<Record<Engine, string>> = {
  chromium: 'Chromium',
  firefox: 'Firefox ESR',
  webkit: 'WebKitGTK',
}

it('docs/browsers.md lists the cases that an engine cannot do', () => {
  const rows = IMPOSSIBLE_CASES.map(
    ({ engine, file, test, reason }) =>
      `| ${TITLES[engine]} | \`${file.split('/').at(-1)}\` | ${test} | ${reason} |`,
  )
  expect(readText('docs/browsers.md')).toContain(`| --- | --- | --- | --- |\n${rows.join('\n')}\n`)
})
