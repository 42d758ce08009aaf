import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { BFF_ERRORS } from '@stagepass/contract'
import { type Stack, startStack } from '@stagepass/testing'
import express, { type Express, type RequestHandler } from 'express'
import { describe, expect, it } from 'vitest'
import { rawRequest } from '../../rawRequest.test.kit.js'

const PATH = '/api/voice/session-token'
const GATE = { 'x-stagepass': '1', 'content-type': 'application/json' }

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

const send = async (stack: Stack, body?: string, headers: object = {}) => {
  const answer = await rawRequest(stack.origin, {
    method: 'POST',
    path: PATH,
    headers: { ...GATE, ...headers },
    body,
  })
  return [answer.status, (JSON.parse(answer.text) as { error_code?: string }).error_code]
}

const RIGHT = '{"usage_type":"stt"}'
const LONG = JSON.stringify({ usage_type: 'stt', session_id: 'x'.repeat(5_000) })

describe.each(parsers)('S8 the body, with %s in front', (_name, app) => {
  it.each<[what: string, body: string | undefined, headers: object, answer: unknown[]]>([
    ['a good one works', RIGHT, {}, [200, undefined]],
    ['of exactly 4 KiB is taken', RIGHT.padEnd(4_096), {}, [200, undefined]],
    ['of one byte more is 413', RIGHT.padEnd(4_097), {}, [413, 'PAYLOAD_TOO_LARGE']],
    ['too long by its header is 413', LONG, { 'content-length': LONG.length }, [413, 'PAYLOAD_TOO_LARGE']],
    ['too long in chunks is 413', LONG, { 'transfer-encoding': 'chunked' }, [413, 'PAYLOAD_TOO_LARGE']],
    ['an unknown key is 400', '{"usage_type":"stt","team":"x"}', {}, [400, 'VALIDATION_ERROR']],
    ['nothing at all is 400 and does not hang', undefined, {}, [400, 'VALIDATION_ERROR']],
  ])('S8 %s', async (_what, body, headers, answer) => {
    await using stack = await startStack({ app })
    expect(await send(stack, body, headers)).toEqual(answer)
    expect(stack.upstream.requests).toHaveLength(answer[0] === 200 ? 1 : 0)
  })
})

it('S8 a body in pieces is read even if the host has set an encoding on the request', async () => {
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

const empty: RequestHandler = (req, _res, next) => (((req as { body?: unknown }).body ??= {}), next())

it.each<[string, RequestHandler[]]>([
  ['reads the stream to its end', [(req, _res, next) => req.resume().on('end', next)]],
  [
    'reads the stream to its end, before a parser that leaves {}',
    [(req, _res, next) => req.resume().on('end', next), empty],
  ],
  ['takes the stream and does not wait', [(req, _res, next) => req.once('data', () => next())]],
  [
    'ends a loop over the stream early',
    [
      async (req, _res, next) => {
        for await (const _chunk of req.iterator({ destroyOnReturn: false })) break
        next()
      },
    ],
  ],
])('S8 middleware that %s gets 400, and its developer reads what to write', async (_what, middleware) => {
  const lines: string[] = []
  const print = (line: string) => lines.push(line)
  await using stack = await startStack({
    app: (app) => app.use(...middleware),
    bff: { logger: { warn: print, error: print } },
  })
  const { status, headers, text } = await rawRequest(stack.origin, {
    method: 'POST',
    path: PATH,
    headers: GATE,
    body: RIGHT,
  })
  expect([status, JSON.parse(text)]).toMatchObject([400, { error_code: 'VALIDATION_ERROR', field: 'body' }])
  const hint = BFF_ERRORS.VALIDATION_ERROR.hint.read
  expect(headers['x-stagepass-reason']).toBe(`read: ${hint}`)
  expect(lines).toEqual([expect.stringContaining(`VALIDATION_ERROR: ${hint}`)])
})

it.each([
  [undefined, 'It is empty.'],
  ['{"usage_type":"st', 'It is a text of 17 characters.'],
  ['[]', 'It is a list.'],
])('S8 %s is refused with what was seen of it', async (body, seen) => {
  await using stack = await startStack()
  const { headers } = await rawRequest(stack.origin, { method: 'POST', path: PATH, headers: GATE, body })
  expect(headers['x-stagepass-reason']).toBe(`rule: \`body\` must be a JSON object. ${seen}`)
})

it('S8 a compressed body is 415: the BFF never decompresses a request', async () => {
  await using stack = await startStack()
  const gzip = { 'content-encoding': 'gzip' }
  expect(await send(stack, 'x', gzip)).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])
})

it('a body that never ends is 408 at the deadline, and its connection is closed', async () => {
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
