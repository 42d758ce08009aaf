import { getEventListeners } from 'node:events'
import { hang } from '@stagepass/emulator'
import { describe, expect, it, vi } from 'vitest'
import { HONO, type HostOptions } from '../startHost.test.kit.js'

// The class of Hono's server. Here its requests are created without a server.
type Host = Awaited<ReturnType<typeof HONO.start>>
const startHost = (options?: HostOptions): Promise<Host> => HONO.start(options)

const ORIGIN = 'https://app.example'

interface Init extends RequestInit {
  readonly duplex?: 'half'
}

/** A request as a host creates it, without a server. */
const requestFor = (path: string, { headers, ...init }: Init = {}): Request =>
  new Request(`${ORIGIN}/api/voice${path}`, {
    ...init,
    headers: { 'x-stagepass': '1', 'content-type': 'application/json', ...(headers as object) },
  })

const mint = (init: Init = {}): Request =>
  requestFor('/session-token', { method: 'POST', body: '{"usage_type":"stt"}', ...init })

const codeOf = async (response: Response) => ((await response.json()) as { error_code: string }).error_code

const nothingIsLeft = (host: Host) =>
  vi.waitFor(() => expect(host.bff.gauge()).toMatchObject({ inFlight: 0, waiting: 0 }))

describe('the signal of a request', () => {
  it('S28 aborts the upstream request, and the response has the status 499', async () => {
    await using host = await startHost()
    host.upstream.use(hang())
    const leaving = new AbortController()
    const response = host.bff.fetch(mint({ signal: leaving.signal }))
    await vi.waitFor(() => expect(host.upstream.requests).toHaveLength(1))
    leaving.abort()
    expect((await response).status).toBe(499)
    await vi.waitFor(() => expect(host.upstream.requests[0]?.aborted).toBe(true))
    await nothingIsLeft(host)
  })

  it('S28 that was already aborted causes no upstream request', async () => {
    await using host = await startHost()
    expect((await host.bff.fetch(mint({ signal: AbortSignal.abort() }))).status).toBe(499)
    expect(host.upstream.requests).toEqual([])
    await nothingIsLeft(host)
  })

  it('removes its listeners with the response, even if its body is not read', async () => {
    await using host = await startHost()
    const request = mint()
    const response = await host.bff.fetch(request)
    expect(response.status).toBe(200)
    expect(getEventListeners(request.signal, 'abort')).toEqual([])
    await nothingIsLeft(host)
  })
})

describe('the body of a request', () => {
  /** A body of `parts` pieces. Each is sent when it is read, and `sent` counts them. */
  function pieces(parts: number, piece: string) {
    const counts = { sent: 0, cancelled: false }
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (counts.sent === parts) return controller.close()
        counts.sent += 1
        controller.enqueue(new TextEncoder().encode(piece))
      },
      cancel: () => void (counts.cancelled = true),
    })
    return { counts, init: { body, duplex: 'half' } as const }
  }

  it('may arrive in pieces', async () => {
    await using host = await startHost()
    const { init } = pieces(1, '{"usage_type":"stt"}')
    expect((await host.bff.fetch(mint(init))).status).toBe(200)
    const { init: cut } = pieces(2, '{"usage_type"')
    expect(await codeOf(await host.bff.fetch(mint(cut)))).toBe('VALIDATION_ERROR')
  })

  it('S8 20 MB are refused without reading them', async () => {
    await using host = await startHost()
    const { counts, init } = pieces(20_000, ' '.repeat(1_024))
    const response = await host.bff.fetch(mint(init))
    expect([response.status, await codeOf(response)]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
    expect(counts.cancelled).toBe(true)
    expect(counts.sent).toBeLessThan(10)
  })

  it('is not read if its header says that it is too long', async () => {
    await using host = await startHost()
    const request = mint({ ...pieces(20_000, ' ').init, headers: { 'content-length': '20000000' } })
    expect((await host.bff.fetch(request)).status).toBe(413)
    expect(request.bodyUsed).toBe(false)
  })

  it('that is longer than its header says is too long', async () => {
    await using host = await startHost()
    const { counts, init } = pieces(20_000, ' '.repeat(1_024))
    expect((await host.bff.fetch(mint({ ...init, headers: { 'content-length': '20' } }))).status).toBe(413)
    expect(counts.sent).toBeLessThan(10)
  })

  it('that never ends is 408 at the deadline, and is cancelled', async () => {
    await using host = await startHost({ deadlineMs: 50 })
    let cancelled = false
    const body = new ReadableStream({ cancel: () => void (cancelled = true) })
    const response = await host.bff.fetch(mint({ body, duplex: 'half' }))
    expect([response.status, await codeOf(response)]).toEqual([408, 'REQUEST_TIMEOUT'])
    expect(cancelled).toBe(true)
  })

  it('S8 that other code has read is 400 and does not hang', async () => {
    await using host = await startHost()
    const request = mint()
    await request.json()
    expect(await codeOf(await host.bff.fetch(request))).toBe('VALIDATION_ERROR')
    const held = mint()
    held.body?.getReader()
    expect(await codeOf(await host.bff.fetch(held))).toBe('VALIDATION_ERROR')
    const seen = { type: 'request.finished', field: 'body', seen: { cause: 'read' } }
    expect(host.events.filter(({ type }) => type === 'request.finished')).toMatchObject([seen, seen])
  })

  it('that fails does not cause a 500', async () => {
    await using host = await startHost()
    const body = new ReadableStream({ start: (controller) => controller.error(new Error('connection lost')) })
    const response = await host.bff.fetch(mint({ body, duplex: 'half' }))
    expect([response.status, await codeOf(response)]).toEqual([400, 'VALIDATION_ERROR'])
  })
})

describe('S4 the own origin', () => {
  const statusFrom = async (host: Host, headers: Record<string, string>) =>
    (await host.bff.fetch(mint({ headers }))).status

  it('is that of the URL', async () => {
    await using host = await startHost()
    expect(await statusFrom(host, { origin: ORIGIN })).toBe(200)
    expect(await statusFrom(host, { origin: 'http://app.example' })).toBe(403)
  })

  it('has the name of the Host header, which Next.js does not put into the URL', async () => {
    await using host = await startHost()
    const next = { host: 'www.example:8443', 'x-forwarded-host': 'evil.example' }
    expect(await statusFrom(host, { ...next, origin: 'https://www.example:8443' })).toBe(200)
    expect(await statusFrom(host, { ...next, origin: ORIGIN })).toBe(403)
    expect(await statusFrom(host, { ...next, origin: 'https://evil.example' })).toBe(403)
  })
})

it('a fragment and a query in the URL are not part of the path', async () => {
  await using host = await startHost()
  expect((await host.bff.fetch(requestFor('/health?probe=1#top'))).status).toBe(200)
  expect((await host.bff.fetch(requestFor('/tags#top'))).status).toBe(200)
})

it('handlers answer each method', async () => {
  await using host = await startHost()
  const { handlers } = host.bff
  expect(Object.keys(handlers)).toEqual(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
  expect((await handlers.POST(mint())).status).toBe(200)
  const wrong = await handlers.DELETE(requestFor('/tags', { method: 'DELETE' }))
  expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET'])
})
