import { runInNewContext } from 'node:vm'
import { createBff, type Grant } from '@stagepass/bff/fetch'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createBrowserEmulator } from './createBrowserEmulator.js'
import * as api from './index.js'
import { delay, fail, hang, malformed, type WireEvent } from './index.js'

const GATE = { 'x-stagepass': '1' }

/** An emulator with a BFF in the page. */
function startPage(
  options: api.BrowserEmulatorOptions = {},
  authorize: () => Grant | null = () => ({ user: 'ada' }),
) {
  const emulator = createBrowserEmulator(options)
  const bff = createBff({ ...emulator.bffOptions, authorize })
  return { emulator, bff, ...emulator.clientOptions(bff) }
}
type Page = ReturnType<typeof startPage>

async function mint({ fetch, url }: Page, init: RequestInit = {}) {
  const response = await fetch(`${url}/session-token`, {
    method: 'POST',
    headers: { ...GATE, 'content-type': 'application/json', ...(init.headers as Record<string, string>) },
    body: JSON.stringify({ usage_type: 'stt' }),
    ...(init.signal && { signal: init.signal }),
  })
  return { status: response.status, body: (await response.json()) as Record<string, string> }
}

async function open(page: Page): Promise<WebSocket> {
  const { emulator } = page
  const { body } = await mint(page)
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
    'acceptThenClose blackhole byteOrderMark closeIdle createBrowserEmulator delay drop encoded expireCursors fail hang malformed mute oddFields refuse respond',
  )
})

it('uses no global fetch, no global WebSocket and no server', async () => {
  vi.stubGlobal('fetch', () => Promise.reject(new Error('a request left the page')))
  vi.stubGlobal('WebSocket', undefined)
  const socket = await open(startPage())
  socket.close()
  expect(await closeOf(socket)).toMatchObject({ code: 1005, wasClean: true })
  vi.unstubAllGlobals()
})

it('takes the bytes of another realm, as those of an Int16Array under Jest', async () => {
  const page = startPage()
  const socket = await open(page)
  const { buffer } = runInNewContext('new Int16Array([1, 2])') as Int16Array<ArrayBuffer>
  expect(buffer).not.toBeInstanceOf(ArrayBuffer)
  socket.send(buffer)
  await expect.poll(() => page.emulator.frames).toHaveLength(1)
  expect(page.emulator.frames[0]?.data).toEqual(new Uint8Array([1, 0, 2, 0]))
})

describe('an address that is not of the emulator', () => {
  it('is refused by the transport, for tokens and handshakes', async () => {
    const emulator = createBrowserEmulator()
    const { transport } = emulator.bffOptions
    const bff = createBff({
      ...emulator.bffOptions,
      baseUrl: 'https://example.com',
      streamingUrl: 'wss://example.com',
      authorize: () => ({ user: 'ada' }),
    })
    const { fetch, url } = emulator.clientOptions(bff)
    expect((await mint({ emulator, bff, fetch, url } as Page)).body).toMatchObject({
      error_code: 'UPSTREAM_UNREACHABLE',
    })
    const error = await new Promise<Error>((onError) => {
      const listener = { onError } as unknown as Parameters<typeof transport.handshake>[1]
      transport.handshake(
        { origin: 'https://example.com', path: '/stt', authorization: 'api-key x' },
        listener,
      )
    })
    expect(error.message).toBe(
      'Failed to send a request: the emulator in the page has no server at https://example.com.',
    )
    expect(emulator.requests).toEqual([])
  })

  it('is refused by WebSocket', async () => {
    const { WebSocket } = createBrowserEmulator()
    expect(await closeOf(new WebSocket('wss://example.com/stt'))).toMatchObject({
      code: 1006,
      wasClean: false,
    })
  })
})

it('authorize decides what a page may do', async () => {
  let grant: Grant | null = { user: 'ada' }
  const page = startPage({}, () => grant)
  const as = (user: string) => mint(page, { headers: { 'x-stagepass-user': user } })
  expect((await as('ada')).status).toBe(200)
  expect((await as('ben')).body).toMatchObject({ error_code: 'USER_CHANGED' })
  grant = null
  expect((await mint(page)).body).toMatchObject({ error_code: 'UNAUTHENTICATED' })
})

