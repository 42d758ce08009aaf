import type { Locator } from 'playwright'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { FaultsPage, titleOf } from './support/FaultsPage.js'

/*
 * Tests one code for each way in which a failure reaches the page. everyCode.test.tsx in packages/react has
 * all codes.
 */

let demo: FaultsPage
beforeAll(async () => void (demo = await FaultsPage.open()))
afterAll(() => demo[Symbol.asyncDispose]())
beforeEach(() => demo.load())
afterEach(() => demo.reset())

const stt = (): Locator => demo.ui.panel('stt')
const sttIs = (status: string): Promise<void> => stt().locator(`[data-status="${status}"]`).waitFor()

describe('connecting', () => {
  it('shows a token error with its req_id and its title', async () => {
    const text = await demo.failToken('PRODUCT_NOT_ALLOWED')
    expect(text).toContain(titleOf('PRODUCT_NOT_ALLOWED'))
    expect(text).toMatch(/Quote to support: req_\d{8}/)
  })

  it.each([
    ['concurrency_limit_exceeded', 'HTTP status'],
    ['unauthorized', 'Error frame'],
    ['invalid_api_key', 'Close reason'],
  ] as const)('shows the refused handshake %s by %s', async (code, by) =>
    expect(await demo.refuse(code, by)).toContain(titleOf(code)),
  )
})

describe('the rest', () => {
  it('shows an error of the meetings list with its request id and its title', async () => {
    const text = await demo.failList('SCOPE_MISSING', 'MEETINGS_CREDENTIAL_REJECTED')
    expect(text).toContain(titleOf('MEETINGS_CREDENTIAL_REJECTED'))
    expect(text).toMatch(/Request: [\w-]+/)
  })

  it('shows an error of one meeting with its request id and its title', async () => {
    const text = await demo.failMeeting('UNKNOWN_MEETING', 'NOT_FOUND')
    expect(text).toContain(titleOf('NOT_FOUND'))
    expect(text).toMatch(/Request: [\w-]+/)
  })

  it('shows a meeting that is still processing', async () => {
    await demo.page
      .getByRole('button', { name: /\(processing\)$/ })
      .first()
      .click()
    expect(await demo.readNotice(demo.page.locator('.meeting-detail'), 'MEETING_PROCESSING')).toContain(
      titleOf('MEETING_PROCESSING'),
    )
    expect(await demo.page.getByRole('heading', { name: 'Still processing' }).count()).toBe(1)
  })

  it('continues automatically after a temporary fault', async () => {
    await demo.inject('CACHE_UNAVAILABLE')
    await demo.connect()
    expect(await demo.readNotice(stt(), 'CACHE_UNAVAILABLE')).toContain(titleOf('CACHE_UNAVAILABLE'))
    await demo.reset()
    await sttIs('open')
    expect(await stt().locator('.notice').count()).toBe(0)
  })

  it('reconnects with a fresh token when all tokens expire at once', async () => {
    await demo.ui.connect('stt')
    await demo.faults.getByRole('button', { name: 'Expire all tokens now' }).click()
    await sttIs('reconnecting')
    await sttIs('open')
    expect(await stt().locator('.notice').count()).toBe(0)
  })
})
