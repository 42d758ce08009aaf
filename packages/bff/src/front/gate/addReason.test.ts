import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import { malformed } from '@stagepass/emulator'
import { startStack } from '@stagepass/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ask } from '../../ask.test.kit.js'
import { HOSTS } from '../../hosts/startHost.test.kit.js'
import { type RawRequest, rawRequest } from '../../rawRequest.test.kit.js'

afterEach(() => void vi.unstubAllEnvs())

const NAME = 'x-stagepass-reason'
const NO_HEADER = { 'x-stagepass': undefined }

describe('x-stagepass-reason, for a developer at this machine', () => {
  it.each([
    ['header', '/tags', { headers: NO_HEADER }],
    ['fetch-site', '/tags', { headers: { 'sec-fetch-site': 'cross-site' } }],
    ['origin', '/tags', { headers: { origin: 'http://localhost:5173' } }],
    [
      'cookie-without-origin',
      '/session-token',
      { method: 'POST', body: '{"usage_type":"stt"}', headers: { cookie: 'a=b' } },
    ],
    ['authorize', '/tags', {}],
  ])('%s', async (reason, path, options) => {
    await using stack = await startStack({ bff: { authorize: () => null } })
    const { headers } = await ask(stack, path, options)
    expect(headers[NAME]).toMatch(new RegExp(`^${reason}: [A-Z"\`][ -~]+\\.$`))
  })

  it.each(['localhost:3000', '127.0.0.1', '127.100.200.1:3000', '[::1]:3000'])(
    'also if it is called %s',
    async (host) => {
      await using stack = await startStack()
      expect((await ask(stack, '/tags', { headers: { ...NO_HEADER, host } })).headers).toHaveProperty(NAME)
    },
  )

  it('is also sent if the server listens for IPv6, where the address has another form', async () => {
    await using stack = await startStack()
    const server = createServer(stack.app)
    await new Promise<void>((resolve) => server.listen(0, resolve))
    const { port } = server.address() as AddressInfo
    const { headers } = await rawRequest(`http://127.0.0.1:${port}`, { path: '/api/voice/tags' })
    expect(headers[NAME]).toContain('header: ')
    await new Promise((resolve) => server.close(resolve))
  })

  it.each([
    ['/nowhere', {}, 'route: The BFF has no route at this path.'],
    [
      '/meetings?limit=0',
      {},
      'rule: `limit` must be a whole number from 1 to 100. It is a text of 1 character.',
    ],
    [
      '/meetings?from=24.12.2026',
      {},
      'rule: `from` must be a date or a time with a zone in ISO 8601, such as 2026-01-31T09:00:00Z, and not after `to`. It is a text of 10 characters.',
    ],
    ['/meetings?from=2026-02-01&to=2026-01-01', {}, 'rule: `from` must be a date'],
    ['/meetings?to=tomorrow', {}, 'rule: `to` must be a date or a time'],
    ['/meetings?sort_by=length', {}, 'rule: `sort_by` must be one of date, duration, last_modified.'],
    ['/meetings?order=asc', {}, 'rule: `order` must be one of newest, oldest.'],
    ['/meetings?ownership=me', {}, 'rule: `ownership` must be one of all, mine, shared.'],
    ['/meetings?cursor=', {}, 'then load the list again from its start. It is empty.'],
    ['/meetings?q=%', {}, 'escape: `q` has an invalid percent-escape'],
    ['/meetings?page=2', {}, 'unknown: The route has no parameter `page`.'],
    ['/meetings?q=a&q=b', {}, 'repeated: `q` is in the query twice.'],
    ['/meetings?fields=titel', {}, 'with commas between them. It is `titel`.'],
    ['/meetings/gone', {}, 'meeting: The voice service has no such meeting'],
    [
      '/tags',
      { headers: { 'x-stagepass-user': 'bob' } },
      'header: The header `x-stagepass-user` names another',
    ],
    [
      '/tags',
      { headers: { 'x-stagepass-user': '%' } },
      'header: The header `x-stagepass-user` names another',
    ],
  ])('%s is refused with the rule that was broken', async (path, options, reason) => {
    await using stack = await startStack()
    expect((await ask(stack, path, options)).headers[NAME]).toContain(reason)
  })

  it('names no field that looks like a token, and no event does', async () => {
    await using stack = await startStack()
    const token = '0f'.repeat(16)
    const { headers } = await ask(stack, `/meetings?fields=${token}`)
    expect(headers[NAME]).toMatch(/^rule: `fields` must be /)
    expect(JSON.stringify([headers, stack.events])).not.toContain(token)
  })

  it('is in no other response', async () => {
    await using stack = await startStack()
    for (const path of ['/tags', '/health']) expect((await ask(stack, path)).headers).not.toHaveProperty(NAME)
    // It would be text of the service.
    stack.upstream.use(malformed('html'))
    const { status, headers } = await ask(stack, '/tags', { headers: { 'cache-control': 'no-cache' } })
    expect(status).toBe(502)
    expect(headers).not.toHaveProperty(NAME)
  })

  it.each(HOSTS.map((host) => [host.name, host] as const))(
    'in %s, if the host knows the address',
    async (name, kind) => {
      await using host = await kind.start()
      const { headers } = await host.ask('/tags', { headers: { 'x-stagepass': '0' } })
      const reason = String(headers[NAME]).split(':')[0]
      expect(reason).toBe(/^Hono|of your own/.test(name) ? 'undefined' : 'header')
    },
  )
})

describe('x-stagepass-reason never reaches a stranger', () => {
  const reasonOf = async (origin: string, request: RawRequest) =>
    (await rawRequest(origin, request)).headers[NAME]
  const path = '/api/voice/tags'

  it.each<readonly [string, Readonly<Record<string, string>>]>([
    ['another name of the server', { host: 'app.example.com' }],
    ['a name that begins alike', { host: 'localhost.evil.example' }],
    ['a name that ends alike', { host: 'evil-127.0.0.1' }],
    ['the page of a stranger', { origin: 'https://evil.example' }],
    ['a page without an origin', { origin: 'null' }],
    ['what no browser writes', { origin: 'evil+http://localhost' }],
    ...['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'].map(
      (name) => [`a proxy that sends ${name}`, { [name]: '127.0.0.1' }] as const,
    ),
  ])('%s', async (_what, headers) => {
    await using stack = await startStack()
    expect(await reasonOf(stack.origin, { path })).toContain('header: ')
    expect(await reasonOf(stack.origin, { path, headers })).toBeUndefined()
  })

  it('in production', async () => {
    await using stack = await startStack()
    vi.stubEnv('NODE_ENV', 'production')
    expect(await reasonOf(stack.origin, { path })).toBeUndefined()
  })

  it('from another address than loopback', async () => {
    const address = Object.values(networkInterfaces())
      .flatMap((found) => found ?? [])
      .find(({ internal, family }) => !internal && family === 'IPv4')?.address
    expect(address).toBeDefined()
    await using stack = await startStack()
    const server = createServer(stack.app)
    await new Promise<void>((resolve) => server.listen(0, address, resolve))
    const { port } = server.address() as AddressInfo
    const headers = { host: 'localhost' }
    expect(await reasonOf(`http://${address}:${port}`, { path, headers })).toBeUndefined()
    await new Promise((resolve) => server.close(resolve))
  })
})
