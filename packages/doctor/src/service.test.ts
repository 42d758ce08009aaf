import { respond, createEmulator, fail, hang, malformed } from '@stagepass/emulator'
import { startService } from '@stagepass/testing'
import { describe, expect, it } from 'vitest'
import { noWaits, runDoctorOn, withoutMeetings } from './doctor.test.kit.js'
import { startForeign } from './services.test.kit.js'

const environment = withoutMeetings

describe.concurrent('the service', () => {
  it('finds nothing to do on a service that works', async () => {
    await using upstream = await createEmulator()
    const run = await runDoctorOn(upstream, { environment })
    expect(run.statuses).toEqual({
      'token address': 'ok',
      clock: 'ok',
      key: 'ok',
      'token stt': 'ok',
      'token tts': 'ok',
      'token viva': 'ok',
      'token vt': 'ok',
      'stream address': 'ok',
      'wrong token': 'ok',
      'handshake header': 'ok',
      'stream stt': 'ok',
      'stream tts': 'ok',
      'stream viva': 'ok',
      'stream vt': 'ok',
      'second session': 'ok',
      expiry: 'skipped',
      meetings: 'skipped',
    })
    expect(run.exitCode).toBe(0)
    expect(run.check('expiry').advice).toContain('--expiry')
    expect(run.check('meetings').advice).toContain('VOICE_MEETINGS_TOKEN')
    // Nothing stays open, and each product got the shortest life.
    expect(upstream.sockets).toEqual([])
    const lives = upstream.tokens.all().map((row) => row.expiresAtMs - row.issuedAtMs)
    expect(new Set(lives)).toEqual(new Set([300_000]))
  })

  it.each([
    ['status', 'HTTP status 403', expect.stringContaining('/handshake-check')],
    ['frame', 'an error message after the open', undefined],
    ['close', 'a close with the code 1008', undefined],
  ] as const)('tells that a wrong token is refused by %s', async (refuseBy, form, advice) => {
    await using upstream = await createEmulator({ refuseBy })
    const run = await runDoctorOn(upstream, { environment })
    const wrong = run.check('wrong token')
    expect(wrong).toMatchObject({ status: 'ok', seen: `It is refused by ${form}, unauthorized.` })
    expect(wrong.advice).toEqual(advice)
    expect(run.exitCode).toBe(0)
  })

  it.each([
    [
      true,
      'An open WebSocket is closed at expiry. A handshake with the expired token is refused',
      "By default a stream reconnects then, with a short gap. rollover: 'seamless' opens the next connection first.",
    ],
    [
      false,
      'An open WebSocket stays open at expiry. A handshake with the expired token is refused',
      undefined,
    ],
  ])('waits for the expiry with --expiry (cut at expiry: %s)', async (cutAtExpiry, seen, advice) => {
    await using upstream = await createEmulator({ cutAtExpiry })
    const waits: number[] = []
    const sleep = async (ms: number): Promise<void> => {
      waits.push(ms)
      upstream.clock.advance(ms)
    }
    const run = await runDoctorOn(upstream, {
      argv: ['--json', '--expiry'],
      environment,
      sleep,
    })
    expect(run.check('expiry')).toMatchObject({ status: 'ok' })
    expect(run.check('expiry').seen).toContain(seen)
    expect(run.check('expiry').advice).toBe(advice)
    expect(waits.at(-1)).toBeGreaterThan(240_000)
    expect(waits.at(-1)).toBeLessThan(360_000)
  })

  it.each([
    [600_000, 'behind'],
    [-600_000, 'ahead of'],
  ])('tells that the clocks differ by 10 minutes (%s ms)', async (offsetMs, side) => {
    await using upstream = await createEmulator({ now: () => Date.now() + offsetMs })
    const run = await runDoctorOn(upstream, { environment })
    expect(run.check('clock')).toMatchObject({
      status: 'warn',
      seen: `This machine's clock is 10 min ${side} the service's.`,
      advice: expect.stringContaining('NTP') as string,
    })
    // The life of a token is measured on one clock.
    expect(run.check('token stt')).toMatchObject({
      status: 'ok',
      seen: expect.stringContaining('lives 5 min') as string,
    })
    expect(run.exitCode).toBe(0)
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
    // One without a key, and one with it.
    expect(upstream.counts.token).toBe(2)
  })

  it('tells a product that the plan does not have from a key that is wrong', async () => {
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
      'second session': 'ok',
    })
    expect(run.check('token stt').advice).toContain('add it to the plan')
    expect(run.exitCode).toBe(0)
  })

  it('finds an account with one session only', async () => {
    await using upstream = await createEmulator({ maxSessions: 1 })
    const run = await runDoctorOn(upstream, { environment, sleep: noWaits })
    expect(run.statuses).toMatchObject({ 'handshake header': 'ok', 'stream stt': 'ok', 'stream vt': 'ok' })
    const second = run.check('second session')
    expect(second.status).toBe('warn')
    expect(second.seen).toContain('Only one session at a time')
    expect(second.advice).toContain('ask the service for more sessions')
    expect(run.exitCode).toBe(0)
  })

  it('tells that the service is slow', async () => {
    await using upstream = await createEmulator({ latency: { ms: 150 } })
    const run = await runDoctorOn(upstream, { environment, limits: { slowMs: 100 } })
    for (const name of ['token address', 'token vt', 'stream stt']) {
      expect(run.check(name)).toMatchObject({ status: 'warn' })
      expect(run.check(name).seen).toContain('That is slow.')
    }
    expect(run.check('token address').advice).toContain('a region near you')
    expect(run.exitCode).toBe(0)
  })

  it('ends, and says so, if nothing answers in time', async () => {
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

  it('tells that nothing listens', async () => {
    const gone = await createEmulator()
    await gone.close()
    const run = await runDoctorOn(gone, { environment })
    expect(run.check('token address')).toMatchObject({ status: 'fail' })
    expect(run.check('token address').seen).toContain('refused the connection')
  })

  it.each([
    ['CACHE_UNAVAILABLE', () => fail('CACHE_UNAVAILABLE', { times: 2 })],
    ['an unknown 429', () => respond({ status: 429 }, { on: 'token', times: 2 })],
  ])('asks again for a token after %s', async (_, fault) => {
    await using upstream = await createEmulator()
    upstream.use(fault())
    const run = await runDoctorOn(upstream, { environment, sleep: noWaits })
    expect(run.statuses).toMatchObject({ 'token address': 'ok', key: 'ok', 'token stt': 'ok' })
  })

  it('waits for a session of its own that the service has not ended yet', async () => {
    await using service = await startForeign(() => undefined, { sessions: 1, lateEnds: 2 })
    const waits: number[] = []
    const sleep = async (ms: number): Promise<void> => void waits.push(ms)
    const run = await runDoctorOn(undefined, { environment: service.environment, sleep })
    expect(run.statuses).toMatchObject({ 'handshake header': 'ok', 'stream stt': 'ok', 'stream vt': 'ok' })
    expect(run.check('second session').seen).toContain('Only one session at a time')
    expect(waits.slice(0, 2)).toEqual([1_000, 3_000])
  })

  it('tells that all sessions are in use, after 10 s and once', async () => {
    await using service = await startForeign(() => undefined, { sessions: 0 })
    const waits: number[] = []
    const sleep = async (ms: number): Promise<void> => void (ms < 1_000 || waits.push(ms))
    const run = await runDoctorOn(undefined, { environment: service.environment, sleep })
    expect(run.check('handshake header')).toMatchObject({ status: 'fail' })
    expect(run.check('stream vt').advice).toContain('All sessions of the account are in use')
    expect(waits).toEqual([1_000, 3_000, 6_000])
  })

  it('finds that an account has two sessions, also if one of its own has not ended yet', async () => {
    await using service = await startForeign(() => undefined, { sessions: 2, lateEnds: 2 })
    const run = await runDoctorOn(undefined, { environment: service.environment, sleep: noWaits })
    expect(run.check('second session')).toMatchObject({
      status: 'ok',
      seen: 'Two WebSockets are open at once.',
    })
  })

  it('sees a refusal that comes some time after the open', async () => {
    await using service = await startForeign(() => undefined, { refusesAfterMs: 400 })
    const run = await runDoctorOn(undefined, { environment: service.environment, limits: { settleMs: 50 } })
    expect(run.check('stream address')).toMatchObject({ status: 'ok' })
    expect(run.check('wrong token').seen).toBe('It is refused by a close with the code 4403, unauthorized.')
    expect(run.check('stream stt')).toMatchObject({ status: 'ok' })
  })

  it('waits as long for the refusal of a good token as for that of none', async () => {
    await using service = await startForeign(() => undefined, { refusesAfterMs: 400, sessions: 0 })
    const run = await runDoctorOn(undefined, {
      environment: service.environment,
      limits: { settleMs: 50 },
      sleep: noWaits,
    })
    expect(run.check('handshake header').seen).toContain('concurrency_limit_exceeded')
  })

  it('prints nothing of what the other side says, not even if that repeats the key', async () => {
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
