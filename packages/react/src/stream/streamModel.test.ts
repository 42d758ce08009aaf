import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { checkModel } from './streamModel.test.kit.js'

it('the stream holds its invariants through whatever happens', async () => {
  // The same sequences at every run: the benchmark explores.
  const details = await checkModel({ runs: 300, seed: 7 })
  const report = details.failed && `${String(details.errorInstance)}\n${fc.defaultReportMessage(details)}`
  expect(report).toBe(false)
}, 60_000)
