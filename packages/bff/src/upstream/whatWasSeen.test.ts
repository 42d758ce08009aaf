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
  const ELSEWHERE =
    ', not one of the voice service: a login, a portal or a proxy may answer there. Set "baseUrl" to the address of the service itself.'
  it.each<readonly [string, Respond, string]>([
    [
      'a redirect',
      body('', { location: 'https://login.example.com/?key=1' }, 302),
      '302, a redirect to login.example.com',
    ],
    [
      'a redirect to a host that is no name',
      body('', { location: 'https://10.0.0.1/' }, 302),
      '302, a redirect',
    ],
    ['a redirect on the same host', body('', { location: '/login' }, 307), '307, a redirect'],
    ['a page', body('<!doctype html><title>Hi', { 'content-type': 'text/html' }), '200 with a page of HTML'],
    ['a page that says it is JSON', body('\ufeff <html>'), '200 with a page of HTML'],
    ['a 410 of a page', body('<html>', { 'content-type': 'text/html' }, 410), '410 with a page of HTML'],
    ['another type', body('ok', { 'content-type': 'Text/Plain; charset=utf-8' }), '200 with text/plain'],
    ['a type that is no name', body('ok', { 'content-type': 'x/0123' }), '200 with no known media type'],
    ['nothing', body(''), '200 with an empty body'],
    ['a 400 without a code', body('{}', {}, 400), '400 without an error code'],
  ])('S63 another server: %s', async (_what, respond, seen) => {
    expect(await lineAfter(respond)).toBe(`The response was ${seen}${ELSEWHERE}`)
  })

  it('another server at the address of a handshake', async () => {
    expect(await lineAfter(body('', {}, 404), '/handshake-check')).toContain(
      'The response was 404 to a WebSocket handshake, not one of the voice service',
    )
  })

  it.each<readonly [string, Respond, string]>([
    ['JSON that was cut off', body('{"code":0,"da'), 'it is not valid JSON to its end: it may be cut off'],
    [
      'JSON with more behind it',
      body(`\ufeff${token({})}\0`),
      'it is not valid JSON to its end: it may be cut off',
    ],
    ...(
      [
        ['gzip that no header names', gzipSync(token({}))],
        ['JSON in UTF-16', Buffer.from(token({}), 'utf16le')],
        ['a prefix against scripts', Buffer.from(`)]}'\n${token({})}`)],
      ] as const
    ).map(
      ([what, bytes]) =>
        [what, body(bytes), 'it is not JSON in UTF-8: it may be compressed, or in another encoding'] as const,
    ),
    [
      'a coding that nobody knows',
      body('x', { 'content-encoding': 'zstd' }),
      'its coding zstd could not be decoded',
    ],
    ['a coding that is no name', body('x', { 'content-encoding': 'x0' }), 'its coding could not be decoded'],
    [
      'broken gzip',
      body('no gzip', { 'content-encoding': 'gzip, br' }),
      'its coding gzip, br could not be decoded',
    ],
  ])('a response that was changed on its way: %s', async (_what, respond, seen) => {
    expect(await lineAfter(respond)).toBe(
      `The response was 200 with application/json, but ${seen}. Check the proxy in front of the service.`,
    )
  })

  it.each<readonly [string, Respond, string]>([
    ['a body over the limit', body(' '.repeat(70_000)), 'than 64 KiB'],
    [
      'one that is over it only when decoded',
      body(gzipSync(' '.repeat(70_000)), { 'content-encoding': 'gzip' }),
      'than 64 KiB',
    ],
  ])('%s', async (_what, respond, more) => {
    expect(await lineAfter(respond)).toMatch(new RegExp(`^The response has more ${more}\\. .+ "baseUrl"`))
  })

  it('a list with too many names or values', async () => {
    const names = Object.fromEntries(Array.from({ length: 30_000 }, (_, nth) => [`name${nth}`, nth]))
    for (const text of [JSON.stringify({ meetings: [names] }), `{"meetings":[${'0,'.repeat(1_000_001)}0]}`])
      expect(await lineAfter(body(text), '/meetings')).toContain(
        'The response has more values, or different names, than a page of the service has.',
      )
  })

  it.each<readonly [string, Respond, string]>([
    [
      'a date that is none',
      body(token({ expires_at: 'tomorrow' })),
      '`data.expires_at` is "tomorrow", but must be an ISO 8601 time. ',
    ],
    [
      'a date in other words',
      body(token({ expires_at: 'in 5 min' })),
      '`data.expires_at` is a text of 8 characters, but ',
    ],
    ['a missing code', body(token({}).replace('"code":0,', '')), '`code` is missing, '],
    [
      'another product',
      body(token({ usage_type: 'tts' })),
      '`data.usage_type` is "tts", but must be "stt". ',
    ],
    [
      'another type of token',
      body(token({ type: 'master' })),
      '`data.type` is "master", but must be "session". ',
    ],
    [
      'a key that is a number',
      body(token({ session_key: 7 })),
      '`data.session_key` is a number, but must be a string. ',
    ],
    ['no data', body('{"code":0,"message":"Success"}'), '`data` is missing, but must be an object. '],
    ['a list', body('[]'), ''],
  ])('a wrong field: %s', async (_what, respond, seen) => {
    const line = await lineAfter(respond)
    expect(line.startsWith(`In the response, ${seen}`)).toBe(true)
    expect(line).toContain('if it is, report this to the service.')
  })

  it.each<readonly [string, '/meetings' | '/tags', string]>([
    [
      '{"data":[]}',
      '/meetings',
      '`meetings` is missing, but must be a list of meetings. If the service has it at another place, set `meetings.wire.items`.',
    ],
    ['{"meetings":{}}', '/meetings', '`meetings` is an object, but must be a list of meetings. '],
    [
      '{}',
      '/tags',
      '`tags` is missing, but must be a list. If the service has it at another place, set `meetings.wire.tags`.',
    ],
  ])('a list at another place: %s', async (text, path, seen) => {
    expect(await lineAfter(body(text), path)).toContain(seen)
  })
})

