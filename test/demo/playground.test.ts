import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import type { Browser, Locator, Page } from 'playwright'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { findViolations } from '@stagepass/testing/findViolations'
import { openBrowser } from './support/openBrowser.js'
import { runVite } from './support/startDemo.js'

const OUT = '.cache/playground'

/** Served below a path, as on the site. */
const server = createServer(express().use('/some/path', express.static(OUT)))
let url: string
let browser: Browser
let page: Page
/** Errors that no page may have. */
let problems: string[]

beforeAll(async () => {
  ;[browser] = await Promise.all([
    openBrowser(),
    runVite(['build', '--outDir', `../../${OUT}`, '--emptyOutDir'], {}, 'playground'),
  ])
  server.listen(0, 'localhost')
  await once(server, 'listening')
  url = `http://localhost:${(server.address() as AddressInfo).port}/some/path/`
})
afterAll(async () => {
  server.close()
  server.closeAllConnections()
  rmSync(OUT, { recursive: true, force: true })
  await browser?.close()
})

beforeEach(async () => {
  problems = []
  const context = await browser.newContext({ reducedMotion: 'reduce' })
  page = await context.newPage()
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) problems.push(message.text())
  })
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('websocket', (socket) => problems.push(`a WebSocket to ${socket.url()}`))
  page.on('request', (request) => {
    const asked = request.url()
    if (!asked.startsWith(url) && !asked.startsWith('data:')) problems.push(`a request to ${asked}`)
  })
  await page.goto(url)
})
afterEach(async () => {
  await page.context().close()
  // oxlint-disable-next-line vitest/no-standalone-expect -- a broken tab shows here too
  expect(problems).toEqual([])
})

const sample = (): Locator => page.locator('.sample')
const wire = (): Locator => page.getByRole('region', { name: 'On the wire' })
const click = (name: string): Promise<void> => sample().getByRole('button', { name, exact: true }).click()
const openTab = (name: string): Promise<void> => page.getByRole('tab', { name, exact: true }).click()

it('the keyboard moves between the tabs, and each panel has its name and its source', async () => {
  await page.getByRole('tab', { name: 'Token' }).focus()
  const seen: string[] = []
  for (const key of ['ArrowRight', 'ArrowRight', 'End', 'ArrowRight', 'ArrowLeft', 'Home']) {
    await page.keyboard.press(key)
    seen.push(await page.getByRole('tab', { selected: true }).innerText())
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-selected'))).toBe('true')
  }
  expect(seen).toEqual(['Stream', 'Captions', 'Faults', 'Token', 'Faults', 'Token'])
  await page.getByRole('tabpanel', { name: 'Token' }).waitFor()
  expect(await page.locator('.source code').innerText()).toContain("useSessionToken('stt'")
})

it('Speech marks each word while it is heard', async () => {
  await openTab('Speech')
  await sample().evaluate((element) => {
    const heard: string[] = []
    const look = (): void => {
      const word = element.querySelector('mark')?.textContent
      if (word && word !== heard.at(-1)) heard.push(word)
    }
    new MutationObserver(look).observe(element, { childList: true, subtree: true })
    Object.assign(globalThis, { heard })
  })
  await click('Read aloud')
  await sample().getByRole('button', { name: 'Stop' }).waitFor()
  await sample().getByRole('button', { name: 'Read aloud' }).waitFor()
  const heard = await page.evaluate(() => Reflect.get(globalThis, 'heard') as string[])
  // Each in its turn. A busy page may leave out a short one.
  const text = 'Each word is marked while it is heard, and not while it arrives.'
  expect(text).toMatch(new RegExp(heard.map((word) => word.replace(/\W/g, '.')).join('.* ')))
  expect(heard.length).toBeGreaterThan(text.split(' ').length / 2)
})

it('no line of the code is cut, and every tab is in sight', async () => {
  for (const width of [1_280, 390]) {
    await page.setViewportSize({ width, height: 900 })
    for (const tab of await page.getByRole('tab').all()) {
      await tab.click()
      const { x = -1, width: own = 0 } = (await tab.boundingBox()) ?? {}
      expect(x >= 0 && x + own <= width).toBe(true)
      const cut = await page
        .locator('.source pre')
        .evaluateAll(
          (blocks) => blocks.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).length,
        )
      expect(cut).toBe(0)
    }
  }
})

it('follows the class and the background of the page around it', async () => {
  const theme = () => page.locator('.stagepass-playground').getAttribute('data-theme')
  await page.emulateMedia({ colorScheme: 'light' })
  expect(await theme()).toBe('light')
  await page.evaluate(() => document.documentElement.classList.add('dark'))
  await expect.poll(theme).toBe('dark')
  await page.evaluate(() => document.documentElement.classList.remove('dark'))
  await expect.poll(theme).toBe('light')
  await page.emulateMedia({ colorScheme: 'dark' })
  await expect.poll(theme).toBe('dark')
  await page.evaluate(() => (document.body.style.background = 'white'))
  await expect.poll(theme).toBe('light')
})

/** Nothing is sent before a press. */
const WITHOUT_REQUEST = new Set(['Stream', 'Captions', 'Speech'])

it('axe finds nothing in any tab, and nothing is wider than a phone', async () => {
  const found: string[] = []
  for (const tab of ['Token', 'Stream', 'Captions', 'Speech', 'Meetings', 'Users', 'Faults']) {
    await openTab(tab)
    if (tab === 'Stream') await click('Connect')
    if (tab === 'Stream' || tab === 'Faults') await sample().getByText('open', { exact: true }).waitFor()
    if (tab === 'Faults') {
      await sample().getByRole('radio', { name: 'no licence' }).check()
      await sample().getByText('AUTH_NO_LICENSE').first().waitFor()
    }
    if (tab === 'Meetings' || tab === 'Users')
      await sample()
        .getByText(/^Ada's/)
        .first()
        .waitFor()
    if (!WITHOUT_REQUEST.has(tab)) await wire().locator('summary').first().click()
    found.push(...(await findViolations(page, tab)))
    await page.setViewportSize({ width: 390, height: 900 })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
  }
  expect(found).toEqual([])
})
