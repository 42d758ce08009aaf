import { createEmulator, type Emulator } from '@stagepass/emulator'
import { freePort } from '@stagepass/testing/freePorts'
import type { Browser, Page } from 'playwright'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { openBrowser } from './support/openBrowser.js'
import {
  type Newcomer,
  type NewcomersVite,
  startNewcomer,
  startNewcomersVite,
} from './support/startNewcomer.js'

// The five mistakes that cost newcomers the most minutes, made in the server and the page of
// docs/start/express.md.

interface Words {
  /** The alert in the page: the sentence for the person, and the hint of a development build. */
  readonly page: string
  readonly status: 'failed' | 'reconnecting'
  /** The console of the server, without the ids of requests. */
  readonly server: readonly string[]
}

const NOT_STAGEPASS =
  "The voice service is not set up on this site. Ask the operator of this site to check it. /api/voice/session-token responded with 404 without a media type, which is not from Stagepass. Developer: open that address. Compare `url` in `createVoiceClient` with where the BFF is mounted, and check that your proxy or dev server passes the path on to it. Vite passes a path on with `server: { proxy: { '/api/voice': { target: 'http://localhost:3000', changeOrigin: false } } }`: with `changeOrigin` the BFF would see another host than the page's, and refuse (CROSS_SITE_BLOCKED)."

/** What a newcomer reads, word for word. */
const WORDS = {
  wrongKey: {
    page: "The voice service refused this site's key. Ask the operator of this site to check its voice service account. Operator: check `apiKey` and its state in the developer portal. If `apiKey` is a function, the BFF has already called it again, and has tried once more if it returned another key.",
    status: 'failed',
    server: [
      'error: [stagepass] AUTH_API_KEY_INVALID: The voice service refused "apiKey". Check that it is a key of the service at "baseUrl", and its state in the developer portal. (request …)',
    ],
  },
  // No request comes to the BFF, so it can print nothing.
  noProxy: { page: NOT_STAGEPASS, status: 'failed', server: [] },
  otherPort: {
    page: "The server could not be reached. Check your connection. Check the network. The hooks retry by themselves, and at once when the browser is online again. Developer: if `url` is on another origin, let the dev server proxy the BFF's path, or list the page's origin in `allowedOrigins`.",
    status: 'reconnecting',
    server: [
      'warn: [stagepass] CROSS_SITE_BLOCKED: Origin is neither the origin of this server nor one of "allowedOrigins". Serve page and BFF under one origin (in development by a proxy of the dev server), or list the origin of the page in "allowedOrigins". (request …)',
    ],
  },
  otherPath: { page: NOT_STAGEPASS, status: 'failed', server: [] },
  tooHigh: {
    page: "There is nothing at this address. Developer: in development the server's log says which. If the host leaves the path of the mount in the path of a request, set `basePath`. The key holder cannot see a meeting that is shared only by a public link or with a whole workspace.",
    status: 'failed',
    server: [
      'warn: [stagepass] host.misconfigured: A request came to a route below "/api/voice", where the BFF does not look. Set the option "basePath" to "/api/voice", or mount the BFF at that path. (request …)',
      'warn: [stagepass] NOT_FOUND: There is nothing at this address. Check "url" of createVoiceClient and where the BFF is mounted; of a meeting, check if the credential may see it. (request …)',
    ],
  },
  noLogin: {
    page: 'Sign in to use this. Developer: sign the user in. If that is done, check that the page sends the cookie or header of the login, and that `authorize` reads it. The BFF never redirects.',
    status: 'failed',
    server: [
      'warn: [stagepass] UNAUTHENTICATED: "authorize" returned no grant. Sign in first; if you have, check that the page sends the cookie or header of the login, and that "authorize" reads it. (request …)',
    ],
  },
  nothingListens: {
    page: 'The voice service could not be reached. Operator: check `baseUrl`, `streamingUrl`, `meetings.baseUrl`, DNS and the firewall.',
    status: 'reconnecting',
    server: [
      'error: [stagepass] UPSTREAM_UNREACHABLE: The voice service could not be reached (ECONNREFUSED). Check "streamingUrl", DNS, the firewall and the certificates. (request …)',
    ],
  },
  somethingElse: {
    page: 'The voice service answered in a way that could not be understood. Operator: check that the addresses name the service itself, and not a page in front of it. For a path that is not there, the event `host.misconfigured` names `baseUrl` or `meetings.baseUrl`; the paths of the meetings interface are in `meetings.wire`.',
    status: 'failed',
    server: [
      'error: [stagepass] UPSTREAM_MALFORMED: What answered is not the voice service, or is of another form. Check that "streamingUrl" is the address of the service itself, not of a page or proxy in front of it; for meetings, check "meetings.wire" too. (request …)',
    ],
  },
} as const satisfies Record<string, Words>

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
 * Opens the page, and reads what it and the server say, once the page says what is expected. An earlier error
 * may stand there before.
 */
async function wordsOf(newcomer: Newcomer, expected: Words, query = ''): Promise<Words> {
  await page.goto(`${newcomer.url}/${query}`)
  await page.getByRole('alert').filter({ hasText: expected.page }).waitFor()
  await page.getByText(`The stream is ${expected.status}.`, { exact: true }).waitFor()
  await vi.waitFor(() => expect(printed.length).toBeGreaterThanOrEqual(expected.server.length))
  return { page: await page.getByRole('alert').innerText(), status: expected.status, server: printed }
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
  expect(await wordsOf(newcomer, WORDS.otherPort, `?bff=${newcomer.bffUrl}`)).toEqual(WORDS.otherPort)
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
