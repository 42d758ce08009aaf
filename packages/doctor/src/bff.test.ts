import { startService, startStack, type StackOptions, startNginx } from '@stagepass/testing'
import { describe, expect, it } from 'vitest'
import {
  type DoctorOptions,
  type DoctorRun,
  noWaits,
  runDoctorOn,
  withoutMeetings,
} from './doctor.test.kit.js'

const COOKIE = 'sid=s%3Aq8Yw3ZtLr0Vb5NcXe7Hd.kPj2MgRf9Us'

/** A BFF whose `authorize` wants the cookie. */
async function startSite(options: StackOptions = {}) {
  const site = await startStack({
    ...options,
    bff: {
      authorize: (request) => (request.get('cookie') === COOKIE ? site.grant : null),
      // The handshake check alone takes 300 ms of it, and a busy machine is slow.
      deadlineMs: 5_000,
      ...options.bff,
    },
  })
  return site
}

type Site = Awaited<ReturnType<typeof startSite>>

function check(
  site: Site,
  url: string,
  options: DoctorOptions & { cookie?: string } = {},
): Promise<DoctorRun> {
  const { cookie, ...others } = options
  const secrets = cookie === undefined ? [] : [cookie]
  const environment = { ...withoutMeetings, STAGEPASS_COOKIE: cookie }
  // The check of time-outs waits; two tests look at it.
  const limits = { unfinishedMs: 500 }
  const argv = ['--json', '--bff', url]
  return runDoctorOn(site.upstream, { argv, secrets, environment, sleep: noWaits, limits, ...others })
}

const ALL_OK = {
  health: 'ok',
  headers: 'ok',
  'gate header': 'ok',
  'gate cross-site': 'ok',
  'gate own page': 'ok',
  'own origin': 'ok',
  token: 'ok',
  stream: 'ok',
  'handshake check': 'ok',
  meetings: 'ok',
  tags: 'ok',
  'time-outs': 'ok',
  leaks: 'ok',
}

