import { BFF_ERRORS, type BffErrorCode, type Hints, hintText, type Seen } from '@stagepass/contract'
import { createEmulator, type Emulator } from '@stagepass/emulator'
import { freePort } from '@stagepass/testing/freePorts'
import type { Browser, Page } from 'playwright'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { lineOf } from '../../packages/bff/src/telemetry/lineOf.test.kit.js'
import { CLIENT_ERRORS } from '../../packages/react/src/errors/clientErrors.js'
import { openBrowser } from './support/openBrowser.js'
import {
  type Newcomer,
  type NewcomersVite,
  startNewcomer,
  startNewcomersVite,
} from './support/startNewcomer.js'

// The five mistakes that cost new users the most time, made in the server and the page of
// docs/start/express.md.

interface Words {
  /** The alert in the page: the sentence for the person, and the hint of a development build. */
  readonly page: string
  readonly status: 'failed' | 'reconnecting'
  /** The console of the server, without the ids of requests. */
  readonly server: readonly string[]
}

const ofBff = (code: BffErrorCode): string => `${BFF_ERRORS[code].title} ${hintText(BFF_ERRORS[code].hint)}`
const { NETWORK_ERROR, NOT_STAGEPASS } = CLIENT_ERRORS
const ofPage = ({ title, hint }: { title: string; hint: string | Hints | false }, seen: Seen): string =>
  `${title} ${hintText(hint || '', seen)}`
const NOT_THE_BFF = ofPage(NOT_STAGEPASS, {
  cause: 'missing',
  url: '/api/voice/session-token',
  status: 404,
  type: 'without a media type',
})

/** The texts that a new user reads: the page has the texts of the tables, the server those of its log. */
const WORDS = {
  wrongKey: {
    page: ofBff('AUTH_API_KEY_INVALID'),
    status: 'failed',
    server: [lineOf('error', 'AUTH_API_KEY_INVALID')],
  },
  // No request reaches the BFF, so it prints nothing.
  noProxy: { page: NOT_THE_BFF, status: 'failed', server: [] },
  otherPath: { page: NOT_THE_BFF, status: 'failed', server: [] },
  tooHigh: {
    // The BFF gives a developer on its own machine the sentence of its log.
    page: ofPage(BFF_ERRORS.NOT_FOUND, { cause: 'route' }),
    status: 'failed',
    server: [
      'warn: [stagepass] host.misconfigured: A request came to a route below "/api/voice", but the BFF is not mounted there. Set the option "basePath" to "/api/voice", or mount the BFF at that path. (request …)',
    ],
  },
  noLogin: {
    page: ofBff('UNAUTHENTICATED'),
    status: 'failed',
    server: [lineOf('warn', 'UNAUTHENTICATED')],
  },
  nothingListens: {
    page: ofBff('UPSTREAM_UNREACHABLE'),
    status: 'reconnecting',
    server: [
      lineOf('error', 'UPSTREAM_UNREACHABLE', 'streamingUrl', {
        cause: 'address',
        what: 'nothing listens there',
        failure: 'ECONNREFUSED',
      }),
    ],
  },
  somethingElse: {
    page: ofBff('UPSTREAM_MALFORMED'),
    status: 'failed',
    server: [
      lineOf('error', 'UPSTREAM_MALFORMED', 'streamingUrl', {
        cause: 'elsewhere',
        status: 404,
        what: ' to a WebSocket handshake',
      }),
    ],
  },
} as const satisfies Record<string, Words>

/** The page is on another port than the BFF. */
function ofOtherPort(bffUrl: string, pageUrl: string): Words {
  const { origin } = new URL(bffUrl)
  return {
    page: ofPage(NETWORK_ERROR, { cause: 'elsewhere', url: bffUrl, page: pageUrl }),
    status: 'reconnecting',
    server: [
      lineOf('warn', 'CROSS_SITE_BLOCKED', undefined, {
        cause: 'origin',
        origin: ` ${pageUrl}`,
        own: `, ${origin},`,
      }),
    ],
  }
}

