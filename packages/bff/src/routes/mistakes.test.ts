import { startService, startStack, type StackOptions } from '@stagepass/testing'
import { expect, it } from 'vitest'
import { ask } from '../ask.test.kit.js'
import { HOSTS } from '../hosts/startHost.test.kit.js'
import { lineOf } from '../log/lineOf.test.kit.js'

/** What the server prints, without the ids of requests. */
function printer() {
  const lines: string[] = []
  const print = (level: string) => (line: string) =>
    lines.push(`${level}: ${line.replace(/\(request [\da-f-]{36}\)$/, '(request …)')}`)
  return { lines, logger: { warn: print('warn'), error: print('error') } }
}

async function startPrinting(bff: StackOptions['bff'] = {}) {
  const { lines, logger } = printer()
  return Object.assign(await startStack({ bff: { logger, ...bff } }), { lines })
}

const MINT = { method: 'POST', body: '{"usage_type":"stt"}' }
const fromOwnPage = { 'sec-fetch-site': 'same-origin' }

// The five mistakes that cost newcomers the most minutes.

it('a wrong key', async () => {
  await using stack = await startPrinting({ apiKey: 'vk_wrong' })
  expect((await ask(stack, '/session-token', MINT)).code).toBe('AUTH_API_KEY_INVALID')
  expect(stack.lines).toEqual([lineOf('error', 'AUTH_API_KEY_INVALID')])
})

it('no login', async () => {
  await using stack = await startPrinting({ authorize: () => null })
  expect((await ask(stack, '/session-token', { ...MINT, headers: fromOwnPage })).code).toBe('UNAUTHENTICATED')
  expect(stack.lines).toEqual([lineOf('warn', 'UNAUTHENTICATED')])
})

it('no proxy: the page of the dev server calls the BFF at its own port', async () => {
  await using stack = await startPrinting()
  // What Chromium sends before the POST of such a page.
  const { status } = await ask(stack, '/session-token', {
    method: 'OPTIONS',
    headers: {
      'x-stagepass': undefined,
      'content-type': undefined,
      origin: 'http://localhost:5173',
      'sec-fetch-site': 'same-site',
      'sec-fetch-mode': 'cors',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type,x-stagepass',
    },
  })
  expect(status).toBe(403)
  expect(stack.lines).toEqual([
    'warn: [stagepass] CROSS_SITE_BLOCKED: Origin is neither the origin of this server nor one of "allowedOrigins". Serve page and BFF under one origin (in development by a proxy of the dev server), or list the origin of the page in "allowedOrigins". (request …)',
  ])
})

it('a wrong mount', async () => {
  const { lines, logger } = printer()
  await using host = await HOSTS[0].start({ logger })
  expect((await host.ask('/api/voice/session-token', { ...MINT, headers: fromOwnPage })).status).toBe(404)
  // One level too high: the page asks as if the BFF were at /api/voice, and nothing is there.
  expect((await host.ask('/voice', { headers: fromOwnPage })).status).toBe(404)
  expect(lines).toEqual([
    'warn: [stagepass] host.misconfigured: A request came to a route below "/api/voice", where the BFF does not look. Set the option "basePath" to "/api/voice", or mount the BFF at that path. (request …)',
    lineOf('warn', 'NOT_FOUND'),
  ])
})

it('a wrong streamingUrl: nothing listens there, or something else does', async () => {
  await using other = await startService((_req, res) => void res.writeHead(404).end('<html>'))
  const check = { method: 'POST', body: '{"usage_type":"stt","session_key":"st_1"}' }
  const nothing = 'ws://127.0.0.1:1'
  for (const [streamingUrl, line] of [
    [nothing, lineOf('error', 'UPSTREAM_UNREACHABLE', ['streamingUrl', 'ECONNREFUSED'])],
    [other.url.replace('http', 'ws'), lineOf('error', 'UPSTREAM_MALFORMED', ['streamingUrl'])],
  ] as const) {
    await using stack = await startPrinting({ streamingUrl })
    expect((await ask(stack, '/handshake-check', check)).status).toBe(502)
    expect(stack.lines).toEqual([line])
  }
})

it('a wrong baseUrl, and a meetings interface that is not there', async () => {
  await using other = await startService((_req, res) => {
    res.writeHead(404, { 'content-type': 'application/json' }).end('{}')
  })
  await using stack = await startPrinting({ baseUrl: 'http://127.0.0.1:1', meetings: { baseUrl: other.url } })
  await ask(stack, '/session-token', MINT)
  await ask(stack, '/meetings')
  expect(stack.lines).toEqual([
    lineOf('error', 'UPSTREAM_UNREACHABLE', ['baseUrl', 'ECONNREFUSED']),
    'warn: [stagepass] host.misconfigured: The voice service answered 404 for /meetings: it has nothing at this path. Set "meetings.baseUrl" to the base of its meetings interface, and "meetings.wire" if the paths have other names. (request …)',
  ])
})
