import { HANDSHAKE_ERRORS, type Product, PRODUCTS } from '@stagepass/contract'
import { acceptThenClose, createEmulator, fail, hang } from '@stagepass/emulator'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { type RawData, WebSocket } from 'ws'
import { ask } from './kit.js'

type Emulator = Awaited<ReturnType<typeof createEmulator>>
const PATHS: Record<Product, string> = { stt: '/stt', tts: '/tts', viva: '/voice-isolation', vt: '/vt' }
const PRODUCT_LIST = Object.keys(PATHS) as Product[]

async function mint(upstream: Emulator, usage_type: Product, ttl = 5): Promise<string> {
  const reply = await ask(`${upstream.baseUrl}/v2/sdk/tokens/session`, {
    json: { usage_type, expiration_ttl: ttl },
    headers: { authorization: `api-key ${upstream.apiKey}` },
  })
  return (reply.body.data as { session_key: string }).session_key
}

interface Outcome {
  opened: boolean
  status?: number
  body?: string
  frames: string[]
  close?: { code: number; reason: string }
}

/** Opens a socket and tells how it ended, or that it stands open after its first frames. */
function open(url: string, headers: Record<string, string> = {}, until: 'open' | 'close' = 'open') {
  const socket = new WebSocket(url, { headers })
  const outcome: Outcome = { opened: false, frames: [] }
  return new Promise<{ socket: WebSocket; outcome: Outcome }>((resolve) => {
    socket.on('message', (data: RawData, isBinary) => {
      if (!isBinary) outcome.frames.push((data as Buffer).toString())
    })
    socket.on('open', () => {
      outcome.opened = true
      if (until === 'open') resolve({ socket, outcome })
    })
    socket.on('unexpected-response', (_request, response) => {
      outcome.status = response.statusCode ?? 0
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        outcome.body = Buffer.concat(chunks).toString()
        resolve({ socket, outcome })
      })
    })
    socket.on('close', (code, reason) => {
      outcome.close = { code, reason: reason.toString() }
      resolve({ socket, outcome })
    })
    socket.on('error', () => undefined)
  })
}

const byQuery = (upstream: Emulator, product: Product, value: string) =>
  `${upstream.streamingUrl}${PATHS[product]}?authorization=${encodeURIComponent(value)}`

describe('handshake', () => {
  for (const product of PRODUCT_LIST) {
    it(`opens ${PATHS[product]} by header`, async () => {
      await using upstream = await createEmulator()
      const { socket, outcome } = await open(upstream.streamingUrl + PATHS[product], {
        authorization: `api-key ${await mint(upstream, product)}`,
      })
      expect(outcome.opened).toBe(true)
      socket.terminate()
    })
    it(`opens ${PATHS[product]} by the query, the space as %20`, async () => {
      await using upstream = await createEmulator()
      const url = byQuery(upstream, product, `api-key ${await mint(upstream, product)}`)
      expect(url).toContain('api-key%20')
      const { socket, outcome } = await open(url)
      expect(outcome.opened).toBe(true)
      socket.terminate()
    })
    it(`takes a token of ${product} at no other product`, async () => {
      await using upstream = await createEmulator()
      const key = await mint(upstream, product)
      for (const other of PRODUCT_LIST.filter((name) => name !== product)) {
        const { outcome } = await open(byQuery(upstream, other, `api-key ${key}`))
        expect(outcome).toMatchObject({ opened: false, status: 403 })
        expect(JSON.parse(outcome.body ?? '')).toMatchObject({ error: { reason: 'unauthorized' } })
      }
    })
  }

  const refusals: [string, (key: string) => { query?: string; header?: string }, string, number][] = [
    ['nothing sent', () => ({}), 'missing_authorization_header', 401],
    ['another scheme in the header', (key) => ({ header: `Bearer ${key}` }), 'invalid_api_key', 401],
    ['another scheme in the query', (key) => ({ query: `Bearer ${key}` }), 'invalid_api_key', 401],
    ['the key alone', (key) => ({ query: key }), 'invalid_api_key', 401],
    ['an unknown token', () => ({ query: 'api-key nonsense' }), 'unauthorized', 403],
    ['an unknown token by header', () => ({ header: 'api-key nonsense' }), 'unauthorized', 403],
  ]
  for (const [name, value, code, status] of refusals) {
    for (const refuseBy of ['status', 'frame', 'close'] as const) {
      it(`${name} is ${code}, by ${refuseBy}`, async () => {
        await using upstream = await createEmulator({ refuseBy })
        const { query, header } = value(await mint(upstream, 'stt'))
        const url = query === undefined ? `${upstream.streamingUrl}/stt` : byQuery(upstream, 'stt', query)
        const { outcome } = await open(url, header === undefined ? {} : { authorization: header }, 'close')
        expect(refusalOf(outcome)).toEqual({ by: refuseBy, code, ...(refuseBy === 'status' && { status }) })
      })
    }
  }

  /** By which of the three ways a socket was refused, and with what code; a socket that stays open was not. */
  function refusalOf({ opened, status, body = '', frames, close }: Outcome): object {
    const codeIn = (text: string) => Object.keys(HANDSHAKE_ERRORS).find((code) => text.includes(code))
    if (!opened) return { by: 'status', code: codeIn(body), status }
    if (!close) return { by: 'nothing' }
    if (frames.length) return { by: 'frame', code: codeIn(frames.join()) }
    return { by: 'close', code: codeIn(close.reason) }
  }

  it('the API key itself opens nothing', async () => {
    await using upstream = await createEmulator()
    const { outcome } = await open(byQuery(upstream, 'stt', `api-key ${upstream.apiKey}`))
    expect(outcome).toMatchObject({ opened: false, status: 403 })
  })

  it('an expired token is unauthorized, one moment before it opens', async () => {
    await using upstream = await createEmulator({ now: () => 1_700_000_000_000 })
    const key = await mint(upstream, 'stt', 5)
    upstream.clock.advance(5 * 60_000 - 1)
    const { socket, outcome } = await open(byQuery(upstream, 'stt', `api-key ${key}`))
    expect(outcome.opened).toBe(true)
    socket.terminate()
    upstream.clock.advance(1)
    const late = await open(byQuery(upstream, 'stt', `api-key ${key}`))
    expect(late.outcome).toMatchObject({ opened: false, status: 403 })
    expect(late.outcome.body).toContain('unauthorized')
  })

  it('the scheme word is matched without regard to case', async () => {
    await using upstream = await createEmulator()
    const { socket, outcome } = await open(byQuery(upstream, 'stt', `API-KEY ${await mint(upstream, 'stt')}`))
    expect(outcome.opened).toBe(true)
    socket.terminate()
  })

  for (const refuseBy of ['status', 'frame', 'close'] as const) {
    for (const [code, { status }] of Object.entries(HANDSHAKE_ERRORS)) {
      it(`${code} is reached by a fault, by ${refuseBy}`, async () => {
        await using upstream = await createEmulator()
        upstream.use(fail(code as keyof typeof HANDSHAKE_ERRORS, { refuseBy, times: 1 }))
        const url = byQuery(upstream, 'vt', `api-key ${await mint(upstream, 'vt')}`)
        const { outcome } = await open(url, {}, 'close')
        expect(refusalOf(outcome)).toEqual({ by: refuseBy, code, ...(refuseBy === 'status' && { status }) })
        const { socket, outcome: after } = await open(url)
        expect(after.opened).toBe(true)
        socket.terminate()
      })
    }
  }

  it('an unknown path is refused', async () => {
    await using upstream = await createEmulator()
    const { outcome } = await open(
      `${upstream.streamingUrl}/viva?authorization=${encodeURIComponent(`api-key ${await mint(upstream, 'viva')}`)}`,
    )
    expect(outcome).toMatchObject({ opened: false, status: 404 })
  })
})

