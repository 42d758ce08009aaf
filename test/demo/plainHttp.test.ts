import type { IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Stack } from '@stagepass/testing'
import express from 'express'
import type { Browser, BrowserContext, Page } from 'playwright'
import { build, defaultClientConditions } from 'vite'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  ADA,
  importServerExample,
  startVisitors,
  titlesOf,
  visitorOf,
  writeServerExample,
} from '../docs/rendered.js'
import { openBrowser } from './support/openBrowser.js'

/*
 * The server example of the React README on plain http, with a host name other than localhost. There a
 * browser sends no Fetch Metadata, and no Origin with a GET to the page's own origin.
 */

const folder = writeServerExample('plain-http')
let browser: Browser
let stack: Stack
/** `http://app.test:<port>` */
let site: string
/** The browser's requests to the BFF. */
const seen: { method: string; headers: IncomingHttpHeaders }[] = []

const documentOf = (body: string): string =>
  `<!doctype html><link rel="icon" href="data:,">${body}<script type="module" src="/dist/browser.js"></script>`

beforeAll(async () => {
  await build({
    configFile: false,
    root: folder,
    logLevel: 'error',
    resolve: { conditions: ['@stagepass/source', ...defaultClientConditions] },
    build: {
      outDir: 'dist',
      rolldownOptions: { input: `${folder}browser.tsx`, output: { entryFileNames: 'browser.js' } },
    },
  })
  const { renderPage } = await importServerExample(folder)
  stack = await startVisitors({
    app: (app) => {
      app.use('/dist', express.static(`${folder}dist`))
      app.get('/', async (req, res) => {
        const cookie = req.query['prefetch'] === 'no' ? '' : (req.headers.cookie ?? '')
        const body = await renderPage(visitorOf(stack, cookie))
        res.type('html').send(documentOf(body))
      })
    },
  })
  stack.intercept(({ method, headers }, _res, next) => {
    if (headers['user-agent']?.includes('Chrom')) seen.push({ method, headers })
    next()
  })
  site = `http://app.test:${(stack.server.address() as AddressInfo).port}`
  browser = await openBrowser()
})

afterAll(async () => {
  await browser?.close()
  await stack?.close()
})

async function open(
  origin: string,
  path: string,
): Promise<{ context: BrowserContext; page: Page; errors: unknown[] }> {
  const context = await browser.newContext()
  const [name = '', value = ''] = ADA.split('=')
  await context.addCookies([{ name, value, url: origin }])
  const page = await context.newPage()
  const errors: unknown[] = []
  page.on('pageerror', (error) => errors.push(error))
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
  seen.length = 0
  await page.goto(origin + path, { waitUntil: 'networkidle' })
  return { context, page, errors }
}

const listOf = (page: Page): Promise<string[]> => page.locator('#root li').allTextContents()

it('hydrates the list of the server, and requests nothing', async () => {
  const { context, page, errors } = await open(site, '/')
  expect(await listOf(page)).toEqual(await titlesOf(stack, ADA))
  const hydrated = await page.evaluate(() =>
    Object.keys(document.getElementById('root') ?? {}).some((key) => key.startsWith('__reactContainer')),
  )
  expect([hydrated, errors, seen]).toEqual([true, [], []])
  await context.close()
})

it('gets its list from a plain http page, which sends neither Sec-Fetch-Site nor Origin', async () => {
  const { context, page } = await open(site, '/?prefetch=no')
  await page.locator('#root li').first().waitFor()
  expect(await listOf(page)).toEqual(await titlesOf(stack, ADA))
  expect(seen.map(({ method }) => method)).toEqual(['GET'])
  expect(seen[0]?.headers).toMatchObject({ cookie: ADA, 'x-stagepass': '1' })
  expect(seen[0]?.headers).not.toHaveProperty('sec-fetch-site')
  expect(seen[0]?.headers).not.toHaveProperty('origin')

  const status = await page.evaluate(async () => {
    const headers = { 'x-stagepass': '1', 'content-type': 'application/json' }
    const body = '{"usage_type":"stt"}'
    return (await fetch('/api/voice/session-token', { method: 'POST', headers, body })).status
  })
  // A POST has an Origin on plain http too.
  expect([status, seen[1]?.headers.origin]).toEqual([200, site])
  await context.close()
})

it('sends Sec-Fetch-Site from a page on loopback', async () => {
  const { context, page } = await open(stack.origin, '/?prefetch=no')
  await page.locator('#root li').first().waitFor()
  expect(seen[0]?.headers['sec-fetch-site']).toBe('same-origin')
  await context.close()
})
