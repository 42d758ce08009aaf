import { SIZES } from '@stagepass/contract'
import { respond } from '@stagepass/emulator'
import { type Stack, startService, startStack } from '@stagepass/testing'
import { describe, expect, it } from 'vitest'
import express from 'express'
import { ask } from '../ask.test.kit.js'

const tokenOf = (session_key: string) => ({
  code: 0,
  message: 'Success',
  req_id: 'req_1',
  data: {
    session_key,
    expires_at: '2100-01-01T00:00:00Z',
    key_id: 1,
    status: 'LICENSE_VALID',
    type: 'session',
    usage_type: 'stt',
  },
})

/** The reason in the event of the last request. */
const reasonOf = ({ events }: Stack): unknown => {
  const event = events.findLast(({ type }) => type === 'request.finished')
  const seen = event && 'seen' in event ? event.seen : undefined
  return `${seen?.['path']} is ${seen?.['value']}, but must be ${seen?.['expected']}`
}

describe('the cursor of a page', () => {
  const listWith = (next_cursor: unknown) =>
    respond({ status: 200, body: { meetings: [{ id: 'm1' }], next_cursor } })

  it.each([
    ['a JWT', 'eyJhbGciOiJIUzI1NiJ9.'.padEnd(1_100, 'c')],
    ['as long as possible', 'c'.repeat(SIZES.cursor)],
    ['with characters that a query has to encode', '/+=&#?% "é€😀'.repeat(90)],
  ])('%s comes back to the service as it was', async (_what, cursor) => {
    await using stack = await startStack()
    stack.upstream.use(listWith(cursor))
    const first = await stack.fetch('/meetings')
    const { next_cursor } = (await first.json()) as { next_cursor: string }
    const second = await stack.fetch(`/meetings?cursor=${encodeURIComponent(next_cursor)}`)
    expect([first.status, second.status]).toEqual([200, 200])
    expect(stack.upstream.requests.at(-1)?.query).toMatchObject({ cursor })
  })

  it.each([
    [
      'c'.repeat(9_120),
      'next_cursor is a text of 9,120 characters, but must be at most 4,096 long, because it comes back in a request',
    ],
    [
      'c'.repeat(4_097),
      'next_cursor is a text of 4,097 characters, but must be at most 4,096 long, because it comes back in a request',
    ],
    [
      'c\ud83d',
      'next_cursor is a text with half a surrogate pair, but must be without, because it comes back in a request',
    ],
  ])('that could not come back is refused when it arrives, with the reason', async (cursor, reason) => {
    await using stack = await startStack()
    stack.upstream.use(listWith(cursor))
    expect(await ask(stack, '/meetings')).toMatchObject({ status: 502, code: 'UPSTREAM_MALFORMED' })
    expect(reasonOf(stack)).toBe(reason)
  })

  it('has the name of the wire in the reason', async () => {
    await using stack = await startStack({ bff: { meetings: { wire: { cursor: 'page.after' } } } })
    const body = { meetings: [], page: { after: 'c'.repeat(5_000) } }
    stack.upstream.use(respond({ status: 200, body }))
    expect(await ask(stack, '/meetings')).toMatchObject({ code: 'UPSTREAM_MALFORMED' })
    expect(reasonOf(stack)).toBe(
      'page.after is a text of 5,000 characters, but must be at most 4,096 long, because it comes back in a request',
    )
  })
})

describe('a session token', () => {
  it.each([
    ['of 2.3 KB', 'eyJhbGciOiJSUzI1NiJ9.'.padEnd(2_300, 't')],
    ['as long as possible', 't'.repeat(SIZES.sessionKey)],
    ['that doubles in JSON', '"\\'.repeat(SIZES.sessionKey / 2)],
  ])('%s can be checked, whether or not the host has parsed the body', async (_what, session_key) => {
    for (const parse of [true, false]) {
      await using service = await startService((req, res) => {
        res.writeHead(req.method === 'POST' ? 200 : 401, { 'content-type': 'application/json' })
        const isOurs = req.headers.authorization === `api-key ${session_key}`
        res.end(
          JSON.stringify(
            req.method === 'POST'
              ? tokenOf(session_key)
              : { error_code: isOurs ? 'invalid_api_key' : 'other' },
          ),
        )
      })
      await using stack = await startStack({
        bff: { baseUrl: service.url, streamingUrl: service.url.replace('http', 'ws') },
        ...(parse && { app: (app) => app.use(express.json()) }),
      })
      const minted = await stack.fetch('/session-token', { json: { usage_type: 'stt' } })
      expect(await minted.json()).toMatchObject({ session_key })
      const checked = await stack.fetch('/handshake-check', { json: { usage_type: 'stt', session_key } })
      expect([checked.status, await checked.json()]).toMatchObject([
        200,
        { ok: false, error_code: 'invalid_api_key' },
      ])
    }
  })

  it.each([
    [
      't'.repeat(8_193),
      'data.session_key is a text of 8,193 characters, but must be at most 8,192 long, because it comes back in a request',
    ],
    [
      'st 1',
      'data.session_key is a text with a character that no header can contain, but must be without, because it comes back in a request',
    ],
    [
      'st_é',
      'data.session_key is a text with a character that no header can contain, but must be without, because it comes back in a request',
    ],
  ])('that could not come back is refused when it arrives, with the reason', async (key, reason) => {
    await using stack = await startStack()
    stack.upstream.use(respond({ status: 200, body: tokenOf(key) }, { on: 'token' }))
    expect(
      await ask(stack, '/session-token', { method: 'POST', body: '{"usage_type":"stt"}' }),
    ).toMatchObject({ status: 502, code: 'UPSTREAM_MALFORMED' })
    expect(reasonOf(stack)).toBe(reason)
  })
})

it('a longer body than the longest token needs is 413', async () => {
  await using stack = await startStack()
  const json = { usage_type: 'stt', session_key: 't'.repeat(2 * SIZES.sessionKey + 1_024) }
  expect((await stack.fetch('/handshake-check', { json })).status).toBe(413)
  expect(stack.upstream.requests).toEqual([])
})

it.each([
  [SIZES.meetingId, 404],
  [SIZES.meetingId + 1, 400],
])('an id of %i characters is answered with %i', async (length, status) => {
  await using stack = await startStack()
  expect((await stack.fetch(`/meetings/${'m'.repeat(length)}`)).status).toBe(status)
})

it('the identifier of a tag comes back as it was', async () => {
  await using stack = await startStack()
  const tag = 't'.repeat(SIZES.tag)
  expect((await stack.fetch(`/meetings?tags=${tag}`)).status).toBe(200)
  expect(stack.upstream.requests.at(-1)?.query).toMatchObject({ tags: tag })
  expect((await stack.fetch(`/meetings?tags=${tag}t`)).status).toBe(400)
})
