import { BFF_ERRORS, parseRetryAfter } from '@stagepass/contract'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { clientOf } from '../client/createVoiceClient.js'
import { setupVoice, type VoiceSetup } from '../testing/setupVoice.test.kit.js'

/* Responses of what stands before the BFF: a login, a gateway, a portal, a service worker. */

afterEach(() => void vi.restoreAllMocks())

type Answer = readonly [status: number, type: string, body: string, headers?: Record<string, string>]

function answer(setup: VoiceSetup, [status, type, body, headers = {}]: Answer): () => void {
  return setup.stack.intercept((_req, res) => {
    res.writeHead(status, { 'content-type': type, ...headers }).end(body)
  })
}

const ask = (setup: VoiceSetup): Promise<unknown> =>
  clientOf(setup.voice)
    .request({ route: '/tags' })
    .catch((error: unknown) => error)

const SIGNED_OUT = { code: 'UNAUTHENTICATED', retryable: false, message: BFF_ERRORS.UNAUTHENTICATED.title }
const AGAIN = {
  code: 'NOT_STAGEPASS',
  retryable: true,
  message: 'The server could not be reached. Try again in a moment.',
}

describe.each([false, true])('a response that is not from the BFF (after a success: %s)', (isLater) => {
  it.each([
    ['an auth proxy', [401, 'application/json', '{}'], SIGNED_OUT],
    ['a page of a login', [401, 'text/html', '<h1>401 Authorization Required</h1>'], SIGNED_OUT],
    ['a gateway of tokens', [401, 'text/plain', '', { 'www-authenticate': 'Bearer' }], SIGNED_OUT],
    [
      'a plain problem',
      [401, 'application/problem+json', '{"type":"about:blank","title":"Unauthorized","status":401}'],
      SIGNED_OUT,
    ],
    ['a redirect to a login', [302, 'text/html', '', { location: '/sign-in' }], SIGNED_OUT],
    [
      'a limit of sizes',
      [413, 'text/html', '<h1>413</h1>'],
      { code: 'PAYLOAD_TOO_LARGE', retryable: false, message: BFF_ERRORS.PAYLOAD_TOO_LARGE.title },
    ],
    [
      'a limit of requests',
      [429, 'text/html', '<h1>429</h1>', { 'retry-after': '7' }],
      {
        code: 'RATE_LIMITED',
        retryable: true,
        retryAfterMs: 7_000,
        message: BFF_ERRORS.RATE_LIMITED.title,
      },
    ],
    [
      'a server that restarts',
      [503, 'text/html', '<h1>503</h1>', { 'retry-after': '7' }],
      { ...AGAIN, retryAfterMs: 7_000 },
    ],
  ] as const)('of %s has the words of its status, and a hint', async (_name, response, expected) => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    await using setup = await setupVoice()
    if (isLater) await ask(setup)
    answer(setup, response)
    const error = await ask(setup)
    expect(error).toMatchObject(expected)
    const [status] = response
    const seen = status === 302 ? 'a redirect, usually to a login page' : `${status} `
    expect(error).toMatchObject({
      hint: expect.stringContaining(`${setup.stack.url}/tags responded with ${seen}`) as string,
    })
  })
})

const ELSEWHERE = [
  ['a page of HTML', [200, 'text/html', '<!doctype html><h1>Welcome to our network</h1>']],
  ['a body that was cut off', [200, 'application/json', '{"tags":[{"id":"t1","na']],
  ['a page that forbids', [403, 'text/html', '<h1>Sign in to the network</h1>']],
  ['a deploy without its routes', [404, 'text/plain', 'default backend']],
] as const

it.each(ELSEWHERE)('%s at the first request is a mistake of the set-up: final', async (_name, response) => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  await using setup = await setupVoice()
  answer(setup, response)
  expect(await ask(setup)).toMatchObject({
    code: 'NOT_STAGEPASS',
    retryable: false,
    message: expect.stringContaining('not set up') as string,
  })
})

it.each(ELSEWHERE)('%s after a success is temporary', async (_name, response) => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  await using setup = await setupVoice()
  await ask(setup)
  const stop = answer(setup, response)
  expect(await ask(setup)).toMatchObject(AGAIN)
  stop()
  expect(await ask(setup)).toMatchObject({ tags: expect.anything() as unknown })
})

it('tells a developer that something in front of the BFF redirects', async () => {
  const said = vi.spyOn(console, 'error').mockImplementation(() => {})
  await using setup = await setupVoice()
  answer(setup, [302, 'text/html', '', { location: '/sign-in' }])
  await ask(setup)
  await ask(setup)
  expect(said.mock.calls).toEqual([
    [
      expect.stringMatching(
        /^Failed to reach the BFF: Something in front of the BFF redirects.* login page.*`skipTrailingSlashRedirect: true`/,
      ),
    ],
  ])
})

describe('a Retry-After', () => {
  const AT = 'Wed, 01 Jan 2036 00:00:00 GMT'

  it.each([
    '5',
    ' 5 ',
    '3600000',
    '99999999999',
    'Tue, 01 Jan 2036 00:10:00 GMT',
    'Wed, 21 Oct 2037 07:28:00 GMT',
    '1.5',
  ])('of %j means to the page what it means to the BFF', async (header) => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    await using setup = await setupVoice()
    answer(setup, [503, 'text/html', '', { 'retry-after': header, date: AT }])
    const expected = parseRetryAfter(header, Date.parse(AT))
    expect(await ask(setup)).toMatchObject({ ...AGAIN, retryAfterMs: expected })
  })

  it.each([
    [250, 250],
    [1e12, 3_600_000],
    ['5', undefined],
  ])('of a problem of the BFF is %j, and at most an hour', async (waitMs, retryAfterMs) => {
    await using setup = await setupVoice()
    const problem = { error_code: 'BUDGET_EXHAUSTED', retryable: true, retry_after_ms: waitMs }
    answer(setup, [503, 'application/problem+json', JSON.stringify(problem)])
    expect(await ask(setup)).toMatchObject({ code: 'BUDGET_EXHAUSTED', retryAfterMs })
  })
})
