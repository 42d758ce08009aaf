import { PRODUCTS } from '@stagepass/contract'
import type { Product } from '@stagepass/contract'
import type { Locator, Page } from 'playwright'
import type { SoundProduct } from './recording.js'

/** The demo's page, by the names that a user sees and a screen reader reads. */
export class DemoPage {
  readonly page: Page

  constructor(page: Page) {
    this.page = page
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
    return this.card(product).locator(`.status[data-status="${status}"]`).waitFor()
  }

  /** Connects without any sound: a recording is sent, and paused. */
  async connect(product: SoundProduct): Promise<void> {
    await this.button(product, 'Send recording').click()
    await this.button(product, 'Pause recording').click()
    await this.statusIs(product, 'open')
  }

  /** Sends the recording to each in real time, all at once, and waits until all of it is sent. */
  async sendRecording(products: readonly SoundProduct[]): Promise<void> {
    // One after the other: there is but one mouse. On a busy machine a click can return when the recording
    // has ended, so the wait begins before.
    for (const product of products)
      await Promise.all([
        this.button(product, 'Pause recording').waitFor(),
        this.button(product, 'Send recording').click(),
      ])
    for (const product of products) await this.button(product, 'Send recording').waitFor()
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
    const status = this.meetings().getByText(/^20 of \d+ meetings$/)
    await status.waitFor()
    const total = Number(/of (\d+)/.exec(await status.innerText())?.[1])
    const rows = await this.meetings().locator('li h4').allInnerTexts()
    return { titles: rows.map((text) => text.split('\n')[0] ?? ''), total }
  }

  async openFaults(): Promise<Locator> {
    await this.page.getByRole('button', { name: 'Wire', exact: true }).click()
    const drawer = this.page.getByRole('complementary', { name: 'Behind the page' })
    await drawer.getByRole('button', { name: 'Faults' }).click()
    return drawer
  }
}
