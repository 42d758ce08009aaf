import assert from 'node:assert/strict'
import { chromiumOptions } from '@stagepass/testing/launchOptions'
import type { Browser, ElementHandle, Page } from 'playwright'
import { chromium } from 'playwright'

interface Visit {
  readonly url: string
  /** The server renders the list, so the page requests none. */
  readonly rendersMeetings: boolean
}

/** Uses an example in Chromium: signs in, reads the meetings, speaks, signs out. Throws if a check fails. */
export async function visitSite({ url, rendersMeetings }: Visit): Promise<void> {
  const browser = await chromium.launch(chromiumOptions())
  try {
    const context = await browser.newContext()
    const page = await context.newPage()
    page.setDefaultTimeout(120_000)
    const problems: string[] = []
    page.on('pageerror', (error) => problems.push(error.message))
    const requests: string[] = []
    // StrictMode may cancel a request and send another, before the server has responded.
    page.on('requestfinished', (request) => requests.push(new URL(request.url()).pathname))
    const countOf = (path: string): number => requests.filter((requested) => requested === path).length

    await page.goto(url)
    await page.getByRole('button', { name: 'Sign in as Ben' }).click()
    await page.getByText('Signed in as ben.').waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    // A dev server reloads the first page when it has found more modules to bundle.
    problems.length = 0
    requests.length = 0
    await page.getByRole('button', { name: 'Sign in as Ada' }).click()
    await page.getByText('Signed in as ada.').waitFor()
    const rows = page.getByRole('region', { name: 'Meetings' }).getByRole('listitem')
    await rows.first().waitFor()
    const start = page.getByRole('button', { name: 'Start, Speech-to-Text' })
    // A server-rendered button does nothing until React has hydrated it. In development the styles, and so
    // the lines of a row, come with the scripts.
    if (rendersMeetings) await hydrated(page, await start.elementHandle())
    // Its first line. The day and the time below it are those of the reader.
    const [title = ''] = (await rows.first().innerText()).split('\n')

    assert.equal(countOf('/api/voice/session-token'), 0, 'a press opens the stream')
    await start.click()
    // Chromium's own stand-in for a microphone beeps.
    const captions = page.getByRole('region', { name: 'Captions' }).getByRole('listitem')
    await captions.first().waitFor()
    assert.equal(countOf('/api/voice/session-token'), 1, 'one token for one stream')
    assert.equal(countOf('/api/voice/meetings'), rendersMeetings ? 0 : 1, 'meetings requests of the page')
    const source = await (await context.request.get(url)).text()
    assert.match(source, /<link rel="icon"/, 'without it a browser asks for /favicon.ico')
    assert.equal(source.includes(title), rendersMeetings, `"${title}" is in the source of the page`)

    const [cookie] = await context.cookies(url)
    assert(cookie?.httpOnly && cookie.sameSite === 'Lax', 'the cookie of the session')
    const asUser = { cookie: `${cookie.name}=${cookie.value}`, 'x-stagepass': '1' }
    assert.equal(await statusOf(`${url}/api/voice/meetings`, asUser), 200)
    assert.equal(await statusOf(`${url}/api/voice/nothing`, asUser), 404)
    // A browser without Fetch Metadata: the origin decides.
    assert.equal(await mint(url, { ...asUser, origin: url }), 200)
    assert.equal(await mint(url, { ...asUser, origin: 'https://other.example' }), 403)
    const foreign = { 'x-stagepass': '1', 'sec-fetch-site': 'cross-site' }
    assert.equal(await statusOf(`${url}/api/voice/meetings`, { ...asUser, ...foreign }), 403)
    assert.equal(await postLogin(url, 'ada', 'https://other.example'), 403)
    assert.equal(await postLogin(url, 'eve', url), 400)

    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Sign in as Ada' }).waitFor()
    assert.equal(
      await statusOf(`${url}/api/voice/meetings`, asUser),
      401,
      'a copy of the cookie is worth nothing',
    )
    assert.deepEqual(problems, [])
    if (rendersMeetings) await signInWithoutScripts(browser, url)
  } finally {
    await browser.close()
  }
}

const hydrated = (page: Page, element: ElementHandle | null): Promise<unknown> =>
  page.waitForFunction((node) => Object.keys(node ?? {}).some((key) => key.startsWith('__react')), element)

/** A server-rendered page lets its user sign in without scripts. */
async function signInWithoutScripts(browser: Browser, url: string): Promise<void> {
  const page = await browser.newPage({ javaScriptEnabled: false })
  await page.goto(url)
  await page.getByRole('button', { name: 'Sign in as Ben' }).click()
  await page.getByText('Signed in as ben.').waitFor()
  await page.close()
}

async function postLogin(url: string, user: string, origin: string): Promise<number> {
  const body = new URLSearchParams({ user })
  const init = { method: 'POST', body, headers: { origin }, redirect: 'manual' } as const
  return (await fetch(`${url}/login`, init)).status
}

const statusOf = async (url: string, headers: Record<string, string>): Promise<number> =>
  (await fetch(url, { headers })).status

async function mint(url: string, headers: Record<string, string>): Promise<number> {
  const response = await fetch(`${url}/api/voice/session-token`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ usage_type: 'stt' }),
  })
  return response.status
}
