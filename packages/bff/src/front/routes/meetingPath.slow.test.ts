import { startNginx, startService, startStack } from '@stagepass/testing'
import { describe, expect, it } from 'vitest'
import { ask } from '../../ask.test.kit.js'

/** Two ways in which nginx forwards a path. Both decode it first, and the second does not encode it again. */
const FORMS: readonly (readonly [string, (url: string) => string])[] = [
  ['proxy_pass …/v1/;', (url) => `${url}/v1/`],
  ['proxy_pass …/v1$uri$is_args$args;', (url) => `${url}/v1$uri$is_args$args`],
]

/**
 * A BFF whose meetings interface is behind an nginx that decodes and rewrites paths. `seen` has the paths
 * that the service gets.
 */
async function startBehindNginx(form: (url: string) => string) {
  const seen: string[] = []
  const service = await startService((req, res) => {
    seen.push(req.url ?? '')
    res.setHeader('content-type', 'application/json')
    res.end(JSON.stringify({ id: 'x', title: 'billing', meetings: [] }))
  })
  const nginx = await startNginx({ target: form(service.url) })
  const stack = await startStack({ bff: { meetings: { baseUrl: `http://${nginx.host}` } } })
  return {
    stack,
    seen,
    async [Symbol.asyncDispose]() {
      await stack.close()
      await nginx[Symbol.asyncDispose]()
      await service[Symbol.asyncDispose]()
    },
  }
}

describe.each(FORMS)('S11 behind a real nginx with %s', (_, form) => {
  it('S11 a meeting id that would become another path or a query is 400 and is not sent', async () => {
    await using behind = await startBehindNginx(form)
    const ids = [
      '..%2Finternal%2Fusers%2F77',
      'm1%2F..%2F..%2Finternal',
      'a%2Fb',
      '%2F',
      '..%5Cinternal',
      'a%5Cb',
      '..%3Bx',
      'm1%3Ffields=transcript',
      'm1%23x',
      'm1%00',
      'm1%0D%0Ax-injected:1',
      'm1%7F',
      'm1%C2%85',
      // Encoded twice and three times: for a proxy behind the proxy.
      '..%252Finternal',
      'm1%25252Finternal',
      '%252e%252e',
      'm1%zz%252F',
      'm1%253Fx=1',
    ]
    for (const id of ids) {
      const { status, text } = await ask(behind.stack, `/meetings/${id}?fields=title`)
      const { field } = JSON.parse(text) as { field?: string }
      expect([id, status, field]).toEqual([id, 400, 'id'])
    }
    expect(behind.seen).toEqual([])
  })

  it('S11 any other id stays one segment', async () => {
    await using behind = await startBehindNginx(form)
    const ids = ['m-1', 'a:b', 'a@b', 'a;b', '...', '.a', 'a..b', '100%', '%zz', "$&'{id}", '%41']
    for (const id of ids) {
      const { status } = await ask(behind.stack, `/meetings/${encodeURIComponent(id)}`)
      const sent = behind.seen.at(-1) ?? ''
      expect([id, status, sent.split('/').length]).toEqual([id, 200, 4])
    }
    expect(behind.seen).toHaveLength(ids.length)
  })

  it('S11 cursor, search and tags stay values of the query', async () => {
    await using behind = await startBehindNginx(form)
    const values = [
      '../../internal',
      '..\\x',
      '..%2Finternal',
      '?a=b',
      '&fields=secret',
      '#x',
      'x\r\ny: 1',
      '\0',
    ]
    for (const value of values) {
      const asked = new URLSearchParams({ cursor: value, q: value, tags: value })
      const { status } = await ask(behind.stack, `/meetings?${asked}`)
      const { pathname, searchParams } = new URL(behind.seen.at(-1) ?? '', 'http://service')
      expect([status, pathname, [...searchParams]]).toEqual([200, '/v1/meetings', [...asked]])
    }
    expect(behind.seen).toHaveLength(values.length)
  })
})
