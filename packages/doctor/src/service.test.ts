import http from 'node:http'
import {
  byteOrderMark,
  closeIdle,
  createEmulator,
  encoded,
  fail,
  hang,
  malformed,
  respond,
} from '@stagepass/emulator'
import { startService } from '@stagepass/testing'
import { describe, expect, it } from 'vitest'
import { readVariables } from './settings/readVariables.js'
import { runDoctorOn, withoutMeetings, variablesOf } from './doctor.test.kit.js'

const environment = withoutMeetings

describe.concurrent('the service', () => {
  it('gives no advice for a service that works', async () => {
    await using upstream = await createEmulator()
    const run = await runDoctorOn(upstream, { environment })
    expect(run.statuses).toEqual({
      'token address': 'ok',
      key: 'ok',
      'token stt': 'ok',
      'token tts': 'ok',
      'token viva': 'ok',
      'token vt': 'ok',
      'stream address': 'ok',
      'stream stt': 'ok',
      'stream tts': 'ok',
      'stream viva': 'ok',
      'stream vt': 'ok',
      meetings: 'skipped',
    })
    expect(run.exitCode).toBe(0)
    expect(run.check('meetings').advice).toContain('VOICE_MEETINGS_TOKEN')
    // No socket stays open, and each token has the shortest lifetime.
    expect(upstream.sockets).toEqual([])
    const lives = upstream.tokens.all().map((row) => row.expiresAtMs - row.issuedAtMs)
    expect(new Set(lives)).toEqual(new Set([300_000]))
  })

  it.each(['"', "'"])('variables in %s, which docker --env-file keeps, are read', async (mark) => {
    await using upstream = await createEmulator()
    const quoted = Object.fromEntries(
      Object.entries(variablesOf(upstream)).map(([name, value]) => [name, `${mark}${value}${mark}`]),
    )
    const run = await runDoctorOn(upstream, { environment: quoted })
    expect(run.statuses).toMatchObject({ key: 'ok', 'stream stt': 'ok' })
  })

  it('a key with the scheme of a header is refused before anything is sent', () => {
    const addresses = { VOICE_BASE_URL: 'http://127.0.0.1:1', VOICE_STREAMING_URL: 'ws://127.0.0.1:1' }
    const good = { ...addresses, VOICE_API_KEY: 'vk_1' }
    for (const name of ['VOICE_API_KEY', 'VOICE_MEETINGS_TOKEN'])
      expect(() => readVariables({ ...good, [name]: 'Bearer vk_1' })).toThrow(
        `Failed to start: ${name} begins with the scheme of a header ("Bearer", "api-key"). Write only what follows.`,
      )
  })

  it.each([
    ['closes idle connections', closeIdle()],
    ['writes a byte order mark', byteOrderMark()],
    ['encodes with gzip', encoded('gzip')],
    ['encodes with br', encoded('br')],
    ['encodes with deflate', encoded('deflate')],
  ])('gives no advice for a service that %s', async (_what, fault) => {
    await using upstream = await createEmulator()
    upstream.use(fail('invalid_api_key', { product: 'vt' }))
    upstream.use(fault)
    // The body of a refusal may arrive later than the time that an open connection has to settle.
    const run = await runDoctorOn(upstream, { limits: { settleMs: 0 } })
    const others = Object.entries(run.statuses).filter(([name]) => name !== 'stream vt')
    expect(others.filter(([, status]) => status === 'fail')).toEqual([])
    expect(run.check('stream vt').seen).toContain('invalid_api_key')
    expect(run.check('meetings').status).not.toBe('skipped')
    for (const { headers } of upstream.requests) expect(headers['accept-encoding']).toBe('identity')
  })

  it.each([
    ['status', 'HTTP status 403'],
    ['frame', 'an error message after the open'],
    ['close', 'a close with the code 1008'],
  ] as const)('reports that a good token is refused by %s', async (refuseBy, form) => {
    await using upstream = await createEmulator({ refuseBy })
    upstream.use(fail('unauthorized', { on: 'handshake' }))
    // Each is refused, so none waits for this time.
    const run = await runDoctorOn(upstream, { environment, limits: { settleMs: 60_000 } })
    expect(run.check('stream stt')).toMatchObject({ status: 'fail' })
    expect(run.check('stream stt').seen).toContain(`refuses a new token by ${form}, unauthorized.`)
    expect(run.check('stream stt').advice).toContain('to the same environment')
    expect(run.exitCode).toBe(1)
  })

  it.each([
    ['expired', 'AUTH_API_KEY_EXPIRED', 'Create a new key'],
    ['unlicensed', 'AUTH_NO_LICENSE', 'Assign a license'],
    ['paused', 'AUTH_API_KEY_INVALID', 'Check VOICE_API_KEY'],
  ] as const)('names what is wrong with a key that is %s, and asks once', async (state, code, advice) => {
    await using upstream = await createEmulator()
    const key = upstream.keys[state]
    const run = await runDoctorOn(upstream, { environment: { ...environment, VOICE_API_KEY: key } })
    expect(run.exitCode).toBe(1)
    expect(run.check('key')).toMatchObject({ status: 'fail' })
    expect(run.check('key').seen).toContain(code)
    expect(run.check('key').advice).toContain(advice)
    expect(run.statuses).toMatchObject({
      'token vt': 'skipped',
      'stream address': 'ok',
      'stream vt': 'skipped',
    })
    // One request without a key, and one with it.
    expect(upstream.counts.token).toBe(2)
  })

  it('distinguishes a product that is not in the plan from a wrong key', async () => {
    const keys = [
      { key: 'vk_onlyone_5aT9wQ2rLm', state: 'productNotAllowed', products: ['stt', 'vt'] },
    ] as const
    await using upstream = await createEmulator({ keys })
    const run = await runDoctorOn(upstream, { environment: { ...environment, VOICE_API_KEY: keys[0].key } })
    expect(run.statuses).toMatchObject({
      key: 'ok',
      'token stt': 'warn',
      'token tts': 'ok',
      'token vt': 'warn',
      'stream stt': 'skipped',
      'stream tts': 'ok',
      'stream vt': 'skipped',
    })
    expect(run.check('token stt').advice).toContain('add the product to the plan')
    expect(run.exitCode).toBe(0)
  })

  it('needs only one session', async () => {
    await using upstream = await createEmulator({ maxSessions: 1 })
    const run = await runDoctorOn(upstream, { environment })
    expect(run.statuses).toMatchObject({ 'stream stt': 'ok', 'stream vt': 'ok' })
  })

  it('reports that all sessions are in use', async () => {
    await using upstream = await createEmulator({ maxSessions: 0 })
    const run = await runDoctorOn(upstream, { environment })
    expect(run.check('stream vt').advice).toContain('All sessions of the account are in use')
  })

  it('ends with a report if nothing answers in time', async () => {
    await using upstream = await createEmulator()
    upstream.use(hang())
    const run = await runDoctorOn(upstream, { environment, limits: { timeoutMs: 200 } })
    expect(run.check('token address')).toMatchObject({
      status: 'fail',
      seen: expect.stringContaining('did not answer in time') as string,
    })
    expect(run.check('stream address')).toMatchObject({
      status: 'fail',
      seen: expect.stringContaining('did not answer in time') as string,
    })
    expect(run.statuses).toMatchObject({ key: 'skipped', 'stream stt': 'skipped' })
    expect(run.check('key').seen).toBe('Not checked, because it needs "token address".')
    expect(run.exitCode).toBe(1)
  })

  it.each([
    ['html', 'sends a web page (502)'],
    ['redirect', 'redirects (302)'],
    ['bad-json', 'sends something that is not JSON (200)'],
  ] as const)('recognises a wrong base address by its response: %s', async (kind, seen) => {
    await using upstream = await createEmulator()
    upstream.use(malformed(kind, { on: 'token' }))
    const run = await runDoctorOn(upstream, { environment })
    expect(run.check('token address')).toMatchObject({ status: 'fail' })
    expect(run.check('token address').seen).toContain(seen)
    expect(run.check('token address').advice).toContain('VOICE_BASE_URL')
  })

  it('recognises a wrong streaming address', async () => {
    await using upstream = await createEmulator()
    const wrong = { VOICE_STREAMING_URL: `${upstream.streamingUrl}/v7` }
    const run = await runDoctorOn(upstream, { environment: { ...environment, ...wrong } })
    expect(run.check('stream address')).toMatchObject({ status: 'fail' })
    expect(run.check('stream address').seen).toContain('HTTP status 404')
    expect(run.check('stream address').advice).toContain('VOICE_STREAMING_URL')
  })

  it('reports that no server listens', async () => {
    const gone = await createEmulator()
    await gone.close()
    const run = await runDoctorOn(gone, { environment })
    expect(run.check('token address')).toMatchObject({ status: 'fail' })
    expect(run.check('token address').seen).toContain('refused the connection')
  })

  it('names the variable of a proxy if a host has no address in this network', async () => {
    const run = await runDoctorOn(undefined, {
      environment: {
        VOICE_API_KEY: 'vk_1',
        VOICE_BASE_URL: 'https://api.company.invalid',
        VOICE_STREAMING_URL: 'wss://stream.company.invalid',
      },
    })
    for (const name of ['token address', 'stream address'])
      expect(run.check(name)).toMatchObject({
        status: 'fail',
        advice: expect.stringContaining('does not read HTTPS_PROXY') as string,
      })
  })

  it('opens streams with the agent of the process, which knows the proxy of NODE_USE_ENV_PROXY', async () => {
    await using upstream = await createEmulator()
    const before = http.globalAgent
    let opened = 0
    http.globalAgent = new (class extends http.Agent {
      override createConnection(...[options, done]: Parameters<http.Agent['createConnection']>) {
        if (String(options.port) === new URL(upstream.streamingUrl).port) opened += 1
        return super.createConnection(options, done)
      }
    })()
    using _ = { [Symbol.dispose]: () => (http.globalAgent = before) }
    const run = await runDoctorOn(upstream, { environment })
    expect(run.exitCode).toBe(0)
    expect(opened).toBe(upstream.requests.filter(({ headers }) => headers.upgrade === 'websocket').length)
    expect(opened).toBeGreaterThanOrEqual(4)
  })

  it.each([
    ['CACHE_UNAVAILABLE', () => fail('CACHE_UNAVAILABLE', { times: 2 })],
    ['an unknown 429', () => respond({ status: 429 }, { on: 'token', times: 2 })],
  ])('asks again for a token after %s', async (_, fault) => {
    await using upstream = await createEmulator()
    upstream.use(fault())
    const run = await runDoctorOn(upstream, { environment })
    expect(run.statuses).toMatchObject({ 'token address': 'ok', key: 'ok', 'token stt': 'ok' })
  })

  it('prints no text of the service, even if it repeats the key', async () => {
    const key = 'vk_echoed_8Zr1LkQ0pWm3'
    await using service = await startService((request, response) => {
      response.writeHead(418, { 'content-type': 'application/json', 'x-key': key })
      const error_code = `SEEN_${key.toUpperCase()}`
      response.end(
        JSON.stringify({ code: 1, error_code, message: `${request.headers.authorization}`, req_id: key }),
      )
    })
    const address = { VOICE_BASE_URL: service.url, VOICE_STREAMING_URL: service.url.replace('http', 'ws') }
    const run = await runDoctorOn(undefined, {
      environment: { VOICE_API_KEY: key, ...address },
      secrets: [key],
    })
    expect(run.exitCode).toBe(1)
    expect(run.check('key')).toMatchObject({ status: 'fail' })
    expect(run.output.toLowerCase()).not.toContain('8zr1lkq0')
  })
})
