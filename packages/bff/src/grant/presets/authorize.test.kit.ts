import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type RequestListener } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { createEmulator, type Emulator } from '@stagepass/emulator'
import { createBff } from '../../hosts/node/createBff.js'
import type { BffEvent, CommonOptions } from '../../hosts/types.js'
import type { HostRequest } from './index.js'

export interface TeamServer extends AsyncDisposable {
  readonly url: string
  readonly requests: IncomingMessage[]
  /** Closes every connection without a response. */
  drop(): void
}

/** The server of a team, in another language as far as the BFF can tell. */
export async function startTeamServer(listener: RequestListener, port = 0): Promise<TeamServer> {
  const requests: IncomingMessage[] = []
  const sockets = new Set<Socket>()
  const server = createServer((req, res) => {
    requests.push(req)
    listener(req, res)
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const drop = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    drop,
    async [Symbol.asyncDispose]() {
      drop()
      server.close()
      if (server.listening) await once(server, 'close')
    },
  }
}

export interface Asked {
  readonly status: number
  readonly code: string | undefined
  readonly text: string
}

/** A BFF on an emulator, in `node:http`. */
export async function startBff(
  authorize: CommonOptions<HostRequest>['authorize'],
  own: Partial<CommonOptions<HostRequest>> = {},
) {
  const upstream: Emulator = await createEmulator()
  const events: BffEvent[] = []
  const bff = createBff<HostRequest>({
    ...upstream.bffOptions,
    authorize,
    limits: { tokensPerMinute: Infinity, meetingsPerMinute: Infinity },
    onEvent: (event) => void events.push(event),
    logger: false,
    ...own,
  })
  const server = createServer(bff as unknown as RequestListener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const mint = (headers: Record<string, string> = {}, usageType = 'stt'): Promise<Asked> =>
    ask('/session-token', headers, JSON.stringify({ usage_type: usageType }))
  const ask = async (path: string, headers: Record<string, string>, body?: string): Promise<Asked> => {
    const sent = request(origin + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'x-stagepass': '1', 'content-type': 'application/json', origin, ...headers },
    })
    sent.end(body)
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    const text = Buffer.concat(await response.toArray()).toString()
    const { error_code: code } = JSON.parse(text) as { error_code?: string }
    return { status: response.statusCode ?? 0, code, text }
  }
  return {
    upstream,
    events,
    origin,
    mint,
    ask,
    /** The last user that the BFF saw. */
    lastUser: () => events.findLast((event) => event.type === 'request.finished')?.user,
    problems: () => events.filter((event) => event.type === 'authorize.failed').map(({ problem }) => problem),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await bff.close()
      server.close()
      await upstream.close()
    },
  }
}

/** Answers the user of the cookie `user`. */
export const byCookie: RequestListener = (req, res) => {
  const user = /user=(\w+)/.exec(req.headers.cookie ?? '')?.[1]
  if (user === undefined) res.writeHead(401).end()
  else res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ user }))
}
