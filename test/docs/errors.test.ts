import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { ERRORS_PAGE, errorsText } from '../../docs/generate/errorsPage.js'

it('docs/errors.md is what docs/generate/errorsPage.ts writes', async () => {
  expect(readFileSync(ERRORS_PAGE, 'utf8'), 'Run: npm run write -w @stagepass/docs').toBe(await errorsText())
})
