import { closeIdle, drop } from '@stagepass/emulator'
import { type Stack, startStack } from '@stagepass/testing'
import { Agent } from 'undici'
import { describe, expect, it } from 'vitest'
import { createFetchTransport } from './transport/fetch.js'

const MINT = { json: { usage_type: 'stt' } }

const READS: readonly [path: string, request: object][] = [
  ['/session-token', MINT],
  ['/meetings', {}],
  ['/meetings/unknown', {}],
  ['/tags', {}],
]
const retriesOf = (stack: Stack) => stack.events.filter(({ type }) => type === 'upstream.retried')

describe('a request whose idle connection the service closes', () => {
  it.each(READS)('is sent again, once: %s', async (path, request) => {
    await using stack = await startStack({ bff: { meetings: { cacheMs: 0 } } })
    stack.upstream.use(closeIdle())
    const first = (await stack.fetch(path, request)).status
    expect(retriesOf(stack)).toHaveLength(0)
    expect((await stack.fetch(path, request)).status).toBe(first)
    expect(stack.upstream.requests.map(({ headers }) => headers['connection'])).toEqual([
      'keep-alive',
      'keep-alive',
      // A connection of its own.
      'close',
    ])
    expect(retriesOf(stack)).toMatchObject([{ errorCode: 'UPSTREAM_UNREACHABLE', repeat: 1, delayMs: 0 }])
  })

  it('is sent again by a transport that only has fetch', async () => {
    await using stack = await startStack({
      bff: { transport: createFetchTransport({ dispatcher: undefined }) },
    })
    stack.upstream.use(closeIdle())
    for (const [path, request] of [...READS, ...READS])
      expect((await stack.fetch(path, request)).status).not.toBe(502)
    expect(retriesOf(stack).length).toBeGreaterThan(0)
  })

  it('is sent again over a dispatcher of the host', async () => {
    await using stack = await startStack({ bff: { dispatcher: new Agent() } })
    stack.upstream.use(closeIdle())
    for (const [path, request] of [...READS, ...READS])
      expect((await stack.fetch(path, request)).status).not.toBe(502)
    expect(retriesOf(stack).length).toBeGreaterThan(0)
  })

  it('is no handshake, because a handshake opens a connection of its own', async () => {
    await using stack = await startStack()
    stack.upstream.use(closeIdle())
    const minted = (await (await stack.fetch('/session-token', MINT)).json()) as { session_key: string }
    const json = { usage_type: 'stt', session_key: minted.session_key }
    expect(await (await stack.fetch('/handshake-check', { json })).json()).toEqual({ ok: true })
    expect(stack.upstream.counts.handshake).toBe(1)
  })
})

describe('a request that is lost', () => {
  it('twice is not sent a third time', async () => {
    await using stack = await startStack()
    stack.upstream.use(drop())
    for (const [path, request] of READS) {
      expect(await (await stack.fetch(path, request)).json()).toMatchObject({
        error_code: 'UPSTREAM_UNREACHABLE',
        retryable: true,
      })
    }
    expect(stack.upstream.requests).toHaveLength(2 * READS.length)
  })

  it('after a part of its response is not sent again', async () => {
    await using stack = await startStack()
    stack.upstream.use(drop({ when: 'mid-response' }))
    for (const [path, request] of READS) expect((await stack.fetch(path, request)).status).toBe(502)
    expect(stack.upstream.requests).toHaveLength(READS.length)
    expect(retriesOf(stack)).toEqual([])
  })

  it('takes a slot of its own for each time', async () => {
    await using stack = await startStack()
    stack.upstream.use(drop({ times: 1 }))
    expect((await stack.fetch('/meetings')).status).toBe(200)
    expect(stack.bff.gauge().used).toBe(2)
  })

  it('costs the minutes of the token that was answered', async () => {
    await using stack = await startStack()
    stack.grant = { user: 'ada', usage: { minutesPerDay: 20 } }
    stack.upstream.use(drop({ times: 1 }))
    expect((await stack.fetch('/session-token', MINT)).status).toBe(200)
    expect(stack.upstream.requests).toHaveLength(2)
    expect(await (await stack.fetch('/usage')).json()).toMatchObject({
      usage: { stt: { used_ms: 0, reserved_ms: 600_000 } },
    })
  })
})
