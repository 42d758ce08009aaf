import { readFileSync } from 'node:fs'
import { BFF_ERRORS } from '@stagepass/contract'
import { expect, it } from 'vitest'
import { ROOT } from './programs.js'

it('the runbook has a line for each code from 500 on, with its status, and no other', () => {
  const page = readFileSync(`${ROOT}docs/runbook.md`, 'utf8')
  const rows = [...page.matchAll(/`([A-Z_]+)` \((\d+)\)/g)].map(([, code, status]) => `${code} ${status}`)
  const codes = Object.entries(BFF_ERRORS)
    .filter(([, { status }]) => status >= 500)
    .map(([code, { status }]) => `${code} ${status}`)
  expect(rows.toSorted()).toEqual(codes.toSorted())
})
