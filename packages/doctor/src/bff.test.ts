import { startService } from '@stagepass/testing'
import { describe, expect, it } from 'vitest'
import { ALL_OK, check, COOKIE, startSite } from './bff.test.kit.js'
import { runDoctorOn } from './doctor.test.kit.js'

describe.concurrent('a BFF', () => {
  it('is checked from outside, with a cookie', async () => {
    await using site = await startSite()
    const run = await check(site, site.url, { cookie: COOKIE })
    expect(run.statuses).toEqual(ALL_OK)
    expect(run.exitCode).toBe(0)
    expect(site.upstream.sockets).toEqual([])
    expect(site.upstream.counts).toMatchObject({ list: 1, meeting: 1, tags: 1 })
  })

  it('is checked without a cookie, and nothing is minted', async () => {
    await using site = await startSite()
    const run = await check(site, `${site.url}/`)
    const skipped = { token: 'skipped', stream: 'skipped', meetings: 'skipped' }
    expect(run.statuses).toEqual({ ...ALL_OK, ...skipped })
    expect(run.check('token').advice).toContain('STAGEPASS_COOKIE')
    expect(run.exitCode).toBe(0)
    expect(site.upstream.requests).toEqual([])
  })

  it('accepts the cookie also as an option', async () => {
    await using site = await startSite()
    const argv = ['--json', '--bff', site.url, '--cookie', COOKIE]
    const run = await check(site, site.url, { argv, secrets: [COOKIE] })
    expect(run.statuses.token).toBe('ok')
  })

  it('says before that it takes minutes of the user, and gives back what it did not use', async () => {
    await using site = await startSite()
    site.grant = { ...site.grant, user: 'ada', usage: { minutesPerDay: 7 } }
    const argv = ['--bff', site.url, '--cookie', COOKIE]
    const { output } = await check(site, site.url, { argv, secrets: [COOKIE] })
    expect(output).toMatch(
      /^With the login of a user, this mints a token of 5 minutes\. If the grant has "usage"/,
    )
    // A second run needs the minutes of the first.
    const again = await check(site, site.url, { cookie: COOKIE })
    expect(again.statuses).toEqual(ALL_OK)
    const settled = site.events.filter(({ type }) => type === 'usage.settled')
    expect(settled).toMatchObject([
      { by: 'report', reservedMs: 300_000 },
      { by: 'report', reservedMs: 300_000 },
    ])
    site.grant = { ...site.grant, user: 'ada', usage: { minutesPerDay: 4 } }
    expect((await check(site, site.url, { cookie: COOKIE })).check('token').seen).toContain('USAGE_EXHAUSTED')
  })

  it('says that the BFF shares sessions, and how many are free', async () => {
    for (const [max, said] of [
      [9, 'there are free ones'],
      [1, 'at most two are free'],
    ] as const) {
      await using site = await startSite({ bff: { sessions: { max } } })
      const run = await check(site, site.url, { cookie: COOKIE })
      expect(run.statuses).toEqual(ALL_OK)
      expect(run.check('token').seen).toContain(said)
    }
  })

  it('passes if the user has no meetings, and fails if the wire is wrong', async () => {
    await using site = await startSite()
    const { grant } = site
    site.grant = { user: 'ada' }
    const without = await check(site, site.url, { cookie: COOKIE })
    expect(without.statuses).toEqual({ ...ALL_OK, meetings: 'skipped' })
    expect(without.check('meetings').seen).toBe('The grant of this user has no meetings.')
    site.grant = grant
    await site.remount({ meetings: { wire: { listPath: '/nowhere', tags: 'data.tags' } } })
    const wrong = await check(site, site.url, { cookie: COOKIE })
    expect(wrong.statuses).toEqual({ ...ALL_OK, meetings: 'fail' })
    expect(wrong.check('meetings').advice).toContain('--wire')
    expect(wrong.exitCode).toBe(1)
  })

  it('reports that nothing is at this path, and that basePath is missing', async () => {
    await using site = await startSite()
    const wrong = await check(site, `${site.origin}/api/voices`)
    expect(wrong.check('health')).toMatchObject({ status: 'fail' })
    expect(wrong.check('health').advice).toContain('--bff')
    expect(wrong.statuses).toMatchObject({ gate: 'skipped', headers: 'skipped' })
    const below = await check(site, `${site.url}/api`)
    expect(below.check('health').advice).toContain('basePath')
  })

  it('warns if a request without a cookie gets a grant', async () => {
    await using site = await startSite({ bff: { authorize: () => ({ user: 'anyone' }) } })
    const run = await check(site, site.url)
    expect(run.check('login')).toMatchObject({ status: 'warn' })
    expect(run.check('login').advice).toContain('return null if the user is not signed in')
    expect(run.statuses.token).toBe('ok')
    expect(run.exitCode).toBe(0)
  })

  it('reports that the cookie is not from a login', async () => {
    await using site = await startSite()
    const run = await check(site, site.url, { cookie: 'sid=an-old-login-9fK2mZ' })
    expect(run.check('token')).toMatchObject({
      status: 'fail',
      seen: expect.stringContaining('UNAUTHENTICATED') as string,
    })
    expect(run.check('token').advice).toContain('not from a signed-in user')
  })

  it('reports the reason of the service, and an address that the server cannot reach', async () => {
    await using site = await startSite()
    await site.remount({ apiKey: site.upstream.keys.expired })
    expect((await check(site, site.url, { cookie: COOKIE })).check('token').seen).toContain(
      'AUTH_API_KEY_EXPIRED',
    )
    await site.upstream.close()
    const run = await check(site, site.url, { cookie: COOKIE })
    expect(run.check('token').advice).toContain('Run the doctor on the server')
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