describe('the simultaneous-sessions limit', () => {
  it('is checked when the socket opens, not at token creation', async () => {
    await using upstream = await createEmulator({ maxSessions: 2 })
    const keys = await Promise.all([1, 2, 3, 4].map(() => mint(upstream, 'stt')))
    const sockets = []
    for (const key of keys.slice(0, 2)) sockets.push(await open(byQuery(upstream, 'stt', `api-key ${key}`)))
    expect(sockets.every(({ outcome }) => outcome.opened)).toBe(true)
    const third = await open(byQuery(upstream, 'stt', `api-key ${keys[2]}`))
    expect(third.outcome.opened).toBe(false)
    expect(third.outcome.body).toContain('concurrency_limit_exceeded')
    sockets[0]?.socket.close()
    await expect.poll(() => upstream.sockets.length).toBe(1)
    const again = await open(byQuery(upstream, 'stt', `api-key ${keys[2]}`))
    expect(again.outcome.opened).toBe(true)
    for (const { socket } of [...sockets, again]) socket.terminate()
  })
})

describe('expiry of a live socket', () => {
  const outlive = async (upstream: Emulator) => {
    const key = await mint(upstream, 'stt', 5)
    const opened = await open(byQuery(upstream, 'stt', `api-key ${key}`))
    upstream.clock.advance(5 * 60_000 + 1)
    return opened
  }
  it('cuts it under cutAtExpiry', async () => {
    await using upstream = await createEmulator({ cutAtExpiry: true, now: () => 1_700_000_000_000 })
    const { outcome } = await outlive(upstream)
    await expect.poll(() => outcome.close?.code).toBeDefined()
  })
  it('leaves it open by default', async () => {
    await using upstream = await createEmulator({ now: () => 1_700_000_000_000 })
    const { socket, outcome } = await outlive(upstream)
    socket.ping()
    await new Promise((resolve) => socket.once('pong', resolve))
    expect(outcome.close).toBeUndefined()
    socket.terminate()
  })
})

describe('faults of a socket', () => {
  it('accepts and closes', async () => {
    await using upstream = await createEmulator()
    upstream.use(acceptThenClose(1013, 'later', { times: 1 }))
    const { outcome } = await open(byQuery(upstream, 'stt', 'api-key x'), {}, 'close')
    expect(outcome).toMatchObject({ opened: true, close: { code: 1013, reason: 'later' } })
  })
  it('tells that the client of a hanging handshake went away', async () => {
    await using upstream = await createEmulator()
    upstream.use(hang({ on: 'handshake' }))
    const { port } = new URL(upstream.streamingUrl)
    const socket = connect(Number(port), '127.0.0.1')
    socket.write(
      'GET /stt HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
        'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n',
    )
    await expect.poll(() => upstream.counts.handshake).toBe(1)
    socket.destroy()
    await expect.poll(() => upstream.requests[0]?.aborted).toBe(true)
  })

  it('drops a live socket: the client sees 1006', async () => {
    await using upstream = await createEmulator()
    const { outcome } = await open(byQuery(upstream, 'tts', `api-key ${await mint(upstream, 'tts')}`))
    upstream.sockets[0]?.drop()
    await expect.poll(() => outcome.close?.code).toBe(1006)
  })
})

it('paths and usage types are those of the contract', () => {
  for (const product of PRODUCT_LIST) expect(PRODUCTS[product].path).toBe(PATHS[product])
})
