import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { startStack, type StackOptions } from '@stagepass/testing'
import { generate } from 'selfsigned'
import { afterEach, describe, expect, it, vi } from 'vitest'

type Respond = (request: IncomingMessage, response: ServerResponse) => void

afterEach(() => void vi.unstubAllEnvs())

/** The lines for the operator after one request, with the status of the response. */
async function ask(
  bff: StackOptions['bff'],
  path: '/session-token' | '/meetings' | '/tags' | '/handshake-check',
) {
  const lines: string[] = []
  const write = (line: string): void => void lines.push(line.replace(/ \(request [^)]*\)$/, ''))
  await using stack = await startStack({
    bff: { ...bff, logger: { warn: write, error: write }, deadlineMs: 3_000 },
  })
  const json = { usage_type: 'stt', ...(path === '/handshake-check' && { session_key: 'st_1' }) }
  const response = await stack.fetch(path, path === '/meetings' || path === '/tags' ? {} : { json })
  return {
    status: response.status,
    body: (await response.json()) as Record<string, unknown>,
    line: lines.at(-1),
  }
}

async function listen(server: Server, scheme: string) {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `${scheme}://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      if ('closeAllConnections' in server)
        (server as unknown as { closeAllConnections(): void }).closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** A service that answers every request in this way, and what the operator then reads. */
async function lineAfter(
  respond: Respond,
  path: Parameters<typeof ask>[1] = '/session-token',
): Promise<string> {
  await using service = await listen(createServer(respond), 'http')
  const { line = '', body } = await ask(
    {
      baseUrl: service.url,
      streamingUrl: service.url.replace('http', 'ws'),
      meetings: { baseUrl: service.url },
    },
    path,
  )
  const code = String(body['error_code'])
  expect(line.startsWith(`[stagepass] ${code}: `)).toBe(true)
  expect(line.length).toBeLessThanOrEqual(330)
  return line.slice(`[stagepass] ${code}: `.length)
}

const body =
  (text: string | Buffer, headers: Readonly<Record<string, string>> = {}, status = 200): Respond =>
  (_, response) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text)

const token = (data: object): string =>
  JSON.stringify({
    code: 0,
    message: 'Success',
    data: {
      session_key: 'st_0123456789',
      expires_at: '2099-01-01T00:00:00Z',
      status: 'LICENSE_VALID',
      type: 'session',
      usage_type: 'stt',
      ...data,
    },
  })

describe('UPSTREAM_MALFORMED says what was seen', () => {
  it.each<readonly [string, Respond, string]>([
    [
      'a redirect',
      body('', { location: 'https://login.example.com/?key=1' }, 302),
      'The response was 302, a redirect to https://login.example.com. ',
    ],
    [
      'a redirect on the same host',
      body('', { location: '/login' }, 307),
      'The response was 307, a redirect to another path of the same host. ',
    ],
    [
      'a page',
      body('<!doctype html><title>Hi', { 'content-type': 'text/html' }),
      'The response was 200 with a page of HTML, not JSON: ',
    ],
    ['a page that says it is JSON', body('<html>'), 'The response was 200 with a page of HTML, not JSON: '],
    [
      'another type',
      body('ok', { 'content-type': 'text/plain' }),
      'The response was 200 with text/plain, not JSON. ',
    ],
    ['nothing', body(''), 'The response was 200 with an empty body. '],
    [
      'JSON that was cut off',
      body('{"code":0,"da'),
      'The response was 200 with application/json and begins as JSON, but is not valid to its end: ',
    ],
    [
      'JSON with more behind it',
      body(`\ufeff${token({})}\0`),
      'The response was 200 with application/json and begins as JSON, but ',
    ],
    [
      'gzip that no header names',
      body(gzipSync(token({}))),
      'The response was 200 with application/json, but its bytes are not text in UTF-8: ',
    ],
    [
      'JSON in UTF-16',
      body(Buffer.from(token({}), 'utf16le')),
      'The response was 200 with application/json, but its bytes are not text in UTF-8: ',
    ],
    [
      'a prefix against scripts',
      body(`)]}'\n${token({})}`),
      'The response was 200 with application/json, but its text does not begin as JSON does. ',
    ],
    [
      'a coding that nobody knows',
      body('x', { 'content-encoding': 'zstd' }),
      'The response was encoded with zstd, which could not be decoded, ',
    ],
    [
      'broken gzip',
      body('no gzip', { 'content-encoding': 'gzip' }),
      'The response was encoded with gzip, which could not be decoded, ',
    ],
    ['a body over the limit', body(' '.repeat(70_000)), 'The response was larger than 64 KiB. '],
    [
      'one that is over it only when decoded',
      body(gzipSync(' '.repeat(70_000)), { 'content-encoding': 'gzip' }),
      'The response was larger than 64 KiB. ',
    ],
    [
      'a date that is none',
      body(token({ expires_at: 'tomorrow' })),
      'In the response, `data.expires_at` is "tomorrow", but must be an ISO 8601 time. ',
    ],
    ['a missing code', body(token({}).replace('"code":0,', '')), 'In the response, `code` is missing, '],
    [
      'another product',
      body(token({ usage_type: 'tts' })),
      'In the response, `data.usage_type` is "tts", but must be "stt". ',
    ],
    [
      'another type of token',
      body(token({ type: 'master' })),
      'In the response, `data.type` is "master", but must be "session". ',
    ],
    [
      'a key that is a number',
      body(token({ session_key: 7 })),
      'In the response, `data.session_key` is a number, but must be a string. ',
    ],
    [
      'no data',
      body('{"code":0,"message":"Success"}'),
      'In the response, `data` is missing, but must be an object. ',
    ],
    ['a list', body('[]'), 'In the response, '],
    [
      'a 410 of a page',
      body('<html>', { 'content-type': 'text/html' }, 410),
      'The response was 410 with a page of HTML, not JSON: ',
    ],
    [
      'a 400 without a code',
      body('{}', {}, 400),
      'The response was 400, without an error code that can be read. ',
    ],
  ])('%s', async (_what, respond, seen) => {
    expect(await lineAfter(respond)).toContain(seen)
  })

  it.each<readonly [string, string, '/meetings' | '/tags', string]>([
    [
      'no list',
      '{"data":[]}',
      '/meetings',
      '`meetings` is missing, but must be a list of meetings. If the service has it at another place, set `meetings.wire.items`.',
    ],
    [
      'a list that is an object',
      '{"meetings":{}}',
      '/meetings',
      '`meetings` is an object, but must be a list of meetings. ',
    ],
    [
      'no tags',
      '{}',
      '/tags',
      '`tags` is missing, but must be a list. If the service has it at another place, set `meetings.wire.tags`.',
    ],
  ])('%s', async (_what, text, path, seen) => {
    expect(await lineAfter(body(text), path)).toContain(seen)
  })

  it('a handshake that is answered by something else', async () => {
    expect(await lineAfter(body('', {}, 404), '/handshake-check')).toContain(
      'The handshake got 404, which says nothing',
    )
  })

  it('S63 nothing but short words of the service', async () => {
    const secret = 'st_0123456789'
    for (const data of [
      { usage_type: secret },
      { expires_at: `<b>${secret}</b>` },
      { type: secret },
      { status: 7 },
    ])
      expect(await lineAfter(body(token(data)))).not.toMatch(/st_0|<|0123456789/)
  })
})

