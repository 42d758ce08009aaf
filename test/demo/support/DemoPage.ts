import { PRODUCTS } from '@stagepass/contract'
import type { Product } from '@stagepass/contract'
import type { Locator, Page } from 'playwright'

/** The demo's page, by the names that a user sees and a screen reader reads. */
export class DemoPage {
  readonly page: Page

  constructor(page: Page) {
    this.page = page
  }

  panel(product: Product): Locator {
    return this.page.getByRole('region', { name: PRODUCTS[product].name, exact: true })
  }

  status(product: Product): Locator {
    return this.panel(product).locator('[data-status]')
  }

  async connect(product: Product): Promise<void> {
    await this.panel(product).getByRole('button', { name: 'Connect' }).click()
    await this.panel(product).locator('[data-status="open"]').waitFor()
  }

  /** Sends the bundled recording to all products at the same time, in real time, and waits for its end. */
  async sendRecording(products: readonly Product[]): Promise<void> {
    const button = (product: Product, name: string): Locator =>
      this.panel(product).getByRole('button', { name, exact: true })
    // One after the other, because there is only one mouse. On a busy machine a click may return after the
    // recording has ended, so the wait begins before the click.
    for (const product of products)
      await Promise.all([button(product, 'Stop').waitFor(), button(product, 'Send recording').click()])
    for (const product of products) await button(product, 'Send recording').waitFor()
  }

  /** Changes from the current user to another one in the menu. */
  async changeUser(name: string): Promise<void> {
    await this.page.getByRole('button', { name: /^Signed in as / }).click()
    await this.page.getByRole('button', { name: `Change to ${name}` }).click()
    await this.page.getByRole('button', { name: `Signed in as ${name}` }).waitFor()
  }

  async openFaults(): Promise<Locator> {
    await this.page.getByRole('button', { name: 'Wire', exact: true }).click()
    const drawer = this.page.getByRole('complementary', { name: 'Behind the page' })
    await drawer.getByRole('radio', { name: 'Faults' }).check()
    return drawer
  }
}
