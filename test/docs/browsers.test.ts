import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { impossibleSection } from '../../scripts/engineReport.js'

it('docs/browsers.md lists the cases that an engine cannot do', () => {
  const page = readFileSync('docs/browsers.md', 'utf8')
  // `npx tsx scripts/browsers.ts --write` updates the page.
  expect(page).toContain(`<!-- impossible cases -->\n\n${impossibleSection()}\n\n<!-- end`)
})
