import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { startStack } from '@stagepass/testing'
import express, { type Express } from 'express'
import { describe, expect, it } from 'vitest'
import { rawRequest } from '../rawRequest.test.kit.js'

const PATH = '/api/voice/session-token'
const GATE = { 'x-stagepass': '1', 'content-type': 'application/json' }
const codeOf = (text: string) => (JSON.parse(text) as { error_code: string }).error_code

const parsers: [string, (app: Express) => void][] = [
  ['no parser', () => undefined],
  ['express.json()', (app) => app.use(express.json())],
  [
    'express.json({ strict: false, limit: 1 MB })',
    (app) => app.use(express.json({ strict: false, limit: '1mb' })),
  ],
  ['express.text()', (app) => app.use(express.text({ type: '*/*', limit: '1mb' }))],
  ['express.raw()', (app) => app.use(express.raw({ type: '*/*', limit: '1mb' }))],
  ['express.urlencoded()', (app) => app.use(express.urlencoded({ extended: true }))],
  [
    'a parser that passed over it and left {}',
    (app) => app.use((req, _res, next) => (((req as { body?: unknown }).body ??= {}), next())),
  ],
]

describe.each(parsers)('S8 the body, with %s in front', (_name, app) => {
  it('S8 a good one works', async () => {
    await using stack = await startStack({ app })
    const answer = await rawRequest(stack.origin, {
      method: 'POST',
      path: PATH,
      headers: GATE,
      body: '{"usage_type":"vt"}',
    })
    expect([answer.status, JSON.parse(answer.text)]).toEqual([
      200,
      expect.objectContaining({ usage_type: 'vt' }),
    ])
  })

  it('S8 more than 4 KiB is 413, told in advance or not', async () => {
    await using stack = await startStack({ app })
    const body = JSON.stringify({ usage_type: 'stt', session_id: 'x'.repeat(5_000) })
    const announced = await rawRequest(stack.origin, {
      method: 'POST',
      path: PATH,
      headers: { ...GATE, 'content-length': body.length },
      body,
    })
    expect([announced.status, codeOf(announced.text)]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
    const chunked = await rawRequest(stack.origin, {
      method: 'POST',
      path: PATH,
      headers: { ...GATE, 'transfer-encoding': 'chunked' },
      body,
    })
    expect([chunked.status, codeOf(chunked.text)]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
    expect(stack.upstream.requests).toEqual([])
  })

  it('S8 exactly 4 KiB is taken', async () => {
    await using stack = await startStack({ app })
    const body = '{"usage_type":"stt"}'.padEnd(4_096)
    const answer = await rawRequest(stack.origin, { method: 'POST', path: PATH, headers: GATE, body })
    expect(answer.status).toBe(200)
    const longer = { method: 'POST', path: PATH, headers: GATE, body: `${body} ` }
    expect((await rawRequest(stack.origin, longer)).status).toBe(413)
  })

  it('S8 an unknown key is 400', async () => {
    await using stack = await startStack({ app })
    const body = '{"usage_type":"stt","team":"x"}'
    const answer = await rawRequest(stack.origin, { method: 'POST', path: PATH, headers: GATE, body })
    expect(JSON.parse(answer.text)).toMatchObject({ status: 400, field: 'team' })
  })

  it('S8 nothing at all is 400 and does not hang', async () => {
    await using stack = await startStack({ app })
    const answer = await rawRequest(stack.origin, { method: 'POST', path: PATH, headers: GATE })
    expect([answer.status, codeOf(answer.text)]).toEqual([400, 'VALIDATION_ERROR'])
  })
})

it('S8 a body in pieces is read where the host has set an encoding on the request', async () => {
  let arrived = (): void => undefined
  const isRead = new Promise<void>((resolve) => (arrived = resolve))
  await using stack = await startStack({
    app: (app) =>
      app.use((req, _res, next) => {
        req.setEncoding('utf8')
        // The body is about to be read.
        req.on('newListener', (event) => event === 'data' && arrived())
        next()
      }),
  })
  const outgoing = request(stack.origin + PATH, { method: 'POST', headers: GATE })
  outgoing.write('{"usage_')
  await isRead
  outgoing.end('type":"stt"}')
  const [res] = (await once(outgoing, 'response')) as [{ statusCode: number }]
  expect(res.statusCode).toBe(200)
})

it.each([
  ['cut', '{"usage_type":"st', 'body'],
  ['closed twice', '{"usage_type":"stt"}}', 'body'],
  ['a list', '[]', 'body'],
  ['a word', '"stt"', 'body'],
  ['null', 'null', 'body'],
  ['an unknown key', '{"usage_type":"stt","team":"x"}', 'team'],
  ['an unknown key that is no name', '{"usage_type":"stt","<script>":"x"}', 'body'],
  ['a deep nest', `{"usage_type":${'['.repeat(2_000)}${']'.repeat(2_000)}}`, 'usage_type'],
])('S8 a body that is %s is 400 with its field', async (_what, body, field) => {
  await using stack = await startStack()
  const answer = await rawRequest(stack.origin, { method: 'POST', path: PATH, headers: GATE, body })
  expect(JSON.parse(answer.text)).toMatchObject({ status: 400, error_code: 'VALIDATION_ERROR', field })
})

it('S8 a stream that somebody has read without leaving a body is 400 and does not hang', async () => {
  await using stack = await startStack({
    app: (app) =>
      app.use((req, _res, next) => {
        req.resume()
        req.on('end', next)
      }),
  })
  const answer = await rawRequest(stack.origin, {
    method: 'POST',
    path: PATH,
    headers: GATE,
    body: '{"usage_type":"stt"}',
  })
  expect([answer.status, codeOf(answer.text)]).toEqual([400, 'VALIDATION_ERROR'])
})

it('S8 a compressed body is 415: nobody here inflates what a stranger sends', async () => {
  await using stack = await startStack()
  const headers = { ...GATE, 'content-encoding': 'gzip' }
  const answer = await rawRequest(stack.origin, { method: 'POST', path: PATH, headers, body: 'x' })
  expect([answer.status, codeOf(answer.text)]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])
})

it('a body that never ends is 408 at the deadline, and its connection goes', async () => {
  await using stack = await startStack({ bff: { deadlineMs: 50 } })
  const { port } = new URL(stack.origin)
  const text = await new Promise<string>((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1')
    let received = ''
    socket.on('data', (chunk) => (received += chunk.toString()))
    socket.on('close', () => resolve(received))
    socket.on('error', reject)
    socket.write(
      `POST ${PATH} HTTP/1.1\r\nhost: a\r\nx-stagepass: 1\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"usage_`,
    )
  })
  expect(text).toMatch(/^HTTP\/1\.1 408 /)
  expect(text).toMatch(/^connection: close$/im)
  expect(text).toContain('"error_code":"REQUEST_TIMEOUT"')
})
