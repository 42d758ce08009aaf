import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'

/*
 * Voice services that were written only from docs/contract.md. They share no code with the emulator, and
 * differ from it where the contract leaves a choice.
 */

export interface ForeignService extends AsyncDisposable {
  /** The data that the doctor reads. */
  readonly environment: Readonly<Record<string, string>>
  readonly url: string
  /** Queries of the list so far. */
  readonly queries: URLSearchParams[]
}

/** A meeting of the account. */
export interface Row {
  readonly id: number
  readonly title: string
  /** Milliseconds since the epoch. */
  readonly startMs: number
  readonly seconds: number
  readonly owner: 'me' | 'other'
  readonly labels: readonly string[]
}

export const DAY_MS = 86_400_000

const WORDS = ['Roadmap', 'Budget', 'Hiring', 'Launch', 'Retro', 'Design', 'Support', 'Sales', 'Legal']

/** One meeting every second day, the newest first. */
export const rowsOf = (count: number): Row[] =>
  Array.from({ length: count }, (_, at) => ({
    id: 9_000 - at,
    title: `${WORDS[at % WORDS.length]} number ${at}`,
    startMs: Date.UTC(2026, 2, 1) - at * 2 * DAY_MS,
    seconds: 600 + ((at * 7_919) % 5_000),
    owner: at % 3 === 0 ? 'other' : 'me',
    labels: at % 4 === 0 ? ['l-weekly'] : at % 5 === 0 ? ['l-weekly', 'l-customer'] : [],
  }))

/** The response to a GET of the meetings interface. `undefined`: there is no such path. */
type Answer = (path: string, query: URLSearchParams) => { status?: number; body: unknown } | undefined

const API_KEY = 'vk_foreign_7Hq2Zr9LmX'
const CREDENTIAL = 'mk_foreign_3Tb8Wd5KpY'

interface ForeignOptions {
  /** Maximum number of simultaneous sessions of the account. Default: no limit. */
  readonly sessions?: number
  /** Number of handshakes after a close for which its session still counts as used. Default 0. */
  readonly lateEnds?: number
}

export async function startForeign(
  answer: Answer,
  { sessions = Infinity, lateEnds = 0 }: ForeignOptions = {},
): Promise<ForeignService> {
  const tokens = new Map<string, string>()
  const queries: URLSearchParams[] = []

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://service')
    const authorization = request.headers.authorization ?? ''
    if (url.pathname === '/v2/sdk/tokens/session') return void mint(request, response, authorization)
    if (authorization !== `Bearer ${CREDENTIAL}`) return send(response, 401, { error: 'no credential' })
    queries.push(url.searchParams)
    const answered = answer(url.pathname, url.searchParams)
    return answered
      ? send(response, answered.status ?? 200, answered.body)
      : send(response, 404, { error: 'not here' })
  })

  /** (Contract: "Token endpoint".) */
  async function mint(request: IncomingMessage, response: ServerResponse, authorization: string) {
    let text = ''
    for await (const chunk of request) text += String(chunk)
    const req_id = randomBytes(6).toString('hex')
    const refuse = (status: number, error_code: string): void =>
      send(response, status, { code: 1, error_code, message: 'No.', req_id })
    if (!authorization.startsWith('api-key ')) return refuse(401, 'AUTH_HEADER_MISSING')
    if (authorization !== `api-key ${API_KEY}`) return refuse(401, 'AUTH_API_KEY_INVALID')
    const { usage_type, expiration_ttl = 180 } = JSON.parse(text) as {
      usage_type: string
      expiration_ttl?: number
    }
    const session_key = randomBytes(24).toString('base64url')
    tokens.set(session_key, usage_type)
    const expires_at = new Date(Date.now() + expiration_ttl * 60_000).toISOString()
    const data = { session_key, expires_at, key_id: 7, status: 'LICENSE_VALID', type: 'session', usage_type }
    send(response, 200, { code: 0, message: 'Success', data, req_id })
  }

  /** (Contract: "WebSocket handshake".) */
  let ending = 0
  const sockets = new WebSocketServer({ noServer: true })
  const PRODUCTS: Record<string, string> = {
    '/stt': 'stt',
    '/tts': 'tts',
    '/voice-isolation': 'viva',
    '/vt': 'vt',
  }
  server.on('upgrade', (request, socket, head) => {
    const url = new URL(request.url ?? '/', 'http://service')
    const value = request.headers.authorization ?? url.searchParams.get('authorization') ?? ''
    const token = /^api-key (.+)$/.exec(value)?.[1]
    const open = (): Promise<WebSocket> =>
      new Promise((resolve) => sockets.handleUpgrade(request, socket, head, resolve))
    const refuse = (status: number, code: string): void =>
      void socket.end(`HTTP/1.1 ${status} Refused\r\n\r\n${JSON.stringify({ code })}`)
    if (value === '') return refuse(401, 'missing_authorization_header')
    if (token === undefined) return refuse(401, 'invalid_api_key')
    if (tokens.get(token) !== PRODUCTS[url.pathname]) return refuse(403, 'unauthorized')
    const inUse = sockets.clients.size + Math.sign(ending)
    ending = Math.max(0, ending - 1)
    if (inUse >= sessions) return refuse(429, 'concurrency_limit_exceeded')
    void open().then((opened) => {
      opened.on('message', () => opened.send('{"type":"ready"}'))
      opened.on('close', () => (ending = lateEnds))
    })
  })

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: `http://${host}`,
    queries,
    environment: {
      VOICE_API_KEY: API_KEY,
      VOICE_BASE_URL: `http://${host}`,
      VOICE_STREAMING_URL: `ws://${host}`,
      VOICE_MEETINGS_URL: `http://${host}`,
      VOICE_MEETINGS_TOKEN: CREDENTIAL,
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets.clients) socket.terminate()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
