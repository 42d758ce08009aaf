import { type Bff, createBff } from '@stagepass/bff/fetch'
import { startStack, type Stack } from '@stagepass/testing'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import type { Fault } from '../core/faults/Fault.js'
import { drop, fail, refuse } from '../core/faults/faults.js'
import { createBrowserEmulator } from './createBrowserEmulator.js'

/*
 * The same requests to a BFF in Express (with undici and the emulator on Node), and to a BFF in the page
 * (with the emulator's transport). Everything that a page can see must be equal. `sameAsNode.test.ts`
 * compares the single responses of the service.
 */

const NOW = Date.UTC(2026, 0, 5, 9)
const emulator = { now: () => NOW }
const inPage = createBrowserEmulator(emulator)
let bff: Bff
let stack: Stack

beforeEach(async () => {
  stack ??= await startStack({ emulator })
  // Without the cache and the budget of the previous test.
  await stack.remount()
  stack.upstream.reset()
  inPage.reset()
  bff = createBff({
    ...inPage.bffOptions,
    authorize: () => ({ user: 'ada', meetings: { credential: inPage.meetingsCredential } }),
    platform: { random: () => 0 },
  })
})
afterAll(() => stack.close())

type Send = (path: string, init?: RequestInit) => Promise<Response>

/** The response for the page. Only the request's id and the address of the service differ. */
async function see(send: Send, path: string, init?: RequestInit) {
  const response = await send(path, init)
  const { headers } = response
  const text = await response.text()
  const body = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>
  if (typeof body['stream_url'] === 'string') body['stream_url'] = new URL(body['stream_url']).pathname
  delete body['request_id']
  const names = [
    'content-type',
    'cache-control',
    'x-content-type-options',
    'referrer-policy',
    'retry-after',
    'allow',
  ]
  return { status: response.status, headers: names.map((name) => headers.get(name)), body }
}

const viaBff: Send = (path, init) => fetch(stack.url + path, init)
const viaPage: Send = (path, init) => {
  const { fetch, url } = inPage.clientOptions(bff)
  return fetch(url + path, init)
}

async function expectSame(path: string, init: RequestInit = {}) {
  const given = { ...init, headers: { 'x-stagepass': '1', ...(init.headers as Record<string, string>) } }
  const expected = await see(viaBff, path, given)
  expect(await see(viaPage, path, given)).toEqual(expected)
  return expected
}

const post = (json: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: typeof json === 'string' ? json : JSON.stringify(json),
})

function useBoth(fault: Fault): void {
  stack.upstream.use(fault)
  inPage.use(fault)
}

describe('a BFF in the page answers like a BFF in Express', () => {
  it.each<[path: string, init?: RequestInit]>([
    ['/health'],
    ['/session-token', post({ usage_type: 'vt', expiration_ttl: 1_440, session_id: 'mine' })],
    ['/session-token', post('x'.repeat(5_000))],
    ['/session-token', post({ usage_type: 'stt' }, { 'x-stagepass-user': 'ben' })],
    ['/meetings?q=review&fields=title,participants'],
    ['/meetings', { method: 'DELETE' }],
    ['/meetings/%ff'],
    ['/tags'],
    ['/nonsense'],
    ['/handshake-check', post({ usage_type: 'stt', session_key: 'nothing' })],
  ])('%s %o', async (path, init) => {
    await expectSame(path, init)
  })

  it('page after page, and meeting by meeting', async () => {
    const first = await expectSame('/meetings?limit=3')
    const { meetings, next_cursor } = first.body as { meetings: { id: string }[]; next_cursor: string }
    await expectSame(`/meetings?limit=3&cursor=${encodeURIComponent(next_cursor)}`)
    for (const { id } of meetings) await expectSame(`/meetings/${encodeURIComponent(id)}?fields=title,tags`)
  })

  it('a valid token in a handshake check', async () => {
    const { body } = await expectSame('/session-token', post({ usage_type: 'stt' }))
    const { session_key } = body as { session_key: string }
    expect(await expectSame('/handshake-check', post({ usage_type: 'stt', session_key }))).toMatchObject({
      body: { ok: true },
    })
    expect([inPage.sockets, stack.upstream.sockets]).toEqual([[], []])
  })

  it('while the service cannot store a token, with as many retries', async () => {
    useBoth(fail('CACHE_UNAVAILABLE'))
    await expectSame('/session-token', post({ usage_type: 'stt' }))
    expect([inPage.counts.token, stack.upstream.counts.token]).toEqual([4, 4])
  })

  it.each<[name: string, fault: Fault]>([
    ['by status', fail('unauthorized')],
    ['by an error message', fail('concurrency_limit_exceeded', { refuseBy: 'frame' })],
    ['by a close', fail('unauthorized', { refuseBy: 'close', refusalForm: 'flat-number' })],
    ['with a number', refuse(402)],
    ['without a response', drop({ on: 'handshake' })],
  ])('while the service refuses handshakes %s', async (_name, fault) => {
    useBoth(fault)
    await expectSame('/handshake-check', post({ usage_type: 'stt', session_key: 'any' }))
  })
})
