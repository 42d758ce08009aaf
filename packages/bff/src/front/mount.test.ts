import { startStack } from '@stagepass/testing'
import { virtualClock } from '@stagepass/testing/virtualClock'
import type { Express, RequestHandler } from 'express'
import { describe, expect, it, vi } from 'vitest'
import type { BffEvent } from '../telemetry/events.js'
import { EXPRESS, type LocalHost, NODE } from '../hosts/startHost.test.kit.js'
import { rawRequest } from '../rawRequest.test.kit.js'
import { ORIGIN_OF_A_STRANGER } from './gate/originProblem.js'

type Host = LocalHost<unknown>

const problems = ({ events }: Host) =>
  events
    .filter(
      (event): event is Extract<BffEvent, { type: 'host.misconfigured' }> =>
        event.type === 'host.misconfigured',
    )
    .map(({ option, problem }) => [option, problem])

const statusOf = async (host: Host, path: string) => (await host.ask(path)).status

describe('with basePath', () => {
  it.each(['/api/voice', '/api/voice/'])(
    '%s: routes are below it, and no other path has one',
    async (basePath) => {
      await using host = await NODE.start({ basePath })
      expect(await statusOf(host, '/api/voice/tags')).toBe(200)
      expect(await statusOf(host, '/api/voice/meetings?limit=1')).toBe(200)
      expect(await statusOf(host, '/api/voice/health')).toBe(200)
      for (const path of [
        '/tags',
        '/api/voice',
        '/api/voice/',
        '/api/voicetags',
        '/api/voice//tags',
        '/API/voice/tags',
      ])
        expect([path, await statusOf(host, path)]).toEqual([path, 404])
    },
  )

  it('/: routes are at the root', async () => {
    await using host = await NODE.start({ basePath: '/' })
    expect(await statusOf(host, '/tags')).toBe(200)
    expect(await statusOf(host, '/api/tags')).toBe(404)
  })

  it('a request outside of it is 404, and an event says why, once', async () => {
    await using host = await NODE.start({ basePath: '/api/voice' })
    for (const path of ['/v1/voice/tags', '/v1/voice/meetings/m1?fields=title'])
      expect(await statusOf(host, path)).toBe(404)
    expect(problems(host)).toEqual([
      [
        'basePath',
        'A request came to a path outside of the option "basePath", which is "/api/voice". It looks like a route below "/v1/voice". Set "basePath" to the path of the routes from the root of the server.',
      ],
    ])
  })

  it('a request outside of it gets the same 404 as any other path without a route', async () => {
    await using host = await NODE.start({ basePath: '/api/voice', authorize: () => null })
    expect(await statusOf(host, '/tags')).toBe(401)
    const { status } = await host.ask('/tags', { headers: { 'x-stagepass': '0' } })
    expect(status).toBe(403)
    expect(host.upstream.requests).toEqual([])
  })
})

describe('without basePath', () => {
  it.each(['/session-token', '/meetings', '/meetings/m1', '/tags', '/handshake-check', '/health'])(
    'an event names the prefix of %s',
    async (route) => {
      await using host = await NODE.start()
      await host.ask(`/api/voice${route}?x=secret`, { headers: { 'x-stagepass': '0' } })
      expect(problems(host)).toEqual([
        [
          'basePath',
          'A request came to a route below "/api/voice", but the BFF is not mounted there. Set the option "basePath" to "/api/voice", or mount the BFF at that path.',
        ],
      ])
    },
  )

  it('in Express the event names the whole path, in the form of the option', async () => {
    await using host = await EXPRESS.start()
    expect(await statusOf(host, '/v2/tags')).toBe(404)
    expect(problems(host)).toEqual([['basePath', expect.stringContaining('"/api/voice/v2"')]])
  })

  it('there is no event for a path that is not a route', async () => {
    await using host = await NODE.start()
    for (const path of ['/', '/nothing', '/api/voice', '/session-token/', '/tags/health2'])
      await host.ask(path)
    expect(problems(host)).toEqual([])
  })

  it('there is no event for a path with special characters', async () => {
    await using host = await NODE.start()
    await host.ask(`/${'x'.repeat(101)}/tags`)
    await host.ask('/<script>/tags')
    expect(problems(host)).toEqual([])
  })

  it('a problem that continues is reported again after ten minutes', async () => {
    const clock = virtualClock()
    await using host = await NODE.start({ platform: { clock } })
    for (const [waitMs, reports] of [
      [0, 1],
      [599_999, 1],
      [1, 2],
      [600_000, 3],
    ] as const) {
      clock.jump(waitMs)
      await host.ask('/real/tags')
      expect(problems(host)).toHaveLength(reports)
    }
  })
})

