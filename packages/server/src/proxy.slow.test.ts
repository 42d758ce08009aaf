import { generateKeyPairSync, sign } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer as createTlsServer, type TLSSocket } from 'node:tls'
import { createEmulator } from '@stagepass/emulator'
import { generate } from 'selfsigned'
import { beforeAll, describe, expect, it } from 'vitest'
import { ask, bundleServer, mint, runProgram, settingsOf, startTeam } from './server.test.kit.js'

beforeAll(bundleServer)

const API = 'api.company.example'
const LOGIN = 'login.company.example'

/** A token of ES256, and its key as a route of JWKS serves it. */
function issue() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const now = Math.floor(Date.now() / 1_000)
  const claims = { sub: 'ada', iss: 'company', aud: 'voice', iat: now, exp: now + 300 }
  const parts = [{ alg: 'ES256', kid: 'one' }, claims]
  const text = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  const signature = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' })
  return {
    token: `${text}.${signature.toString('base64url')}`,
    keys: { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'ES256' }] },
  }
}

function connectBoth(one: Socket, other: Socket): void {
  one.pipe(other).pipe(one)
  for (const end of [one, other]) end.on('error', () => void (one.destroy(), other.destroy()))
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/**
 * A network in which names of hosts have no address: only a proxy reaches them. `targets` has the local port
 * of each host behind TLS.
 */
async function startNetwork(targets: Readonly<Record<string, number>>) {
  const sockets = new Set<Socket>()
  const track = (socket: Socket): void => void sockets.add(socket)
  const pair = await generate([{ name: 'commonName', value: 'company' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: Object.keys(targets).map((value) => ({ type: 2, value })) },
    ],
  })
  const tls = createTlsServer({ key: pair.private, cert: pair.cert }, (socket: TLSSocket) => {
    connectBoth(socket, connect(targets[String(socket.servername)] ?? 0, '127.0.0.1'))
  })
  const tlsPort = await listen(tls.on('connection', track))
  const asked: { url: string; authorization: string | undefined }[] = []
  const proxy = createServer((req, res) => {
    asked.push({ url: String(req.url), authorization: req.headers['proxy-authorization'] })
    res.writeHead(502).end()
  })
  proxy.on('connect', (req: IncomingMessage, socket: Socket) => {
    asked.push({ url: String(req.url), authorization: req.headers['proxy-authorization'] })
    socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
    connectBoth(socket, connect(tlsPort, '127.0.0.1'))
  })
  const port = await listen(proxy.on('connection', track))
  const folder = mkdtempSync(join(tmpdir(), 'stagepass-proxy-'))
  const ca = join(folder, 'ca.pem')
  writeFileSync(ca, pair.cert)
  return {
    asked,
    port,
    variables: { HTTPS_PROXY: `http://ada:secret_A7x9@127.0.0.1:${port}`, NODE_EXTRA_CA_CERTS: ca },
    [Symbol.dispose]() {
      for (const socket of sockets) socket.destroy()
      proxy.close()
      tls.close()
      rmSync(folder, { recursive: true })
    },
  }
}

const portOf = (url: string): number => Number(new URL(url).port)

describe.concurrent('a company proxy', () => {
  it.each(['the service and the route of the team', 'the service and the keys of an issuer'])(
    'carries the requests to %s',
    async (what) => {
      await using upstream = await createEmulator()
      const { token, keys } = issue()
      const isJwt = what.includes('keys')
      await using team = await startTeam((_req, res) =>
        res.end(JSON.stringify(isJwt ? keys : { user: 'ada' })),
      )
      using network = await startNetwork({ [API]: portOf(upstream.baseUrl), [LOGIN]: portOf(team.url) })
      await using program = await runProgram([], {
        ...settingsOf(upstream, isJwt ? '' : `https://${LOGIN}/grant`),
        ...(isJwt && {
          STAGEPASS_JWKS_URL: `https://${LOGIN}/jwks`,
          STAGEPASS_JWT_ISSUER: 'company',
          STAGEPASS_JWT_AUDIENCE: 'voice',
        }),
        VOICE_BASE_URL: `https://${API}${new URL(upstream.baseUrl).pathname}`,
        VOICE_STREAMING_URL: `wss://${API}`,
        ...network.variables,
      })
      const started = await program.lineOf('server.started')
      // Without the password.
      expect(started.proxy).toBe(`127.0.0.1:${network.port}`)
      const answer = await mint(String(started.url), { authorization: `Bearer ${token}` })
      expect([answer.status, program.output.stdout]).toEqual([200, expect.any(String)])
      const authorization = `Basic ${Buffer.from('ada:secret_A7x9').toString('base64')}`
      expect(network.asked).toEqual([
        { url: `${LOGIN}:443`, authorization },
        { url: `${API}:443`, authorization },
      ])
      expect(program.output.stdout).not.toContain('secret_A7x9')
      program.child.kill('SIGTERM')
      expect(await program.exited).toBe(0)
    },
  )

  it('is not asked for this machine, nor for a host of NO_PROXY', async () => {
    await using upstream = await createEmulator()
    await using team = await startTeam()
    using network = await startNetwork({ [API]: 0 })
    await using program = await runProgram([], {
      ...settingsOf(upstream, team.url),
      HTTP_PROXY: network.variables.HTTPS_PROXY,
      ...network.variables,
      // A name without an address: this request fails, because the proxy is not asked.
      VOICE_MEETINGS_URL: 'https://meetings.company.invalid',
      NO_PROXY: '.company.invalid',
    })
    const { url } = await program.lineOf('server.started')
    expect((await mint(String(url), { cookie: 'user=ada' })).status).toBe(200)
    expect((await ask(`${String(url)}/meetings?limit=1`, { cookie: 'user=ada' })).status).toBe(502)
    expect(network.asked).toEqual([])
  })
})