let service: Emulator
let vite: NewcomersVite
let browser: Browser
let page: Page
let printed: string[]

beforeAll(async () => {
  ;[service, vite, browser] = await Promise.all([createEmulator(), startNewcomersVite(), openBrowser()])
})

afterAll(async () => {
  await browser?.close()
  await vite?.[Symbol.asyncDispose]()
  await service?.close()
})

beforeEach(async () => {
  page = await browser.newPage()
  printed = []
  for (const level of ['warn', 'error'] as const)
    vi.spyOn(console, level).mockImplementation((line: unknown) => {
      printed.push(`${level}: ${String(line).replace(/\(request [\da-f-]{36}\)$/, '(request …)')}`)
    })
})

afterEach(async () => {
  vi.restoreAllMocks()
  await page.close()
})

/**
 * Opens the page, waits for the expected texts, and returns them and those of the server. The page may show
 * another error before, and at the next attempt until its reason is known.
 */
async function wordsOf(newcomer: Newcomer, expected: Words, query = ''): Promise<Words> {
  await page.goto(`${newcomer.url}/${query}`)
  await page.getByRole('button', { name: 'Speak' }).click()
  await expect.poll(() => page.getByRole('alert').innerText()).toBe(expected.page)
  await page.getByText(`The stream is ${expected.status}.`, { exact: true }).waitFor()
  await vi.waitFor(() => expect(printed.length).toBeGreaterThanOrEqual(expected.server.length))
  // A second request may follow if the token was refused before the microphone was ready.
  const server = printed.slice(0, expected.server.length)
  return { page: expected.page, status: expected.status, server }
}

it('a wrong key', async () => {
  await using newcomer = await startNewcomer({ vite, service, bff: { apiKey: 'vk_wrong' } })
  expect(await wordsOf(newcomer, WORDS.wrongKey)).toEqual(WORDS.wrongKey)
})

it('no proxy: the dev server itself answers', async () => {
  await using newcomer = await startNewcomer({ vite, service, mount: null })
  expect(await wordsOf(newcomer, WORDS.noProxy)).toEqual(WORDS.noProxy)
})

it('no proxy: the page calls the port of the BFF', async () => {
  await using newcomer = await startNewcomer({ vite, service, mount: null })
  const words = ofOtherPort(newcomer.bffUrl, newcomer.url)
  expect(await wordsOf(newcomer, words, `?bff=${newcomer.bffUrl}`)).toEqual(words)
})

it('a wrong mount: at another path', async () => {
  await using newcomer = await startNewcomer({ vite, service, mount: '/voice' })
  expect(await wordsOf(newcomer, WORDS.otherPath)).toEqual(WORDS.otherPath)
})

it('a wrong mount: one level too high', async () => {
  await using newcomer = await startNewcomer({ vite, service, mount: '/api' })
  expect(await wordsOf(newcomer, WORDS.tooHigh)).toEqual(WORDS.tooHigh)
})

it('no login', async () => {
  await using newcomer = await startNewcomer({ vite, service, bff: { authorize: () => null } })
  expect(await wordsOf(newcomer, WORDS.noLogin)).toEqual(WORDS.noLogin)
})

it('a wrong streamingUrl: nothing listens there', async () => {
  const streamingUrl = `ws://127.0.0.1:${await freePort('127.0.0.1')}`
  await using newcomer = await startNewcomer({ vite, service, bff: { streamingUrl } })
  expect(await wordsOf(newcomer, WORDS.nothingListens)).toEqual(WORDS.nothingListens)
})

it('a wrong streamingUrl: something else listens there', async () => {
  const streamingUrl = `${service.streamingUrl}/wrong`
  await using newcomer = await startNewcomer({ vite, service, bff: { streamingUrl } })
  expect(await wordsOf(newcomer, WORDS.somethingElse)).toEqual(WORDS.somethingElse)
})
