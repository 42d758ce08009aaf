import { codesOf, HANDSHAKE_ERRORS, TOKEN_ERRORS } from '@stagepass/contract'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { FaultsPage, REFUSALS, titleOf } from './support/FaultsPage.js'

/*
 * Each code, from the service to the notice. The tables on the way have tests of their own; faults.test.ts
 * has one code for each way.
 */

let demo: FaultsPage
beforeAll(async () => void (demo = await FaultsPage.open()))
afterAll(() => demo[Symbol.asyncDispose]())
beforeEach(() => demo.load())
afterEach(() => demo.reset())

describe('connecting', () => {
  it.each(codesOf(TOKEN_ERRORS))('shows the token error %s with its req_id and its title', async (code) => {
    const text = await demo.failToken(code)
    expect(text).toContain(titleOf(code))
    expect(text).toMatch(/Quote to support: req_\d{8}/)
  })

  it.each(codesOf(HANDSHAKE_ERRORS).flatMap((code) => REFUSALS.map((by) => [code, by] as const)))(
    'shows the refused handshake %s by %s',
    async (code, by) => expect(await demo.refuse(code, by)).toContain(titleOf(code)),
  )
})

describe('the rest', () => {
  it.each([
    ['INVALID_FIELDS', 'VALIDATION_ERROR'],
    ['CREDENTIAL_INVALID', 'MEETINGS_CREDENTIAL_REJECTED'],
    ['SCOPE_MISSING', 'MEETINGS_CREDENTIAL_REJECTED'],
    ['RATE_LIMIT_EXCEEDED', 'UPSTREAM_RATE_LIMITED'],
  ] as const)('shows %s of the meetings list as %s', async (fault, code) => {
    const text = await demo.failList(fault, code)
    expect(text).toContain(titleOf(code))
    expect(text).toMatch(/Request: [\w-]+/)
  })

  it.each([
    ['UNKNOWN_MEETING', 'NOT_FOUND'],
    ['STILL_PROCESSING', 'MEETING_PROCESSING'],
  ] as const)('shows %s of one meeting as %s', async (fault, code) => {
    const text = await demo.failMeeting(fault, code)
    expect(text).toContain(titleOf(code))
    expect(text).toMatch(/Request: [\w-]+/)
  })
})