describe('onWire', () => {
  it('shows requests to the BFF and to the service, and both directions of a WebSocket', async () => {
    const page = startPage({ echo: true })
    const { emulator } = page
    const events: WireEvent[] = []
    const stop = emulator.onWire((event) => events.push(event))
    const socket = await open(page)
    socket.send('one')
    await vi.waitFor(() =>
      expect(events.at(-1)).toMatchObject({ type: 'message', from: 'service', data: 'one' }),
    )
    socket.close(1_000, 'done')
    await closeOf(socket)
    stop()
    await mint(page)

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
      headers: expect.objectContaining({ authorization: `api-key ${emulator.apiKey}` }),
    })
    expect(answered).toMatchObject({ id: (passedOn as { id: number }).id, status: 200 })
    expect(given).toMatchObject({ id: (asked as { id: number }).id, status: 200 })
    // The key is only in requests from the BFF to the service.
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
  it('rejects with the reason, and is not sent if it was aborted at once', async () => {
    const page = startPage()
    const { emulator } = page
    const events: WireEvent[] = []
    emulator.onWire((event) => events.push(event))
    const abort = new AbortController()
    const minting = mint(page, { signal: abort.signal })
    abort.abort(new Error('left'))
    await expect(minting).rejects.toThrow('left')
    expect(emulator.requests).toEqual([])
    expect(events).toEqual([])
  })

  it.each([
    ['if it has no response', hang({ on: 'token' })],
    ['if its response does not end', malformed('endless')],
  ])('is aborted at the service too, %s', async (_when, fault) => {
    const page = startPage({ faults: [fault] })
    const { emulator, bff } = page
    const abort = new AbortController()
    const minting = mint(page, { signal: abort.signal })
    await vi.waitFor(() => expect(emulator.counts.token).toBe(1))
    abort.abort(new Error('left'))
    await expect(minting).rejects.toThrow('left')
    await vi.waitFor(() => expect(emulator.requests).toMatchObject([{ aborted: true }]))
    await vi.waitFor(() => expect(bff.gauge().inFlight).toBe(0))
  })
})

describe('reset and close', () => {
  it('reset drops WebSockets and requests, and restores the faults from the start', async () => {
    const page = startPage({ faults: [fail('PRODUCT_NOT_ALLOWED', { times: 1 })] })
    const { emulator } = page
    expect((await mint(page)).status).toBe(403)
    const socket = await open(page)
    emulator.use(delay(1e9, { on: 'token' }))
    const waiting = mint(page)
    await vi.waitFor(() => expect(emulator.counts.token).toBe(3))
    const closed = closeOf(socket)
    emulator.reset()
    expect(await closed).toMatchObject({ code: 1006 })
    // The BFF sends the dropped request again.
    expect((await waiting).status).toBe(403)
    expect((await mint(page)).status).toBe(200)
  })

  it('close also refuses later requests', async () => {
    const page = startPage()
    const { emulator } = page
    const socket = await open(page)
    emulator.close()
    emulator.close()
    expect(await closeOf(socket)).toMatchObject({ code: 1006 })
    expect((await mint(page)).body).toMatchObject({ error_code: 'UPSTREAM_UNREACHABLE' })
    expect(await closeOf(new emulator.WebSocket(`${emulator.streamingUrl}/stt`))).toMatchObject({
      code: 1006,
    })
  })

  it('the service closes a WebSocket with a message that is too long', async () => {
    const page = startPage()
    const { emulator } = page
    const socket = await open(page)
    socket.send(new ArrayBuffer(16 * 1_024 * 1_024 + 1))
    expect(await closeOf(socket)).toMatchObject({ code: 1009, wasClean: true })
    expect(emulator.frames).toEqual([])
  })

  it('a frozen service reads nothing from the page', async () => {
    const page = startPage()
    const { emulator } = page
    const socket = await open(page)
    emulator.sockets[0]?.freeze()
    socket.send('lost')
    socket.close()
    await mint(page)
    expect([socket.bufferedAmount, socket.readyState, emulator.frames]).toEqual([4, socket.CLOSING, []])
  })
})

describe('production', () => {
  const setVariable = (value: unknown) => {
    vi.stubEnv('NODE_ENV', 'production')
    if (value !== undefined) vi.stubGlobal('STAGEPASS_EMULATOR_IN_PRODUCTION', value)
    onTestFinished(() => {
      vi.unstubAllEnvs()
      vi.unstubAllGlobals()
    })
  }

  it.each([
    ['not at all', {}, undefined],
    ['by the option alone', { allowProduction: true }, undefined],
    ['by the global alone', {}, '1'],
    ['by the option and another value', { allowProduction: true }, true],
  ])('S33 the emulator in a page refuses to run when told %s', (_how, options, value) => {
    setVariable(value)
    expect(() => createBrowserEmulator(options)).toThrow(
      "give both the option allowProduction and globalThis.STAGEPASS_EMULATOR_IN_PRODUCTION = '1'.",
    )
  })

  it('S33 the emulator in a page runs if both permissions are given', () => {
    setVariable('1')
    const emulator = createBrowserEmulator({ allowProduction: true })
    expect(emulator.requests).toEqual([])
    emulator.close()
  })
})