describe('UPSTREAM_UNREACHABLE says what was seen', () => {
  const lineOf = async (baseUrl: string, bff: StackOptions['bff'] = {}): Promise<string> =>
    (await ask({ baseUrl, ...bff }, '/session-token')).line ?? ''

  it('nothing listens', async () => {
    await using service = await listen(createServer(), 'http')
    await service[Symbol.asyncDispose]()
    expect(await lineOf(service.url)).toContain(
      'Nothing listens there (ECONNREFUSED). Check host and port of "baseUrl"',
    )
  })

  it('no such name', async () => {
    expect(await lineOf('https://voice.invalid')).toMatch(
      /There is no such host name \((?:ENOTFOUND|EAI_AGAIN)\)\. /,
    )
  })

  it('a certificate that is not trusted', async () => {
    const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }])
    await using service = await listen(createTlsServer({ key, cert }), 'https')
    expect(await lineOf(service.url)).toMatch(
      /Its certificate was not accepted: it is signed by itself \(DEPTH_ZERO_SELF_SIGNED_CERT\)\. .*NODE_EXTRA_CA_CERTS/,
    )
  })

  it('no TLS there', async () => {
    await using service = await listen(createServer(), 'http')
    expect(await lineOf(service.url.replace('http:', 'https:'))).toMatch(
      /It does not speak TLS there \(E\w+\)\. /,
    )
  })

  it.each<readonly [string, string | Buffer, string]>([
    ['an alert of TLS', Buffer.from([21, 3, 1, 0, 2, 2, 70]), 'HTTPParserError'],
    ['another protocol', 'SSH-2.0-OpenSSH_9.2\r\n', 'HTTPParserError'],
    [
      'two lengths',
      'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello',
      'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
    ],
    ['20 KB of headers', `HTTP/1.1 200 OK\r\nA: ${'a'.repeat(20_000)}\r\n\r\n`, 'UND_ERR_HEADERS_OVERFLOW'],
  ])('something that is not HTTP: %s', async (_what, bytes, failure) => {
    expect(await lineAfter(({ socket }) => void socket.end(bytes))).toContain(
      `What came from there is not HTTP, or breaks its rules (${failure}). Check scheme and port of "baseUrl"`,
    )
  })

  it('a connection that is closed before the response, each time', async () => {
    expect(await lineAfter((request) => void request.socket.destroy())).toContain(
      'The connection was closed before the response, twice (',
    )
  })

  it('a connection that is closed in the middle of the response', async () => {
    const cut: Respond = (request, response) => {
      response.writeHead(200, { 'content-length': '100' })
      response.write('{', () => request.socket.destroy())
    }
    expect(await lineAfter(cut)).toContain('The connection was closed in the middle of the response (')
  })

  it('a proxy that the BFF does not use', async () => {
    vi.stubEnv('HTTPS_PROXY', 'http://user:password@proxy:3128')
    const line = await lineOf('https://voice.invalid')
    expect(line).toContain(
      'HTTPS_PROXY is set, but the BFF does not read it: give createBff({ dispatcher: new EnvHttpProxyAgent() })',
    )
    expect(line).not.toContain('password')
  })

  it('408 each time', async () => {
    expect(await lineAfter(body('', { connection: 'close' }, 408))).toContain(
      'The service responded with 408 several times',
    )
  })
})

