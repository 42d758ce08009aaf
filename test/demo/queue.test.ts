import type { BrowserContext, Locator, Page } from 'playwright'
import { expect, it } from 'vitest'
import { DemoPage } from './support/DemoPage.js'
import { shareDemo } from './support/shareDemo.js'

// The tab in which visitors share one session.
const demo = shareDemo()

async function open(context: BrowserContext, user?: string): Promise<Page> {
  const page = await context.newPage()
  await page.goto(`${demo.url}?show=queue`)
  if (user) await new DemoPage(page).changeUser(user)
  return page
}

const visitor = (page: Page, number: number): Locator =>
  page.getByRole('region', { name: `Visitor ${number}`, exact: true })
const press = (page: Page, words: string, number: number): Promise<void> =>
  page.getByRole('button', { name: `${words}, Visitor ${number}`, exact: true }).click()
const says = (page: Page, number: number, words: string): Promise<void> =>
  visitor(page, number).getByText(words).first().waitFor()

it('the second visitor waits while the first one talks, and then has its turn', async () => {
  await using context = await demo.browser.newContext({ reducedMotion: 'reduce' })
  const page = await open(context)
  await press(page, 'Start', 1)
  await says(page, 1, 'You are heard.')
  await page.getByText(/^Good morning/).waitFor()
  await press(page, 'Start', 2)
  await says(page, 2, 'You are 1st of 1 in the queue.')
  await press(page, 'End', 1)
  await says(page, 2, 'You are heard.')
  expect(await visitor(page, 1).innerText()).toContain('The microphone is off.')
  await press(page, 'End', 2)
})

it('a visitor who reloads the page keeps the place', async () => {
  await using context = await demo.browser.newContext({ reducedMotion: 'reduce' })
  await using other = await demo.browser.newContext({ reducedMotion: 'reduce' })
  const talking = await open(context)
  await press(talking, 'Start', 1)
  await says(talking, 1, 'You are heard.')
  const waiting = await open(context)
  await press(waiting, 'Start', 2)
  await says(waiting, 2, 'You are 1st of 1 in the queue.')
  const later = await open(other, 'Ben')
  await press(later, 'Start', 1)
  await says(later, 1, 'You are 2nd of 2 in the queue.')
  await waiting.reload()
  await press(waiting, 'Start', 2)
  await says(waiting, 2, 'You are 1st of 2 in the queue.')
  await press(talking, 'End', 1)
  await says(waiting, 2, 'You are heard.')
  expect(await visitor(later, 1).innerText()).toContain('in the queue')
})
