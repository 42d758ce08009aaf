import { describe, expect, it, vi } from 'vitest'
import { createBrowserEmulator } from './createBrowserEmulator.js'
import * as api from './index.js'
import { delay, fail, hang, malformed, problem, type WireEvent } from './index.js'

const GATE = { 'x-stagepass': '1' }

async function mint(emulator: api.BrowserEmulator, init: RequestInit = {}) {
  const response = await emulator.fetch(`${emulator.url}/session-token`, {
    method: 'POST',
    headers: { ...GATE, 'content-type': 'application/json', ...(init.headers as Record<string, string>) },
    body: JSON.stringify({ usage_type: 'stt' }),
    ...(init.signal && { signal: init.signal }),
  })
  return { status: response.status, body: (await response.json()) as Record<string, string> }
}

async function open(emulator: api.BrowserEmulator): Promise<WebSocket> {
  const { body } = await mint(emulator)
  const socket = new emulator.WebSocket(
    `${body['stream_url']}?authorization=${encodeURIComponent(`api-key ${body['session_key']}`)}`,
  )
  await new Promise((resolve) => socket.addEventListener('open', resolve))
  return socket
}

const closeOf = (socket: WebSocket) =>
  new Promise<CloseEvent>((resolve) => socket.addEventListener('close', resolve))

it('exports this and nothing else', () => {
  expect(Object.keys(api).toSorted().join(' ')).toBe(
    'acceptThenClose answer createBrowserEmulator delay drop fail hang malformed problem refuse',
  )
})

it('uses no fetch, no WebSocket and no server of its surroundings', async () => {
  vi.stubGlobal('fetch', () => Promise.reject(new Error('a request left the page')))
  vi.stubGlobal('WebSocket', undefined)
  const socket = await open(createBrowserEmulator())
  socket.close()
  expect(await closeOf(socket)).toMatchObject({ code: 1005, wasClean: true })
  vi.unstubAllGlobals()
})

describe('an address that is not of the emulator', () => {
  it('is refused by fetch, with the address', async () => {
    const { fetch, url } = createBrowserEmulator()
    await expect(fetch('https://example.com/x')).rejects.toThrow(
      'Failed to fetch: the emulator in the page has no server at https://example.com.',
    )
    await expect(fetch(`${url}else`)).rejects.toThrow(TypeError)
  })

  it('is refused by WebSocket', async () => {
    const { WebSocket } = createBrowserEmulator()
    expect(await closeOf(new WebSocket('wss://example.com/stt'))).toMatchObject({
      code: 1006,
      wasClean: false,
    })
  })
})

describe('the user', () => {
  it('is the one that the page names, until somebody signs in', async () => {
    const emulator = createBrowserEmulator()
    const as = (user: string) => mint(emulator, { headers: { 'x-stagepass-user': user } })
    expect([(await as('ada')).status, (await as('ben')).status]).toEqual([200, 200])
    emulator.signIn('ben')
    expect((await as('ada')).body).toMatchObject({ error_code: 'USER_CHANGED' })
    expect((await as('ben')).status).toBe(200)
    emulator.signIn(null)
    expect((await mint(emulator)).body).toMatchObject({ error_code: 'UNAUTHENTICATED' })
    emulator.reset()
    expect((await as('ada')).status).toBe(200)
  })

  it('has meetings by a credential of his own', async () => {
    const emulator = createBrowserEmulator({
      credentials: [
        { credential: 'of-ada', holder: 'ada' },
        { credential: 'of-ben', holder: 'ben' },
      ],
      meetings: [
        { id: 'm-ada', holder: 'ada' },
        { id: 'm-ben', holder: 'ben' },
      ],
      credentialOf: (user) => `of-${user}`,
    })
    for (const user of ['ada', 'ben']) {
      const headers = { ...GATE, 'x-stagepass-user': user }
      const response = await emulator.fetch(`${emulator.url}/meetings`, { headers })
      expect(await response.json()).toMatchObject({ meetings: [{ id: `m-${user}` }] })
    }
  })
})

