import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { ERRORS_PAGE, errorsText } from '../../scripts/errorsPage.js'

it('docs/errors.md is what scripts/errorsPage.ts writes', async () => {
  expect(readFileSync(ERRORS_PAGE, 'utf8')).toBe(await errorsText())
})
