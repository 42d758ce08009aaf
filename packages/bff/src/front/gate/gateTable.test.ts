import { type Stack, startStack } from '@stagepass/testing'
import { virtualClock } from '@stagepass/testing/virtualClock'
import type { Request } from 'express'
import { describe, expect, it } from 'vitest'
import type { BffOptions } from '../../index.js'
import { rawRequest } from '../../rawRequest.test.kit.js'

const LISTED = 'https://app.example.com'
const FOREIGN = 'https://evil.example'

/**
 * The response to each request. `neither`: a request without `Sec-Fetch-Site` and without `Origin`. `other`:
 * a `same-origin` request with the `Origin` of another site, or `null`; it is compared if the option `origin`
 * is set.
 */
const table = (neither: 'pass' | 'blocked', other: 'pass' | 'blocked' = 'pass') => `
Sec-Fetch-Site  no Origin  own      listed   foreign  null
absent          ${neither.padEnd(11)}pass     pass     blocked  blocked
same-origin     pass       pass     pass     ${other.padEnd(9)}${other}
same-site       blocked    blocked  pass     blocked  blocked
cross-site      blocked    blocked  pass     blocked  blocked
none            blocked    blocked  blocked  blocked  blocked
garbage         blocked    blocked  blocked  blocked  blocked
`

const SITES = ['absent', 'same-origin', 'same-site', 'cross-site', 'none', 'garbage']
const ORIGINS = ['no Origin', 'own', 'listed', 'foreign', 'null'] as const

const PUBLIC = 'https://public.example.com'

/** The clock stands still, so no page gets stale and is read again in the background. */
const start = (bff: Partial<BffOptions<Request>> = {}) =>
  startStack({ bff: { allowedOrigins: [LISTED], platform: { clock: virtualClock() }, ...bff } })

async function verdict(stack: Stack, method: string, headers: Record<string, string>): Promise<string> {
  const calls = stack.upstream.requests.length
  const { status } = await rawRequest(stack.origin, {
    method,
    path: `/api/voice${method === 'POST' ? '/session-token' : '/tags'}`,
    headers: { 'x-stagepass': '1', 'content-type': 'application/json', ...headers },
    ...(method === 'POST' && { body: '{"usage_type":"stt"}' }),
  })
  // After the gate a method without a route gets 405.
  if (status === (method === 'GET' || method === 'POST' ? 200 : 405)) return 'pass'
  const silent = stack.upstream.requests.length === calls
  return status === 403 && silent ? 'blocked' : `status ${status}`
}

/** Sends the request of every cell, and writes the responses in the form of the table. */
async function askTable(
  stack: Stack,
  method: string,
  cookie: string | undefined,
  own = stack.origin,
): Promise<string> {
  const origins = {
    'no Origin': undefined,
    own,
    listed: LISTED,
    foreign: FOREIGN,
    null: 'null',
  }
  const rows = [['Sec-Fetch-Site', ...ORIGINS]]
  for (const site of SITES) {
    const row = [site]
    for (const name of ORIGINS) {
      const origin = origins[name]
      const headers = {
        ...(site !== 'absent' && { 'sec-fetch-site': site }),
        ...(origin !== undefined && { origin }),
        ...(cookie !== undefined && { cookie }),
      }
      row.push(await verdict(stack, method, headers))
    }
    rows.push(row)
  }
  const widths = [16, 11, 9, 9, 9, 9]
  const lines = rows.map((row) => row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(''))
  return `\n${lines.map((line) => line.trimEnd()).join('\n')}\n`
}

describe('S4 the table of the gate', () => {
  it.each([
    ['GET', 'without a cookie', undefined, 'pass'],
    ['GET', 'with a cookie', 'session=1', 'pass'],
    ['POST', 'without a cookie', undefined, 'pass'],
    ['POST', 'with a cookie', 'session=1', 'blocked'],
    ['HEAD', 'without a cookie', undefined, 'pass'],
    ['HEAD', 'with a cookie', 'session=1', 'blocked'],
    ['OPTIONS', 'with a cookie', 'session=1', 'blocked'],
    ['PUT', 'with a cookie', 'session=1', 'blocked'],
    ['DELETE', 'with a cookie', 'session=1', 'blocked'],
    ['QUERY', 'with a cookie', 'session=1', 'blocked'],
  ] as const)('S4 %s %s', async (method, _what, cookie, neither) => {
    await using stack = await start()
    expect(await askTable(stack, method, cookie)).toBe(table(neither))
  })

  it.each([
    ['GET', undefined, 'pass'],
    ['POST', undefined, 'pass'],
    ['POST', 'session=1', 'blocked'],
  ] as const)(
    'S4 with the option origin an Origin is always compared: %s, cookie %s',
    async (method, cookie, neither) => {
      await using stack = await start({ origin: PUBLIC })
      expect(await askTable(stack, method, cookie, PUBLIC)).toBe(table(neither, 'blocked'))
    },
  )

  it('S4 with the option origin a page whose host name was pointed at this server is refused', async () => {
    await using stack = await start({ origin: PUBLIC })
    const rebound = { host: 'rebind.evil.test', origin: 'http://rebind.evil.test' }
    for (const headers of [rebound, { ...rebound, 'sec-fetch-site': 'same-origin' }])
      expect(await verdict(stack, 'POST', headers)).toBe('blocked')
  })

  it.each(['GET', 'POST', 'PUT'])('S4 an empty cookie header counts as a cookie: %s', async (method) => {
    await using stack = await start()
    expect(await verdict(stack, method, { cookie: '' })).toBe(method === 'GET' ? 'pass' : 'blocked')
  })

  it('S4 authorize decides about a GET that has neither header', async () => {
    await using stack = await start()
    stack.grant = null
    const answer = await rawRequest(stack.origin, {
      path: '/api/voice/meetings',
      headers: { 'x-stagepass': '1', cookie: 'session=stale' },
    })
    expect([answer.status, JSON.parse(answer.text)]).toMatchObject([401, { error_code: 'UNAUTHENTICATED' }])
    expect(stack.upstream.requests).toEqual([])
  })

  it('S4 the event says why a POST with a cookie was blocked', async () => {
    await using stack = await start()
    await verdict(stack, 'POST', { cookie: 'session=1' })
    const reason = 'cookie-without-origin'
    expect(stack.events).toContainEqual(expect.objectContaining({ type: 'gate.blocked', reason }))
  })
})
