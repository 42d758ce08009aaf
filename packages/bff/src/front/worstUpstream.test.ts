import { AsyncLocalStorage } from 'node:async_hooks'
import { gzipSync } from 'node:zlib'
import { type Service, startRawService, startService, startStack } from '@stagepass/testing'
import { describe, expect, it } from 'vitest'

const MINT = { json: { usage_type: 'stt' } }
const JSON_TYPE = { 'content-type': 'application/json' }

/** The BFF's response to an answer of the service. */
async function ask(service: Service, path: string, deadlineMs = 2_000): Promise<unknown> {
  await using stack = await startStack({ bff: { ...service.bff, deadlineMs } })
  const response = await stack.fetch(path, path === '/session-token' ? MINT : {})
  const { error_code, retryable } = (await response.json()) as { error_code: string; retryable: boolean }
  return [response.status, error_code, retryable]
}

describe('a harmless answer of the service', () => {
  const deep = (times: number) => '['.repeat(times) + ']'.repeat(times)
  it.each([
    ['/session-token', `{"code":0,"data":${deep(30_000)}}`],
    ['/tags', `{"tags":[{"id":"t","more":${deep(60_000)}}]}`],
  ])('deep JSON of %s', async (path, body) => {
    await using service = await startService((_req, res) => res.writeHead(200, JSON_TYPE).end(body))
    expect(await ask(service, path)).toEqual([502, 'UPSTREAM_MALFORMED', false])
  })

  it.each([
    ['/tags', `{"tags":[{"id":"t"},${deep(60_000)}]}`],
    ['/meetings', `{"meetings":[{"id":"m","title":${deep(60_000)}}],"next_cursor":null}`],
    ['/meetings/m', `{"id":"m","title":${deep(60_000)}}`],
  ])('deep JSON in a field of %s, which is no value of the field', async (path, body) => {
    await using service = await startService((_req, res) => res.writeHead(200, JSON_TYPE).end(body))
    expect(await ask(service, path)).toEqual([200, undefined, undefined])
  })

  it('a small compressed answer that is a large one', async () => {
    const bomb = gzipSync(Buffer.alloc(20 * 1_024 * 1_024, 32))
    await using service = await startService((_req, res) =>
      res.writeHead(200, { ...JSON_TYPE, 'content-encoding': 'gzip' }).end(bomb),
    )
    expect(await ask(service, '/tags')).toEqual([502, 'UPSTREAM_MALFORMED', false])
  })

  it('endless headers', async () => {
    await using service = await startRawService((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      const push = (): void => {
        let more = true
        while (more && !socket.destroyed && socket.bytesWritten < 64 * 1_024 * 1_024)
          more = socket.write(`x-${Math.random()}: ${'y'.repeat(1_000)}\r\n`)
      }
      socket.on('drain', push)
      push()
    })
    expect(await ask(service, '/tags')).toEqual([502, 'UPSTREAM_UNREACHABLE', true])
  })

  it.each(['/tags', '/session-token'])('what is not HTTP, on %s', async (path) => {
    await using service = await startRawService((socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'))
    expect(await ask(service, path)).toEqual([502, 'UPSTREAM_UNREACHABLE', true])
  })

  it('early hints and "processing" before the answer', async () => {
    await using service = await startService((_req, res) => {
      res.writeEarlyHints({ link: '</x>; rel=preload' })
      res.writeProcessing()
      res.writeHead(200, JSON_TYPE).end('{"tags":[]}')
    })
    await using stack = await startStack({ bff: service.bff })
    expect(await (await stack.fetch('/tags')).json()).toEqual({ tags: [] })
  })

  it('values under the keys of the prototype', async () => {
    const row = '{"id":"m","title":"T","__proto__":{"polluted":1}}'
    await using service = await startService((_req, res) =>
      res.writeHead(200, JSON_TYPE).end(`{"meetings":[${row}],"next_cursor":null,"__proto__":{"total":3}}`),
    )
    await using stack = await startStack({ bff: service.bff })
    expect(await (await stack.fetch('/meetings?fields=title')).text()).toBe(
      '{"meetings":[{"id":"m","title":"T"}],"next_cursor":null}',
    )
    expect(Object.prototype).not.toHaveProperty('polluted')
  })
})

it('S25 a credential function that depends on the context gives no user the meetings of another', async () => {
  await using service = await startService((req, res) =>
    res.writeHead(200, JSON_TYPE).end(JSON.stringify({ meetings: [{ id: req.headers.authorization }] })),
  )
  const context = new AsyncLocalStorage<string>()
  // One function for all users, as a request-scoped vault client would be.
  const credential = () => context.getStore() ?? 'nobody'
  await using stack = await startStack({
    app: (app) => app.use((req, _res, next) => context.run(`key-of-${req.get('x-user')}`, next)),
    bff: {
      baseUrl: service.url,
      meetings: { baseUrl: service.url, cacheMs: 0 },
      authorize: (req) => ({ user: req.get('x-user') ?? '', meetings: { credential } }),
    },
  })
  for (const user of ['ada', 'bob'])
    expect(await (await stack.fetch('/meetings', { headers: { 'x-user': user } })).text()).toContain(
      `key-of-${user}`,
    )
})