describe.concurrent('a BFF', () => {
  it('is checked from outside, with a cookie', async () => {
    await using site = await startSite()
    const run = await check(site, site.url, { cookie: COOKIE, limits: {} })
    expect(run.statuses).toEqual(ALL_OK)
    expect(run.check('time-outs').seen).toContain('The BFF itself ended')
    expect(run.check('leaks').seen).toContain('the token included')
    expect(run.exitCode).toBe(0)
    expect(site.upstream.sockets).toEqual([])
    expect(site.upstream.counts).toMatchObject({ list: 1, meeting: 1, tags: 1 })
  })

  it('is checked without a cookie, and nothing is minted', async () => {
    await using site = await startSite()
    const run = await check(site, `${site.url}/`)
    const skipped = {
      token: 'skipped',
      stream: 'skipped',
      'handshake check': 'skipped',
      meetings: 'skipped',
      tags: 'skipped',
      'time-outs': 'skipped',
    }
    expect(run.statuses).toEqual({ ...ALL_OK, ...skipped })
    expect(run.check('token').advice).toContain('STAGEPASS_COOKIE')
    expect(run.exitCode).toBe(0)
    expect(site.upstream.requests).toEqual([])
  })

  it('takes the cookie as an option too', async () => {
    await using site = await startSite()
    const argv = ['--json', '--bff', site.url, '--cookie', COOKIE]
    const run = await check(site, site.url, { argv, secrets: [COOKIE] })
    expect(run.statuses.token).toBe('ok')
  })

  it('whose user has no meetings is right, and one whose wire is wrong is not', async () => {
    await using site = await startSite()
    const { grant } = site
    site.grant = { user: 'ada' }
    const without = await check(site, site.url, { cookie: COOKIE })
    expect(without.statuses).toEqual({ ...ALL_OK, meetings: 'skipped', tags: 'skipped' })
    expect(without.check('meetings').seen).toBe('The grant of this user has no meetings.')
    site.grant = grant
    await site.remount({ meetings: { wire: { listPath: '/nowhere', tags: 'data.tags' } } })
    const wrong = await check(site, site.url, { cookie: COOKIE })
    expect(wrong.statuses).toEqual({ ...ALL_OK, meetings: 'fail', tags: 'fail' })
    for (const name of ['meetings', 'tags']) expect(wrong.check(name).advice).toContain('--wire')
    expect(wrong.exitCode).toBe(1)
  })

  it('waits for a session of its own that the service has not ended yet', async () => {
    await using site = await startSite()
    const waits: number[] = []
    let asked = 0
    site.intercept((request, response, next) => {
      if (request.path !== '/handshake-check' || (asked += 1) > 2) return next()
      const answer = { ok: false, error_code: 'concurrency_limit_exceeded', retryable: true }
      response.set({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
      response.set('x-content-type-options', 'nosniff').json(answer)
    })
    const sleep = async (ms: number): Promise<void> => void waits.push(ms)
    const run = await check(site, site.url, { cookie: COOKIE, sleep })
    expect(run.statuses['handshake check']).toBe('ok')
    expect(waits).toEqual(expect.arrayContaining([1_000, 3_000]))
  })

  it('behind an nginx that compresses, the finding names the response', async () => {
    await using site = await startSite()
    // A short response such as that of /health stays as it is.
    const directives =
      'proxy_set_header Host $http_host; gzip on; gzip_types application/json; gzip_proxied any;'
    await using nginx = await startNginx({ target: site.origin, directives })
    const run = await check(site, `http://${nginx.host}/api/voice`, {
      cookie: COOKIE,
    })
    expect(run.check('headers')).toMatchObject({ status: 'warn' })
    expect(run.check('headers').seen).toMatch(
      /^POST \/session-token: something in front of the BFF compresses/,
    )
    expect(run.statuses).toEqual({ ...ALL_OK, headers: 'warn' })
  })

  it('behind an nginx that keeps Host is right', async () => {
    await using site = await startSite()
    await using nginx = await startNginx({
      target: site.origin,
      directives: 'proxy_set_header Host $http_host;',
    })
    const url = `http://${nginx.host}/api/voice`
    const run = await check(site, url, { cookie: COOKIE, limits: { unfinishedMs: 1_000 } })
    expect(run.statuses).toEqual(ALL_OK)
    // nginx waits for the whole request before it passes it on.
    expect(run.check('time-outs').seen).toContain('holds a request without an end back')
    expect(run.check('time-outs').advice).toContain('proxy_read_timeout')
    expect(run.exitCode).toBe(0)
  })

  it('behind an nginx that hides the address, the advice names the option to set', async () => {
    await using site = await startSite()
    await using nginx = await startNginx({ target: site.origin })
    const origin = `http://${nginx.host}`
    const run = await check(site, `${origin}/api/voice`, { cookie: COOKIE })
    expect(run.statuses).toEqual({ ...ALL_OK, 'own origin': 'fail' })
    expect(run.check('own origin').advice).toContain(`origin: '${origin}'`)
    expect(run.check('own origin').advice).toContain('trust proxy')
    expect(run.exitCode).toBe(1)

    // The advice helps.
    await site.remount({ origin })
    const repaired = await check(site, `${origin}/api/voice`)
    expect(repaired.statuses['own origin']).toBe('ok')
  })

  it('behind an nginx with a shorter time-out than the BFF, the advice names the time-outs', async () => {
    await using site = await startSite({ bff: { deadlineMs: 60_000 } })
    const directives = 'proxy_set_header Host $http_host; client_body_timeout 1s;'
    await using nginx = await startNginx({ target: site.origin, directives })
    const run = await check(site, `http://${nginx.host}/api/voice`, { cookie: COOKIE, limits: {} })
    expect(run.statuses).toEqual({ ...ALL_OK, 'time-outs': 'fail' })
    expect(run.check('time-outs').advice).toContain('deadlineMs')
    expect(run.exitCode).toBe(1)
  })

  it.each([
    ['takes headers away', 'proxy_hide_header Cache-Control;', 'headers', 'without no-store'],
    ['takes x-stagepass away', 'proxy_set_header X-Stagepass "";', 'gate own page', 'x-stagepass'],
    ['adds x-stagepass', 'proxy_set_header X-Stagepass 1;', 'gate header', 'adds x-stagepass'],
    ['allows every site', 'add_header Access-Control-Allow-Origin * always;', 'headers', 'Remove the CORS'],
    ['allows it if all is well', 'add_header Access-Control-Allow-Origin *;', 'headers', 'Remove the CORS'],
    [
      'repeats every origin',
      'add_header Access-Control-Allow-Origin $http_origin;',
      'headers',
      'Remove the CORS',
    ],
    [
      'answers preflights itself',
      "if ($request_method = OPTIONS) { add_header Access-Control-Allow-Origin '*'; return 204; }",
      'headers',
      'Remove the CORS',
    ],
    ['passes one path only', 'rewrite ^/api/voice/(?!health) /other break;', 'gate own page', 'every path'],
  ])('behind an nginx that %s, the check fails with advice', async (_, directive, name, advice) => {
    await using site = await startSite()
    const directives = `proxy_set_header Host $http_host; ${directive}`
    await using nginx = await startNginx({ target: site.origin, directives })
    const run = await check(site, `http://${nginx.host}/api/voice`)
    expect(run.check(name)).toMatchObject({ status: 'fail' })
    expect(run.check(name).advice).toContain(advice)
    expect(run.exitCode).toBe(1)
  })

  it('tells that nothing is at this path, and that basePath is missing', async () => {
    await using site = await startSite()
    const wrong = await check(site, `${site.origin}/api/voices`)
    expect(wrong.check('health')).toMatchObject({ status: 'fail' })
    expect(wrong.check('health').advice).toContain('--bff')
    expect(wrong.statuses).toMatchObject({ 'gate header': 'skipped', leaks: 'skipped' })
    const below = await check(site, `${site.url}/api`)
    expect(below.check('health').advice).toContain('basePath')
  })

  it('warns if a request without a cookie gets a grant', async () => {
    await using site = await startSite({ bff: { authorize: () => ({ user: 'anyone' }) } })
    const run = await check(site, site.url)
    expect(run.check('gate own page')).toMatchObject({ status: 'warn' })
    expect(run.check('gate own page').advice).toContain('return null without a login')
    expect(run.statuses.token).toBe('ok')
    expect(run.exitCode).toBe(0)
  })

  it('tells that the cookie is not of a login', async () => {
    await using site = await startSite()
    const run = await check(site, site.url, { cookie: 'sid=an-old-login-9fK2mZ' })
    expect(run.check('token')).toMatchObject({
      status: 'fail',
      seen: expect.stringContaining('UNAUTHENTICATED') as string,
    })
    expect(run.check('token').advice).toContain('not of a user who is signed in')
  })

  it('tells the reason of the service, and what the server cannot reach', async () => {
    await using site = await startSite()
    await site.remount({ apiKey: site.upstream.keys.expired })
    expect((await check(site, site.url, { cookie: COOKIE })).check('token').seen).toContain(
      'AUTH_API_KEY_EXPIRED',
    )
    await site.upstream.close()
    const run = await check(site, site.url, { cookie: COOKIE })
    expect(run.check('token').advice).toContain('Run the doctor there')
  })

  it.each([
    [
      'a secret',
      (key: string) => ({ headers: { 'x-debug': `key=${key.slice(4, 16)}` }, extra: {} }),
      'fail',
      'part of VOICE_API_KEY',
    ],
    ['a value', () => ({ headers: {}, extra: { key_id: 7 } }), 'fail', 'key_id'],
    [
      'a header',
      () => ({ headers: { 'x-upstream-region': 'eu-1' }, extra: {} }),
      'warn',
      'x-upstream-region',
    ],
  ] as const)('finds %s of the service in a response', async (_, leak, status, seen) => {
    await using site = await startSite()
    const { headers, extra } = leak(site.upstream.apiKey)
    site.intercept((request, response, next) => {
      if (request.path !== '/session-token' || request.get('x-stagepass') === undefined) return next()
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
      const end = response.end.bind(response)
      response.end = ((body: unknown, ...rest: []) => {
        if (response.statusCode !== 200) return end(body, ...rest)
        const text = JSON.stringify({ ...(JSON.parse(String(body)) as object), ...extra })
        return end(text, ...rest)
      }) as typeof response.end
      const writeHead = response.writeHead.bind(response)
      response.writeHead = ((code: number, head: Record<string, string | number>) => {
        const { 'Content-Length': _length, ...others } = head
        return writeHead(code, others)
      }) as typeof response.writeHead
      next()
    })
    const run = await check(site, site.url, { cookie: COOKIE })
    expect(run.check('leaks')).toMatchObject({ status })
    expect(run.check('leaks').seen).toContain(seen)
  })

  it('fails if something else answers', async () => {
    await using page = await startService((_, response) => {
      response.setHeader('content-type', 'text/html').end('<!doctype html>')
    })
    const run = await runDoctorOn(undefined, { argv: ['--json', '--bff', `${page.url}/api/voice`] })
    expect(run.check('health').seen).toContain('sends a web page (200)')
    expect(run.exitCode).toBe(1)
  })
})
