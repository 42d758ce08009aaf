import { type Bff, createBff } from '@stagepass/bff/fetch'
import { startStack, type Stack } from '@stagepass/testing'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import type { Fault } from '../core/faults/Fault.js'
import { respond, drop, fail, malformed, refuse } from '../core/faults/faults.js'
import { createBrowserEmulator } from './createBrowserEmulator.js'

/*
 * The same requests to a BFF in Express over undici on the emulator on Node, and to a BFF in the page over
 * the emulator's transport. What a page can see has to be equal.
 */

const NOW = Date.UTC(2026, 0, 5, 9)
const emulator = { now: () => NOW }
const inPage = createBrowserEmulator(emulator)
let bff: Bff
let stack: Stack

beforeEach(async () => {
  stack ??= await startStack({ emulator })
  // Without what the test before left in its cache and its budget.
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

/** What a page sees; the request's id and the address of the service differ. */
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

describe('a BFF in the page answers as one in Express', () => {
  it.each<[path: string, init?: RequestInit]>([
    ['/health'],
    ['/session-token', post({ usage_type: 'stt' })],
    ['/session-token', post({ usage_type: 'vt', expiration_ttl: 1_440, session_id: 'mine' })],
    ['/session-token', post({ usage_type: 'stt', expiration_ttl: 4 })],
    ['/session-token', post({ usage_type: 'x' })],
    ['/session-token', post({ usage_type: 'stt', nonsense: 1 })],
    ['/session-token', post('{')],
    ['/session-token', post('x'.repeat(5_000))],
    ['/session-token', post({ usage_type: 'stt' }, { 'content-type': 'text/plain' })],
    ['/session-token'],
    ['/session-token', post({ usage_type: 'stt' }, { 'x-stagepass': '0' })],
    ['/session-token', post({ usage_type: 'stt' }, { 'x-stagepass-user': 'ada' })],
    ['/session-token', post({ usage_type: 'stt' }, { 'x-stagepass-user': 'ben' })],
    ['/meetings'],
    ['/meetings?limit=2&ownership=shared&sort_by=duration&order=oldest'],
    ['/meetings?q=review&fields=title,participants'],
    ['/meetings?fields=id'],
    ['/meetings?fields=nonsense'],
    ['/meetings?limit=0'],
    ['/meetings?limit=1&limit=2'],
    ['/meetings?nonsense=1'],
    ['/meetings?from=2026-02-01&to=2026-01-01'],
    ['/meetings?tags=a,b'],
    ['/meetings', { method: 'DELETE' }],
    ['/meetings/nonsense'],
    ['/meetings/..%2Fx'],
    ['/meetings/%ff'],
    ['/tags'],
    ['/tags?x=1'],
    ['/nonsense'],
    ['/handshake-check', post({ usage_type: 'stt', session_key: 'nothing' })],
    ['/handshake-check', post({ usage_type: 'stt' })],
  ])('%s %o', async (path, init) => {
    await expectSame(path, init)
  })

  it('page after page, and meeting by meeting', async () => {
    const first = await expectSame('/meetings?limit=3')
    const { meetings, next_cursor } = first.body as { meetings: { id: string }[]; next_cursor: string }
    await expectSame(`/meetings?limit=3&cursor=${encodeURIComponent(next_cursor)}`)
    for (const { id } of meetings) await expectSame(`/meetings/${encodeURIComponent(id)}?fields=title,tags`)
  })

  it('a live token in a handshake check', async () => {
    const { body } = await expectSame('/session-token', post({ usage_type: 'stt' }))
    const { session_key } = body as { session_key: string }
    expect(await expectSame('/handshake-check', post({ usage_type: 'stt', session_key }))).toMatchObject({
      body: { ok: true },
    })
    expect([inPage.sockets, stack.upstream.sockets]).toEqual([[], []])
  })

  it.each<[name: string, fault: Fault]>([
    ['AUTH_NO_LICENSE', fail('AUTH_NO_LICENSE')],
    ['AUTH_API_KEY_EXPIRED', fail('AUTH_API_KEY_EXPIRED')],
    ['VALIDATION_ERROR', fail('VALIDATION_ERROR')],
    ['USAGE_LIMIT_EXCEEDED', fail('USAGE_LIMIT_EXCEEDED')],
    ['CREDENTIAL_INVALID', fail('CREDENTIAL_INVALID')],
    ['STILL_PROCESSING', fail('STILL_PROCESSING')],
    ['a code that is not known', respond({ status: 403, body: { error_code: 'NEW', req_id: 'r' } })],
    ['a 503', respond({ status: 503 })],
    ['a redirect', malformed('redirect')],
    ['cut JSON', malformed('bad-json')],
    ['another shape', malformed('wrong-shape')],
    ['a page of a proxy', malformed('html')],
    ['a drop', drop({ on: ['token', 'list', 'meeting', 'tags'] })],
    ['a response that is cut', drop({ on: ['token', 'list', 'meeting', 'tags'], when: 'mid-response' })],
  ])('while the service has the fault %s', async (_name, fault) => {
    useBoth(fault)
    await expectSame('/session-token', post({ usage_type: 'stt' }))
    await expectSame('/meetings?limit=1')
    await expectSame('/meetings/m-1')
    await expectSame('/tags')
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