describe('strangers', () => {
  const signedIn = { headers: { 'x-user': 'ada' } }
  const startQuiet = async () => {
    const lines: string[] = []
    const print = (line: string) => lines.push(line)
    const authorize = ({ headers }: { headers: object }) =>
      Reflect.get(headers, 'x-user') === 'ada' ? { user: 'ada' } : null
    const host = await NODE.start({ authorize, logger: { warn: print, error: print } })
    return { host, lines: () => lines.filter((line) => line.includes('host.misconfigured')) }
  }

  it.each(['production', 'development'])('do not hide the line about a wrong path, in %s', async (mode) => {
    const { host, lines } = await startQuiet()
    await using _ = host
    // The emulator does not start in production.
    vi.stubEnv('NODE_ENV', mode)
    for (let nth = 0; nth < 120; nth += 1) await host.ask(`/attacker${nth}/meetings`)
    await host.ask('/attacker/tags', { headers: { 'x-stagepass': '0' } })
    expect(lines()).toHaveLength(mode === 'production' ? 0 : 1)
    await host.ask('/real/tags', signedIn)
    expect(lines().at(-1)).toContain('below "/real"')
    expect(lines()).toHaveLength(mode === 'production' ? 1 : 2)
    vi.unstubAllEnvs()
  })

  it('do not hide the line about a wrong origin', async () => {
    const { host, lines } = await startQuiet()
    await using _ = host
    const from = (origin: string) => ({ origin, 'sec-fetch-site': 'same-origin' })
    for (let nth = 0; nth < 120; nth += 1)
      await host.ask('/tags', { headers: from(`https://attacker${nth}.example`) })
    expect(lines()).toEqual([expect.stringContaining(ORIGIN_OF_A_STRANGER)])
    // Invented origins use up no event, and no line has one.
    expect(host.events.filter(({ type }) => type === 'host.misconfigured')).toHaveLength(1)
    await host.ask('/tags', { headers: { ...from('https://app.example'), 'x-user': 'ada' } })
    expect(lines().at(-1)).toContain('Origin https://app.example is not the origin of this server')
    expect(lines()).toHaveLength(2)
  })
})

describe("a page's navigation", () => {
  const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
  const navigate = (origin: string, path: string) =>
    rawRequest(origin, { path, headers: { accept, 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' } })

  async function mount(place: (app: Express, bff: RequestHandler) => void) {
    await using stack = await startStack({
      app: (app) => place(app, (req, res, next) => stack.bff(req, res, next)),
    })
    return await navigate(stack.origin, '/somewhere')
  }

  it('to a BFF at the root of an application gets an explanation', async () => {
    const { status, headers, text } = await mount((app, bff) => app.use(bff))
    expect([status, headers['content-type']]).toEqual([403, 'text/plain; charset=utf-8'])
    expect(text).toBe(
      "This is the BFF of Stagepass. Every request to this server reaches it, even requests for pages. Mount it under its own path, such as app.use('/api/voice', bff).\n",
    )
    expect(headers).toMatchObject({ 'cache-control': expect.stringContaining('no-store') })
  })

  it('below a mount path, or with the option basePath, gets a problem response', async () => {
    for (const basePath of ['/', '/somewhere']) {
      await using host = await NODE.start({ basePath })
      const { status, headers } = await navigate(host.origin, '/somewhere')
      expect([status, headers['content-type']]).toEqual([403, 'application/problem+json; charset=utf-8'])
    }
    const { headers } = await mount((app, bff) => app.use('/somewhere', bff))
    expect(headers['content-type']).toBe('application/problem+json; charset=utf-8')
  })
})
