import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import express from 'express'
import { describe, expect, it } from 'vitest'
import { type HostOptions, type LocalHost, NODE, nodeHost } from '../../hosts/startHost.test.kit.js'
import { ORIGIN_OF_A_STRANGER } from './originProblem.js'

type Host = LocalHost<unknown>
const PUBLIC = 'https://app.example'

/** The server behind a proxy that ends TLS and keeps Host. */
const proxied = { host: 'app.example', 'x-forwarded-proto': 'https' }

const mint = async (host: Host, headers: Record<string, string>) =>
  (await host.ask('/session-token', { method: 'POST', body: '{"usage_type":"stt"}', headers })).status

const problemsOf = ({ events }: Host) =>
  events.flatMap((event) => (event.type === 'host.misconfigured' ? [[event.option, event.problem]] : []))

describe('S4 a proxy in front', () => {
  it('S4 that the server does not trust: 403, and one event with a remedy', async () => {
    await using host = await NODE.start()
    expect(await mint(host, { ...proxied, origin: PUBLIC })).toBe(403)
    expect(await mint(host, { ...proxied, origin: PUBLIC })).toBe(403)
    expect(problemsOf(host)).toEqual([
      [
        'origin',
        'A request says that a page of this site sent it, but its Origin is not the origin of this server. If pages of this site get 403, set "origin" to what their address bar shows, or "trust proxy" in Express. Do not copy an origin from a request of a stranger.',
      ],
    ])
  })

  describe('S4 that changes Host too, so that nothing shows that both are one site', () => {
    const lineOf = async (headers: Record<string, string>, options: HostOptions = {}) => {
      const lines: string[] = []
      const print = (line: string) => lines.push(line.replace(/\d{4,5}(?=,)/, 'PORT'))
      await using host = await NODE.start({ ...options, logger: { warn: print, error: print } })
      expect(await mint(host, { ...headers, origin: PUBLIC })).toBe(403)
      return lines.join()
    }

    it.each<readonly [string, HostOptions, string]>([
      ['the address that the server sees', {}, 'http://127.0.0.1:PORT'],
      [
        'the option, if it is of another address',
        { origin: 'https://www.app.example' },
        'https://www.app.example',
      ],
    ])('S4 names both origins, and "origin" first: %s', async (_what, options, own) => {
      expect(await lineOf({ via: '1.1 proxy' }, options)).toContain(
        `CROSS_SITE_BLOCKED: Origin https://app.example is not the origin of this server, ${own}, and not in "allowedOrigins". If the address bar shows it for this site, set "origin" to it, or "trust proxy" in Express. `,
      )
    })
  })

  it.each<[string, HostOptions]>([
    ['the option origin', { origin: PUBLIC }],
    ['the option allowedOrigins', { allowedOrigins: [PUBLIC] }],
  ])('S4 whose address is %s: no event', async (_, options) => {
    await using host = await NODE.start(options)
    expect(await mint(host, { ...proxied, origin: PUBLIC })).toBe(200)
    expect(problemsOf(host)).toEqual([])
  })

  it('S4 with the option origin no other origin is accepted, whatever the request says', async () => {
    await using host = await NODE.start({ origin: PUBLIC })
    for (const headers of [
      { origin: host.origin },
      { host: 'evil.example', origin: 'http://evil.example' },
      { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https', origin: 'https://evil.example' },
    ])
      expect(await mint(host, headers)).toBe(403)
  })

  it('S4 that Express trusts: no event', async () => {
    const kind = nodeHost('Express', '', (bff) => createServer(express().set('trust proxy', 1).use(bff)))
    await using host = await kind.start()
    expect(await mint(host, { ...proxied, origin: PUBLIC })).toBe(200)
    expect(problemsOf(host)).toEqual([])
  })
})

describe('S4 the event about the own origin', () => {
  it.each([
    ['another port of the same name', { host: 'app.example', origin: 'http://app.example:5173' }],
    ['another scheme of the same name', { host: 'app.example', origin: PUBLIC }],
    ['another port of an address of IPv6', { host: '[::1]:3000', origin: 'http://[::1]:5173' }],
    [
      'what a proxy has written',
      { host: 'in.example', 'x-forwarded-host': 'app.example', 'x-forwarded-proto': 'https', origin: PUBLIC },
    ],
  ])('S4 comes for %s', async (_, headers) => {
    await using host = await NODE.start()
    expect(await mint(host, headers)).toBe(403)
    expect(problemsOf(host)).toEqual([['origin', ORIGIN_OF_A_STRANGER]])
  })

  it('S4 is emitted before the first refusal, for a browser with Sec-Fetch-Site', async () => {
    await using host = await NODE.start()
    const headers = { host: 'in.example', origin: PUBLIC, 'sec-fetch-site': 'same-origin' }
    expect(await mint(host, headers)).toBe(200)
    expect(problemsOf(host)).toEqual([['origin', expect.stringContaining('http://in.example')]])
  })

  it("S4 is emitted for a wrong option origin if only a proxy's header shows the right one", async () => {
    await using host = await NODE.start({ origin: 'https://old.example' })
    expect(await mint(host, { ...proxied, origin: PUBLIC })).toBe(403)
    expect(problemsOf(host)).toEqual([['origin', ORIGIN_OF_A_STRANGER]])
  })

  it.each([
    ['a name that is none', 'HTTP/1.1\r\nhost: <script>'],
    ['no name', 'HTTP/1.0'],
  ])('S4 names no server that has %s', async (_, protocol) => {
    await using host = await NODE.start()
    const socket = connect(Number(new URL(host.origin).port), '127.0.0.1')
    const headers = `x-stagepass: 1\r\nsec-fetch-site: same-origin\r\norigin: ${PUBLIC}\r\nconnection: close`
    socket.write(`GET /tags ${protocol}\r\n${headers}\r\n\r\n`)
    const [chunk] = (await once(socket, 'data')) as [Buffer]
    expect(chunk.toString()).toMatch(/^HTTP\/1.1 200 /)
    expect(problemsOf(host)).toEqual([
      ['origin', expect.stringContaining(' is not the origin of this server and not in ')],
    ])
    socket.destroy()
  })

  it('S4 is emitted for a wrong option origin, and says that the requests are refused', async () => {
    await using host = await NODE.start({ origin: 'https://old.example' })
    const headers = { host: 'in.example', origin: PUBLIC, 'sec-fetch-site': 'same-origin' }
    expect(await mint(host, headers)).toBe(403)
    expect(problemsOf(host)).toEqual([['origin', ORIGIN_OF_A_STRANGER]])
  })

  it.each([
    ['another site', { host: 'app.example', origin: 'https://evil.example' }],
    [
      'a page that the browser takes for another site',
      { ...proxied, origin: PUBLIC, 'sec-fetch-site': 'cross-site' },
    ],
    ['a page without an origin', { host: 'app.example', origin: 'null' }],
    ['an origin that no browser writes', { host: 'app.example', origin: 'https://app.example/<script>' }],
  ])('S4 does not come for %s', async (_, headers) => {
    await using host = await NODE.start()
    expect(await mint(host, headers)).toBe(403)
    expect(problemsOf(host)).toEqual([])
  })

  it.each(['https://app.example/<script>', '<b>https://app.example', `https://${'a'.repeat(101)}`])(
    'S4 is not emitted for %s, even from a page of this site',
    async (origin) => {
      await using host = await NODE.start()
      expect(await mint(host, { host: 'in.example', origin, 'sec-fetch-site': 'same-origin' })).toBe(200)
      expect(problemsOf(host)).toEqual([])
    },
  )
})