describe('a response that is encoded although none was asked for', () => {
  it.each<readonly [string, (text: string) => Buffer]>([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['GZIP, br', (text) => brotliCompressSync(gzipSync(text))],
    ['identity', (text) => Buffer.from(text)],
  ])('%s is decoded', async (coding, encode) => {
    const asked: unknown[] = []
    const respond: Respond = (request, response) => {
      asked.push(request.headers['accept-encoding'])
      body(encode(token({})), { 'content-encoding': coding })(request, response)
    }
    await using service = await listen(createServer(respond), 'http')
    const { status, body: answer } = await ask({ baseUrl: service.url }, '/session-token')
    expect(asked).toEqual(['identity'])
    expect({ status, key: answer['session_key'] }).toEqual({ status: 200, key: 'st_0123456789' })
  })

  it('a refusal too, and the byte order mark of each is skipped', async () => {
    const mark = '\ufeff'
    const refusal = gzipSync(`${mark}{"code":1,"error_code":"BALANCE_EXHAUSTED"}`)
    await using service = await listen(
      createServer(body(refusal, { 'content-encoding': 'gzip' }, 403)),
      'http',
    )
    expect((await ask({ baseUrl: service.url }, '/session-token')).body).toMatchObject({
      error_code: 'BALANCE_EXHAUSTED',
    })
    await using list = await listen(createServer(body(`${mark}{"meetings":[{"id":"m1"}]}`)), 'http')
    const bff = { meetings: { baseUrl: list.url } }
    expect((await ask(bff, '/meetings')).body).toMatchObject({ meetings: [{ id: 'm1' }] })
  })
})
