import { startNginx } from '@stagepass/testing'
import { describe, expect, it } from 'vitest'
import { ALL_OK, check, COOKIE, startSite } from './bff.test.kit.js'

describe.concurrent('a BFF behind a proxy', () => {
  it('behind an nginx that compresses, the result names the response', async () => {
    await using site = await startSite()
    // A short response, such as that of /health, is not compressed.
    const directives =
      'proxy_set_header Host $http_host; gzip on; gzip_types application/json; gzip_proxied any;'
    await using nginx = await startNginx({ target: site.origin, directives })
    const run = await check(site, `http://${nginx.host}/api/voice`, {
      cookie: COOKIE,
    })
    expect(run.check('headers')).toMatchObject({ status: 'warn' })
    expect(run.check('headers').seen).toMatch(/^POST \/session-token: a proxy in front of the BFF compresses/)
    expect(run.statuses).toEqual({ ...ALL_OK, headers: 'warn' })
  })

  it('behind an nginx that keeps Host passes all checks', async () => {
    await using site = await startSite()
    await using nginx = await startNginx({
      target: site.origin,
      directives: 'proxy_set_header Host $http_host;',
    })
    const url = `http://${nginx.host}/api/voice`
    const run = await check(site, url, { cookie: COOKIE })
    expect(run.statuses).toEqual(ALL_OK)
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

    // The advice solves the problem.
    await site.remount({ origin })
    const repaired = await check(site, `${origin}/api/voice`)
    expect(repaired.statuses['own origin']).toBe('ok')
  })

  it.each([
    ['removes headers', 'proxy_hide_header Cache-Control;', 'headers', 'Without no-store'],
    ['removes x-stagepass', 'proxy_set_header X-Stagepass "";', 'login', 'x-stagepass'],
    ['adds x-stagepass', 'proxy_set_header X-Stagepass 1;', 'gate', 'adds x-stagepass'],
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
    ['passes one path only', 'rewrite ^/api/voice/(?!health) /other break;', 'gate', 'POST reaches the BFF'],
  ])('behind an nginx that %s, the check fails with advice', async (_, directive, name, advice) => {
    await using site = await startSite()
    const directives = `proxy_set_header Host $http_host; ${directive}`
    await using nginx = await startNginx({ target: site.origin, directives })
    const run = await check(site, `http://${nginx.host}/api/voice`)
    expect(run.check(name)).toMatchObject({ status: 'fail' })
    expect(run.check(name).advice).toContain(advice)
    expect(run.exitCode).toBe(1)
  })
})
