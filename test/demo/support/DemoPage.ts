import { PRODUCTS } from '@stagepass/contract'
import type { Product } from '@stagepass/contract'
import type { Locator, Page } from 'playwright'
import type { SoundProduct } from './recording.js'

/** The title of each product's tab. */
const TABS: Readonly<Record<Product, string>> = {
  stt: 'Captions',
  tts: 'Read aloud',
  vt: 'Translation',
  viva: 'Isolation',
}

/** The demo's page, by the names that a user sees and a screen reader reads. */
export class DemoPage {
  readonly page: Page

  constructor(page: Page) {
    this.page = page
  }

  /** Shows the tab of a product, or of the meetings. */
  async show(what: Product | 'meetings'): Promise<void> {
    const name = what === 'meetings' ? 'Meetings' : TABS[what]
    const tab = this.page.getByRole('tab', { name: new RegExp(`^${name}\\b`) })
    // A press would take the focus.
    if ((await tab.getAttribute('aria-selected')) !== 'true') await tab.click()
  }

  /** Shows the tab of a product, and presses a button in it. */
  async press(product: Product, words: string): Promise<void> {
    await this.show(product)
    await this.button(product, words).click()
  }

  /** Starts the session of a product on the microphone. */
  async speak(product: SoundProduct): Promise<void> {
    await this.show(product)
    await this.card(product).getByRole('radio', { name: 'Your microphone' }).check()
    await this.button(product, 'Start').click()
  }

  /** Renews the token of a product now. */
  renew(product: Product): Locator {
    return this.page.getByRole('button', { name: `Renew now, ${PRODUCTS[product].name}`, exact: true })
  }

  card(product: Product): Locator {
    return this.page.locator(`[data-product=${product}]`)
  }

  /** A button of a card, by its words: its name says the product too. */
  button(product: Product, words: string): Locator {
    const name = `${words}, ${PRODUCTS[product].name}`
    return this.card(product).getByRole('button', { name, exact: true })
  }

  /** The status of a stream. */
  status(product: Product): Locator {
    return this.card(product).locator('.status')
  }

  statusIs(product: Product, status: string): Promise<void> {
    // Another tab may be shown.
    return this.card(product).locator(`.status[data-status="${status}"]`).waitFor({ state: 'attached' })
  }

  /** Connects without any sound: a recording is sent, and paused. */
  async connect(product: SoundProduct): Promise<void> {
    await this.show(product)
    // In the page: on a busy machine the recording would be over before a second press.
    await this.button(product, 'Start').evaluate(async (start: HTMLElement, pause) => {
      start.click()
      await new Promise((resolve) => setTimeout(resolve))
      document.querySelector<HTMLElement>(`[aria-label="${pause}"]`)?.click()
    }, `Pause, ${PRODUCTS[product].name}`)
    await this.button(product, 'Go on').waitFor()
    await this.statusIs(product, 'open')
  }

  /** Sends the recording to each in real time, all at once, and waits until all of it is sent. */
  async sendRecording(products: readonly SoundProduct[]): Promise<void> {
    // One after the other: there is but one mouse. On a busy machine a click can return when the recording
    // has ended, so the wait begins before.
    for (const product of products)
      await Promise.all([this.button(product, 'End').waitFor(), this.press(product, 'Start')])
    for (const product of products) {
      await this.show(product)
      await this.button(product, 'Again').waitFor()
    }
  }

  /** Changes from the current user to another one in the menu. */
  async changeUser(name: string): Promise<void> {
    await this.page.getByRole('button', { name: /^Signed in as / }).click()
    await this.page.getByRole('button', { name: `Change to ${name}` }).click()
    await this.page.getByRole('button', { name: `Signed in as ${name}` }).waitFor()
  }

  /** The list of meetings. */
  meetings(): Locator {
    return this.page.getByRole('region', { name: /^Meetings of / })
  }

  /** The titles of the first page of the list, and how many meetings there are. */
  async readMeetings(): Promise<{ titles: readonly string[]; total: number }> {
    await this.show('meetings')
    const status = this.meetings().getByText(/^20 of \d+ meetings$/)
    await status.waitFor()
    const total = Number(/of (\d+)/.exec(await status.innerText())?.[1])
    const rows = await this.meetings().locator('li h4').allInnerTexts()
    return { titles: rows.map((text) => text.split('\n')[0] ?? ''), total }
  }

  async openFaults(): Promise<Locator> {
    await this.page.getByRole('button', { name: 'Behind the page', exact: true }).click()
    const drawer = this.page.getByRole('complementary', { name: 'Behind the page' })
    await drawer.getByRole('button', { name: 'Faults' }).click()
    return drawer
  }
}
