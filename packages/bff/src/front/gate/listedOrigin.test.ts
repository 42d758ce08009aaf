import { startStack } from '@stagepass/testing'
import { describe, expect, it, vi } from 'vitest'
import { ask, type Asked } from '../../ask.test.kit.js'

/* `allowedOrigins` as a function. gate.test.ts has the list. */

const PREVIEW = /^https:\/\/[a-z0-9-]+-acme\.vercel\.app$/
const LISTED = 'https://pr-7-acme.vercel.app'
const OTHER = 'https://evil.example'

const PREFLIGHT = { 'x-stagepass': undefined, 'access-control-request-method': 'POST' }

const corsOf = ({ headers }: Asked) =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => name.startsWith('access-control-allow') || name === 'vary'),
  )

/** A stack whose function has these answers, and the origins that the function was asked about. */
async function setUp(allowed: (origin: string) => unknown) {
  const asked: string[] = []
  const stack = await startStack({
    bff: { allowedOrigins: (origin) => (asked.push(origin), allowed(origin) as boolean) },
  })
  const send = async (origin: string | undefined, headers: object = {}) =>
    ask(stack, '/tags', { headers: { origin, 'sec-fetch-site': 'cross-site', ...headers } })
  return { stack, asked, send, [Symbol.asyncDispose]: () => stack.close() }
}

describe('S5, S6 allowedOrigins may be a function', () => {
  it('S5 an origin that it allows passes, with CORS headers, and is asked about once', async () => {
    await using page = await setUp((origin) => PREVIEW.test(origin))
    const passed = await page.send(LISTED)
    expect([passed.status, corsOf(passed)]).toEqual([
      200,
      {
        'access-control-allow-origin': LISTED,
        'access-control-allow-credentials': 'true',
        vary: 'Origin, Authorization, Cookie, x-stagepass-user',
      },
    ])
    expect(page.asked).toEqual([LISTED])
    const preflight = await ask(page.stack, '/session-token', {
      method: 'OPTIONS',
      headers: { ...PREFLIGHT, origin: LISTED },
    })
    expect([preflight.status, preflight.headers['access-control-allow-origin']]).toEqual([204, LISTED])
  })

  it('S6 any other gets only the header Vary, even for a preflight, and so does a request without an origin', async () => {
    await using page = await setUp((origin) => PREVIEW.test(origin))
    const refused = await page.send(OTHER)
    expect([refused.status, corsOf(refused)]).toEqual([403, { vary: 'Origin' }])
    const headers = { ...PREFLIGHT, origin: OTHER }
    const preflight = await ask(page.stack, '/session-token', { method: 'OPTIONS', headers })
    expect([preflight.status, corsOf(preflight)]).toEqual([403, { vary: 'Origin' }])
    expect(corsOf(await page.send(undefined))).toEqual({ vary: 'Origin' })
    expect(page.asked).toEqual([OTHER, OTHER])
    expect(page.stack.events.map(({ type }) => type)).not.toContain('host.misconfigured')
  })

  it('S5 is not asked about what no list could have, whatever it would answer', async () => {
    await using page = await setUp(() => true)
    const others = `null * ${LISTED}. https://PR-7-acme.vercel.app ${LISTED}:443 ${LISTED}/ https://u@pr-7-acme.vercel.app file:// pr-7-acme.vercel.app`
    for (const origin of ['', ...others.split(' '), `${LISTED}, ${LISTED}`, `${LISTED}\t${OTHER}`]) {
      const answer = await page.send(origin)
      expect([origin, answer.status, corsOf(answer)]).toEqual([origin, 403, { vary: 'Origin' }])
    }
    expect(page.asked).toEqual([])
  })

  it.each<readonly [string, () => unknown, string]>([
    ['a promise of true', async () => true, 'a promise'],
    ['a promise that rejects', () => Promise.reject(new Error('no database')), 'a promise'],
    [
      'a promise of another kind',
      () => new (class extends Promise<boolean> {})((_, no) => no()),
      'a promise',
    ],
    ['the result of a match', () => LISTED.match(PREVIEW), 'a list'],
    ['nothing', () => undefined, 'undefined'],
    ['a text', () => 'yes', 'a text of 3 characters'],
    ['a number', () => 1, 'a number'],
  ])('S5 %s is no, with an event', async (_what, answer, kind) => {
    const rejected = vi.fn()
    process.on('unhandledRejection', rejected)
    await using page = await setUp(answer)
    const refused = await page.send(LISTED)
    expect([refused.status, corsOf(refused)]).toEqual([403, { vary: 'Origin' }])
    const headers = { ...PREFLIGHT, origin: LISTED }
    expect((await ask(page.stack, '/tags', { method: 'OPTIONS', headers })).status).toBe(403)
    expect(page.stack.events.filter(({ type }) => type === 'host.misconfigured')).toEqual([
      expect.objectContaining({
        option: 'allowedOrigins',
        problem: `"allowedOrigins" returned ${kind}, and not true or false. Keep in memory what it needs: it cannot wait. Until then this counts as no.`,
      }),
    ])
    process.off('unhandledRejection', rejected)
    expect(rejected).not.toHaveBeenCalled()
  })

  it('S5 an exception is no, with an event that has it, and no request fails for it', async () => {
    const thrown = new TypeError('of undefined')
    await using page = await setUp(() => {
      throw thrown
    })
    for (const path of ['/health', '/tags', '/nowhere']) {
      const { status, headers } = await ask(page.stack, path, { headers: { origin: OTHER } })
      expect([path, status, headers.vary]).toEqual([path, path === '/health' ? 200 : 403, 'Origin'])
    }
    // A page of this site has its origin too, and passes.
    const own = { origin: page.stack.origin, 'sec-fetch-site': 'same-origin' }
    expect((await ask(page.stack, '/tags', { headers: own })).status).toBe(200)
    const events = page.stack.events.filter(({ type }) => type === 'host.misconfigured')
    expect(events[0]).toMatchObject({ option: 'allowedOrigins', problem: expect.stringContaining('threw') })
    expect(Reflect.get(events[0] ?? {}, 'cause')).toBe(thrown)
    expect(JSON.stringify(events)).not.toContain('of undefined')
  })
})
