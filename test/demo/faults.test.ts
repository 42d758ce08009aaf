import { codesOf, HANDSHAKE_ERRORS, TOKEN_ERRORS } from '@stagepass/contract'
import type { BffErrorCode, HandshakeErrorCode, MeetingsErrorCode } from '@stagepass/contract'
import type { Browser, Locator, Page } from 'playwright'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { adviceFor } from '../../examples/demo/src/errors/adviceFor.js'
import { DemoPage } from './support/DemoPage.js'
import { openBrowser } from './support/openBrowser.js'
import { type BuiltDemo, startBuiltDemo } from './support/startBuiltDemo.js'

let demo: BuiltDemo
let browser: Browser
let page: Page
let ui: DemoPage
let faults: Locator

beforeAll(async () => {
  ;[demo, browser] = await Promise.all([startBuiltDemo(), openBrowser()])
  page = await browser.newPage()
  ui = new DemoPage(page)
})

afterAll(async () => {
  await browser?.close()
  await demo?.[Symbol.asyncDispose]()
})

/** Nothing of an earlier test is left. A tab for each would start a process for each. */
async function loadPage(): Promise<void> {
  await page.goto(demo.url)
  await page.getByText(/^20 of \d+ shown$/).waitFor()
  faults = await ui.openFaults()
  await faults.getByRole('radio', { name: 'Until reset' }).check()
}

async function reset(): Promise<void> {
  await faults.getByRole('button', { name: 'Reset' }).click()
  await faults.getByText('Set: Emulator reset.').waitFor()
}

async function injectFault(name: string): Promise<void> {
  await faults.getByRole('button', { name, exact: true }).click()
  await faults.getByText(`Set: ${name}`).waitFor()
}

/** The notice that names the code, as a person reads it. */
async function readNotice(where: Locator, code: BffErrorCode | HandshakeErrorCode): Promise<string> {
  const notice = where.locator('.notice').filter({ has: page.getByText(code, { exact: true }) })
  await notice.waitFor().catch(async (error: unknown) => {
    throw new Error(`No notice of ${code}. The panel says: ${await where.textContent()}`, { cause: error })
  })
  return (await notice.textContent()) ?? ''
}

const LIST_ERRORS = [
  ['INVALID_FIELDS', 'VALIDATION_ERROR'],
  ['CREDENTIAL_INVALID', 'MEETINGS_CREDENTIAL_REJECTED'],
  ['SCOPE_MISSING', 'MEETINGS_CREDENTIAL_REJECTED'],
  ['RATE_LIMIT_EXCEEDED', 'UPSTREAM_RATE_LIMITED'],
] as const satisfies readonly (readonly [MeetingsErrorCode, BffErrorCode])[]

describe('connecting', () => {
  // One page for all: a page load takes a second of a processor.
  beforeAll(loadPage)

  afterEach(async () => {
    // Before the reset: a retry after it would get a token, and the next test would meet no token request.
    await ui.panel('stt').getByRole('button', { name: 'Disconnect' }).click()
    await reset()
    await ui.panel('stt').locator('[data-status="closed"]').waitFor()
    await ui.panel('stt').locator('.notice').waitFor({ state: 'detached' })
  })

  it.each(codesOf(TOKEN_ERRORS))('shows the token error %s with its req_id and what to do', async (code) => {
    await injectFault(code)
    await ui.panel('stt').getByRole('button', { name: 'Connect' }).click()
    const text = await readNotice(ui.panel('stt'), code)
    expect(text).toContain(adviceFor(code))
    expect(text).toMatch(/Quote to support: req_\d{8}/)
  })

  it.each(
    codesOf(HANDSHAKE_ERRORS).flatMap((code) =>
      ['HTTP status', 'Error frame', 'Close reason'].map((by) => [code, by] as const),
    ),
  )('shows the refused handshake %s by %s', async (code, by) => {
    await faults.getByRole('radio', { name: by }).check()
    await injectFault(code)
    await ui.panel('stt').getByRole('button', { name: 'Connect' }).click()
    expect(await readNotice(ui.panel('stt'), code)).toContain(adviceFor(code))
  })
})

describe('on a page of its own', () => {
  beforeEach(loadPage)
  afterEach(reset)

  it.each(LIST_ERRORS)('shows %s of the meetings list as %s', async (fault, code) => {
    await injectFault(fault)
    await page.getByRole('radio', { name: 'Shared' }).check()
    const text = await readNotice(page.locator('.meeting-list'), code)
    expect(text).toContain(adviceFor(code))
    expect(text).toMatch(/Request: [\w-]+/)
  })

  it.each([
    ['UNKNOWN_MEETING', 'NOT_FOUND'],
    ['STILL_PROCESSING', 'MEETING_PROCESSING'],
  ] as const)('shows %s of one meeting as %s', async (fault, code) => {
    await injectFault(fault)
    await page.locator('.meeting').first().click()
    const text = await readNotice(page.locator('.meeting-detail'), code)
    expect(text).toContain(adviceFor(code))
    expect(text).toMatch(/Request: [\w-]+/)
  })

  it('shows a meeting that is still processing', async () => {
    await page
      .getByRole('button', { name: /\(processing\)$/ })
      .first()
      .click()
    expect(await readNotice(page.locator('.meeting-detail'), 'MEETING_PROCESSING')).toContain(
      adviceFor('MEETING_PROCESSING'),
    )
    expect(await page.getByRole('heading', { name: 'Still processing' }).count()).toBe(1)
  })

  it('goes on by itself once a passing fault is over', async () => {
    await injectFault('CACHE_UNAVAILABLE')
    await ui.panel('stt').getByRole('button', { name: 'Connect' }).click()
    expect(await readNotice(ui.panel('stt'), 'CACHE_UNAVAILABLE')).toContain(adviceFor('CACHE_UNAVAILABLE'))
    await reset()
    await ui.panel('stt').locator('[data-status="open"]').waitFor()
    expect(await ui.panel('stt').locator('.notice').count()).toBe(0)
  })

  it('goes on after a final fault when the person asks for it', async () => {
    await injectFault('BALANCE_EXHAUSTED')
    await ui.panel('stt').getByRole('button', { name: 'Connect' }).click()
    expect(await readNotice(ui.panel('stt'), 'BALANCE_EXHAUSTED')).toContain(adviceFor('BALANCE_EXHAUSTED'))
    await reset()
    await ui.panel('stt').getByRole('button', { name: 'Try again' }).click()
    await ui.panel('stt').locator('[data-status="open"]').waitFor()
    expect(await ui.panel('stt').locator('.notice').count()).toBe(0)
  })

  it('comes back on a fresh token when all tokens expire at once', async () => {
    await ui.connect('stt')
    await faults.getByRole('button', { name: 'Expire all tokens now' }).click()
    await ui.panel('stt').locator('[data-status="reconnecting"]').waitFor()
    await ui.panel('stt').locator('[data-status="open"]').waitFor()
    expect(await ui.panel('stt').locator('.notice').count()).toBe(0)
  })

  it('shows what each user may do', async () => {
    await ui.changeUser('Ben')
    await ui.panel('tts').getByRole('button', { name: 'Connect' }).click()
    expect(await readNotice(ui.panel('tts'), 'FORBIDDEN')).toContain(adviceFor('FORBIDDEN'))
    await ui.connect('stt')
    await ui.changeUser('Ada')
  })
})
