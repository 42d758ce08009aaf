import {
  BFF_ERRORS,
  type BffErrorCode,
  HANDSHAKE_ERRORS,
  type HandshakeErrorCode,
  hasCode,
  type MeetingsErrorCode,
  type TokenErrorCode,
} from '@stagepass/contract'
import type { Browser, Locator, Page } from 'playwright'
import { DemoPage } from './DemoPage.js'
import { openBrowser } from './openBrowser.js'
import { type BuiltDemo, startBuiltDemo } from './startBuiltDemo.js'

/** The first sentence of the title: the notice shows it in bold. */
export function titleOf(code: BffErrorCode | HandshakeErrorCode): string {
  const { title } = hasCode(HANDSHAKE_ERRORS, code) ? HANDSHAKE_ERRORS[code] : BFF_ERRORS[code]
  return title.split(/(?<=\.) /)[0] ?? title
}

/** The demo with its drawer open at the faults. Each fault stays until the reset. */
export class FaultsPage {
  readonly page: Page
  readonly ui: DemoPage
  readonly #demo: BuiltDemo
  readonly #browser: Browser
  #faults: Locator | undefined

  private constructor(demo: BuiltDemo, browser: Browser, page: Page) {
    this.#demo = demo
    this.#browser = browser
    this.page = page
    this.ui = new DemoPage(page)
  }

  static async open(): Promise<FaultsPage> {
    const [demo, browser] = await Promise.all([startBuiltDemo(), openBrowser()])
    return new FaultsPage(demo, browser, await browser.newPage({ reducedMotion: 'reduce' }))
  }

  get faults(): Locator {
    if (!this.#faults) throw new Error('The page is not loaded yet.')
    return this.#faults
  }

  /**
   * Loads the page again, so that nothing of an earlier test is left. A new tab for each test would start a
   * new process.
   */
  async load(): Promise<void> {
    await this.page.goto(this.#demo.url)
    await this.page.getByText(/^20 of \d+ shown$/).waitFor()
    this.#faults = await this.ui.openFaults()
    await this.#faults.getByRole('radio', { name: 'Until reset' }).check()
  }

  async reset(): Promise<void> {
    await this.faults.getByRole('button', { name: 'Reset' }).click()
    await this.faults.getByText('Set: Emulator reset.').waitFor()
  }

  async inject(name: string): Promise<void> {
    await this.faults.getByRole('button', { name, exact: true }).click()
    await this.faults.getByText(`Set: ${name}`).waitFor()
  }

  connect(product: 'stt' | 'tts' = 'stt'): Promise<void> {
    return this.ui.panel(product).getByRole('button', { name: 'Connect' }).click()
  }

  /** The text of the notice with this code. */
  async readNotice(where: Locator, code: BffErrorCode | HandshakeErrorCode): Promise<string> {
    const notice = where.locator('.notice').filter({ has: this.page.getByText(code, { exact: true }) })
    await notice.waitFor().catch(async (error: unknown) => {
      throw new Error(`No notice of ${code}. The panel says: ${await where.textContent()}`, { cause: error })
    })
    return (await notice.textContent()) ?? ''
  }

  /** These four cause the notice of a fault, and read it. */
  async failToken(code: TokenErrorCode): Promise<string> {
    await this.inject(code)
    await this.connect()
    return this.readNotice(this.ui.panel('stt'), code)
  }

  async refuse(
    code: HandshakeErrorCode,
    by: 'HTTP status' | 'Error frame' | 'Close reason',
  ): Promise<string> {
    await this.faults.getByRole('radio', { name: by }).check()
    await this.inject(code)
    await this.connect()
    return this.readNotice(this.ui.panel('stt'), code)
  }

  async failList(fault: MeetingsErrorCode, code: BffErrorCode): Promise<string> {
    await this.inject(fault)
    await this.page.getByRole('radio', { name: 'Shared' }).check()
    return this.readNotice(this.page.locator('.meeting-list'), code)
  }

  async failMeeting(fault: string, code: BffErrorCode): Promise<string> {
    await this.inject(fault)
    await this.page.locator('.meeting').first().click()
    return this.readNotice(this.page.locator('.meeting-detail'), code)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close()
    await this.#demo[Symbol.asyncDispose]()
  }
}