describe('onWire', () => {
  it('shows both ways to the service, and both directions of a WebSocket', async () => {
    const emulator = createBrowserEmulator({ echo: true })
    const events: WireEvent[] = []
    const stop = emulator.onWire((event) => events.push(event))
    const socket = await open(emulator)
    socket.send('one')
    await vi.waitFor(() =>
      expect(events.at(-1)).toMatchObject({ type: 'message', from: 'service', data: 'one' }),
    )
    socket.close(1_000, 'done')
    await closeOf(socket)
    stop()
    await mint(emulator)

    expect(events.map(({ type }) => type)).toEqual([
      'request',
      'request',
      'response',
      'response',
      'handshake',
      'opened',
      'message',
      'message',
      'closed',
    ])
    const [asked, passedOn, answered, given] = events
    expect(asked).toMatchObject({ from: 'page', method: 'POST', body: '{"usage_type":"stt"}' })
    expect(passedOn).toMatchObject({
      from: 'bff',
      url: `${emulator.baseUrl}/v2/sdk/tokens/session`,
      headers: { authorization: `api-key ${emulator.apiKey}` },
    })
    expect(answered).toMatchObject({ id: (passedOn as { id: number }).id, status: 200 })
    expect(given).toMatchObject({ id: (asked as { id: number }).id, status: 200 })
    // The key is on the way from the BFF to the service, and on no other.
    const ofPage = events.filter((event) => event !== passedOn)
    expect(JSON.stringify(ofPage)).not.toContain(emulator.apiKey)
    expect(events.at(-1)).toMatchObject({ code: 1_000, reason: 'done' })
  })

  it('shows the status of a refused handshake, which a page does not see', async () => {
    const emulator = createBrowserEmulator({ faults: [fail('unauthorized')] })
    const events: WireEvent[] = []
    emulator.onWire((event) => events.push(event))
    const socket = new emulator.WebSocket(`${emulator.streamingUrl}/stt`)
    expect(await closeOf(socket)).toMatchObject({ code: 1006 })
    expect(events).toMatchObject([
      { type: 'handshake' },
      { type: 'refused', status: 403 },
      { type: 'closed' },
    ])
  })
})

describe('a request that the page aborts', () => {
  it('rejects with the reason, and is not sent if that was at once', async () => {
    const emulator = createBrowserEmulator()
    const events: WireEvent[] = []
    emulator.onWire((event) => events.push(event))
    const abort = new AbortController()
    const minting = mint(emulator, { signal: abort.signal })
    abort.abort(new Error('left'))
    await expect(minting).rejects.toThrow('left')
    expect(emulator.requests).toEqual([])
    expect(events).toEqual([])
  })

  it('is aborted at the service too', async () => {
    const emulator = createBrowserEmulator({ faults: [hang({ on: 'token' })] })
    const abort = new AbortController()
    const minting = mint(emulator, { signal: abort.signal })
    await vi.waitFor(() => expect(emulator.counts.token).toBe(1))
    abort.abort(new Error('left'))
    await expect(minting).rejects.toThrow('left')
    await vi.waitFor(() => expect(emulator.requests).toMatchObject([{ aborted: true }]))
  })

  it('ends a body that does not end', async () => {
    const emulator = createBrowserEmulator({ faults: [malformed('endless')] })
    const abort = new AbortController()
    const headers = { authorization: `Bearer ${emulator.meetingsCredential}` }
    const { body } = await emulator.fetch(`${emulator.meetingsUrl}/tags`, { headers, signal: abort.signal })
    const reader = body?.getReader()
    expect((await reader?.read())?.value).toEqual(Uint8Array.of(0x20))
    abort.abort(new Error('left'))
    await expect(reader?.read().then(() => reader.read())).rejects.toThrow('left')
  })
})

describe('reset and close', () => {
  it('reset drops WebSockets and requests, and restores the faults from the start', async () => {
    const emulator = createBrowserEmulator({ faults: [problem('FORBIDDEN', { times: 1 })] })
    expect((await mint(emulator)).status).toBe(403)
    const socket = await open(emulator)
    emulator.use(delay(1e9, { on: 'token' }))
    const waiting = mint(emulator)
    await vi.waitFor(() => expect(emulator.counts.token).toBe(2))
    const closed = closeOf(socket)
    emulator.reset()
    expect(await closed).toMatchObject({ code: 1006 })
    expect((await waiting).body).toMatchObject({ error_code: 'UPSTREAM_UNREACHABLE' })
    expect((await mint(emulator)).status).toBe(403)
    expect((await mint(emulator)).status).toBe(200)
  })

  it('close also refuses what comes later', async () => {
    const emulator = createBrowserEmulator()
    const socket = await open(emulator)
    emulator.close()
    emulator.close()
    expect(await closeOf(socket)).toMatchObject({ code: 1006 })
    await expect(mint(emulator)).rejects.toThrow(TypeError)
    expect(await closeOf(new emulator.WebSocket(`${emulator.streamingUrl}/stt`))).toMatchObject({
      code: 1006,
    })
  })

  it('the service closes a WebSocket with a message that is too long', async () => {
    const emulator = createBrowserEmulator()
    const socket = await open(emulator)
    socket.send(new ArrayBuffer(16 * 1_024 * 1_024 + 1))
    expect(await closeOf(socket)).toMatchObject({ code: 1009, wasClean: true })
    expect(emulator.frames).toEqual([])
  })

  it('a frozen service takes nothing from the page', async () => {
    const emulator = createBrowserEmulator()
    const socket = await open(emulator)
    emulator.sockets[0]?.freeze()
    socket.send('lost')
    socket.close()
    await mint(emulator)
    expect([socket.bufferedAmount, socket.readyState, emulator.frames]).toEqual([4, socket.CLOSING, []])
  })
})