describe('UPSTREAM_UNREACHABLE says what was seen', () => {
  const lineOf = async (baseUrl: string, bff: StackOptions['bff'] = {}): Promise<string> =>
    (await ask({ baseUrl, ...bff }, '/session-token')).line ?? ''

  it('nothing listens', async () => {
    await using service = await listen(createServer(), 'http')
    await service[Symbol.asyncDispose]()
    expect(await lineOf(service.url)).toContain(
      'No connection was made: nothing listens there (ECONNREFUSED). Check scheme, host and port of "baseUrl"',
    )
  })

  it('no such name', async () => {
    expect(await lineOf('https://voice.invalid')).toMatch(
      /: (?:there is no such host name \(ENOTFOUND\)|the host name could not be resolved \(EAI_AGAIN\))\. /,
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
      /What came from there is not TLS \(E\w+\)\. Check scheme and port of "baseUrl"/,
    )
  })

  it.each<readonly [string, string | Buffer, string]>([
    [
      'an alert of TLS',
      Buffer.from([21, 3, 1, 0, 2, 2, 70]),
      'is not HTTP, or breaks its rules (HTTPParserError)',
    ],
    ['another protocol', 'SSH-2.0-OpenSSH_9.2\r\n', 'is not HTTP, or breaks its rules (HTTPParserError)'],
    [
      'two lengths',
      'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello',
      'is not HTTP, or breaks its rules (UND_ERR_RES_CONTENT_LENGTH_MISMATCH)',
    ],
    [
      '20 KB of headers',
      `HTTP/1.1 200 OK\r\nA: ${'a'.repeat(20_000)}\r\n\r\n`,
      'is not HTTP, or breaks its rules (UND_ERR_HEADERS_OVERFLOW)',
    ],
    [
      '100 Continue, which undici does not read',
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}',
      'is a 100 (Continue) that was not asked for (bad response)',
    ],
  ])('something that is not HTTP: %s', async (_what, bytes, failure) => {
    expect(await lineAfter(({ socket }) => void socket.end(bytes))).toContain(
      `What came from there ${failure}. Check scheme and port of "baseUrl"`,
    )
  })

  it.each<readonly [string, Respond, string]>([
    [
      'before the response, each time',
      (request) => void request.socket.destroy(),
      'before the response, twice (',
    ],
    [
      'in the middle of the response',
      (request, response) => {
        response.writeHead(200, { 'content-length': '100' })
        response.write('{', () => request.socket.destroy())
      },
      'in the middle of the response (',
    ],
    ['by a 408 each time', body('', { connection: 'close' }, 408), 'before the request was read (408)'],
  ])('a connection that is closed %s', async (_what, respond, seen) => {
    expect(await lineAfter(respond)).toContain(`The connection was closed ${seen}`)
  })

  it('a proxy that the BFF does not use', async () => {
    vi.stubEnv('HTTPS_PROXY', 'http://user:password@proxy:3128')
    const line = await lineOf('https://voice.invalid')
    expect(line).toContain(
      'HTTPS_PROXY is set, but the BFF does not read it: give createBff({ dispatcher: new EnvHttpProxyAgent() })',
    )
    expect(line).not.toContain('password')
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
