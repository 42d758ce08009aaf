import { describe, expect, it } from 'vitest'
import { clientOf } from '../../client/createVoiceClient.js'
import { tokensOf } from '../../token/tokensOf.js'
import { createVirtualVoice, type VirtualVoiceOptions } from '../../virtual/createVirtualVoice.test.kit.js'
import { eventsOf, joinStream, openStream } from '../joinStream.test.kit.js'
import { streamsOf } from '../streamsOf.js'
import { setup, setupQueued } from './leasePage.test.kit.js'

/** A stream that has a user watches for sleep. */
const WATCH = 1

describe('a BFF that does not share sessions', () => {
  it('gets no request and no field that it did not get before', async () => {
    const { voice, stream } = openStream()
    await voice.advance(50)
    stream.leave()
    await voice.advance(60_000)
    expect(voice.service.requests.map(({ path }) => path)).toEqual(['/session-token'])
    expect(voice.service.sessions.requests).toEqual([])
    expect(voice.timers).toBe(0)
  })
})

describe('a session of the account', () => {
  it('comes with the first token, is renewed while the stream is open, and is given back at its end', async () => {
    const { voice, sessions, paths, stream } = setup()
    await voice.advance(50)
    expect([stream.snapshot().status, paths()]).toEqual(['open', ['/session-token']])
    await voice.advance(30_000)
    expect(sessions.requests).toMatchObject([
      { method: 'POST', id: 'session-1', body: { holds: 'open' } },
      { method: 'POST', id: 'session-1', body: { holds: 'open' } },
      { method: 'POST', id: 'session-1', body: { holds: 'open' } },
    ])
    expect(sessions.requests.map(({ body }) => body)).not.toContainEqual(
      expect.objectContaining({ hidden: true }),
    )
    stream.close()
    await voice.advance(50)
    expect(sessions.requests.at(-1)).toMatchObject({ method: 'DELETE', id: 'session-1' })
    expect([sessions.leases, voice.timers]).toEqual([[], WATCH])
    expect(eventsOf(voice, 'stream.queued')).toEqual([])
    expect(voice.events.filter(({ type }) => type === 'request.failed')).toEqual([])
  })

  it('is given back after the close event of its socket, and not with the close', async () => {
    const { voice, sessions, stream } = setup()
    await voice.advance(50)
    voice.service.connections[0]?.delayClose()
    stream.close()
    await voice.advance(5_000)
    expect(sessions.leases).toEqual(['session-1'])
    voice.service.connections[0]?.answerClose()
    await voice.advance(100)
    expect([sessions.leases, voice.timers]).toEqual([[], WATCH])
  })

  it('is kept by a stream that is opened again before the close event', async () => {
    const { voice, sessions, stream } = setup()
    await voice.advance(50)
    voice.service.connections[0]?.delayClose()
    stream.close()
    await voice.advance(500)
    stream.open()
    await voice.advance(60_000)
    expect([stream.snapshot().status, sessions.leases]).toEqual(['open', ['session-1']])
  })

  it('is one for reconnects, fresh tokens and a rollover', async () => {
    const { voice, sessions, stream } = setup(4, 0, { rollover: 'seamless' }, { ttlMs: 300_000 })
    await voice.advance(50)
    voice.service.connections[0]?.close(1001)
    await voice.advance(5_000)
    voice.service.refuse('unauthorized', { by: 'close' })
    voice.service.connections.at(-1)?.close(1001)
    await voice.advance(600_000)
    expect(stream.snapshot().status).toBe('open')
    expect(eventsOf(voice, 'stream.rolled_over').length).toBeGreaterThan(0)
    expect(sessions.leases).toEqual(['session-1'])
    expect(sessions.requests.every(({ id }) => id === 'session-1')).toBe(true)
  })

  it('gives no other one to a standby while others wait', async () => {
    const { voice, stream } = setup(4, 3, { rollover: 'seamless' }, { ttlMs: 300_000 })
    await voice.advance(280_000)
    expect(stream.snapshot().status).toBe('open')
    expect(eventsOf(voice, 'stream.rolling_over')).toEqual([])
    expect(voice.service.handshakes).toHaveLength(1)
    await voice.advance(20_000)
    expect([stream.snapshot().status, voice.service.handshakes.length]).toEqual(['open', 2])
  })

  it('says when the page is hidden, and is renewed when it comes to the front', async () => {
    const { voice, sessions } = setup()
    await voice.advance(50)
    voice.setVisible(false)
    await voice.advance(50)
    expect(sessions.requests).toMatchObject([{ id: 'session-1', body: { hidden: true } }])
    voice.setVisible(true)
    await voice.advance(50)
    expect(sessions.requests.at(-1)?.body).toEqual({ holds: 'open' })
  })

  it('is renewed by a message if the timer is late', async () => {
    const { voice, sessions } = setup(4, 0, {}, { throttles: true })
    await voice.advance(50)
    voice.setVisible(false)
    for (let second = 0; second < 50; second += 1) {
      await voice.advance(1_000)
      voice.service.connections[0]?.send('{"text":"hello"}')
    }
    expect(sessions.requests.map(({ at }) => Math.round(at / 1_000))).toEqual([1, 12, 23, 34, 45])
  })

  it('that the store has lost is asked for again, and the open socket stays', async () => {
    const { voice, sessions, stream } = setup()
    await voice.advance(50)
    sessions.flush()
    await voice.advance(10_100)
    expect([stream.snapshot().status, sessions.leases]).toEqual(['open', ['session-2']])
    sessions.flush()
    sessions.take(4)
    await voice.advance(60_000)
    expect([stream.snapshot().status, sessions.queue]).toEqual(['open', ['session-3']])
    expect(voice.service.handshakes).toHaveLength(1)
    sessions.take(-1)
    await voice.advance(2_000)
    expect([stream.snapshot().status, sessions.leases.at(-1)]).toEqual(['open', 'session-3'])
  })

  it('survives failed renewals', async () => {
    const { voice, sessions, stream } = setup()
    await voice.advance(50)
    voice.service.unreachable = true
    await voice.advance(20_000)
    voice.service.unreachable = false
    await voice.advance(4_000)
    expect([stream.snapshot().status, sessions.leases]).toEqual(['open', ['session-1']])
  })

  it('that the server ends makes the stream fail, with the reason of the host', async () => {
    const { voice, sessions, stream } = setup()
    await voice.advance(50)
    sessions.end('session-1')
    sessions.isEnding = true
    await voice.advance(10_100)
    expect(stream.snapshot()).toMatchObject({
      status: 'failed',
      error: { code: 'ENDED_BY_SERVER', retryable: false, message: 'The lesson is over.' },
    })
    expect(voice.service.connections.every(({ status }) => status === 'closed')).toBe(true)
    await voice.advance(600_000)
    expect([sessions.requests.length, voice.timers]).toEqual([1, WATCH])
    stream.open()
    await voice.advance(50)
    expect(stream.snapshot()).toMatchObject({ status: 'failed', error: { code: 'ENDED_BY_SERVER' } })
    sessions.isEnding = false
    stream.open()
    await voice.advance(1_050)
    expect(stream.snapshot().status).toBe('open')
  })

  it('ends with the login, when another user may have the session', async () => {
    const { voice, sessions, stream } = setup()
    await voice.advance(50)
    sessions.isSignedOut = true
    await voice.advance(24_900)
    expect(stream.snapshot().status).toBe('open')
    await voice.advance(200)
    expect(stream.snapshot()).toMatchObject({ status: 'failed', error: { code: 'UNAUTHENTICATED' } })
    expect(sessions.leases).toEqual([])
    expect(voice.service.connections.every(({ status }) => status === 'closed')).toBe(true)
    await voice.advance(600_000)
    expect([sessions.requests.length, voice.timers]).toEqual([4, WATCH])
    sessions.isSignedOut = false
    stream.open()
    await voice.advance(1_050)
    expect(stream.snapshot().status).toBe('open')
  })

  it('stays through some 401s, and counts again after each success', async () => {
    const { voice, sessions, stream } = setup()
    await voice.advance(50)
    for (let mishap = 0; mishap < 3; mishap += 1) {
      sessions.isSignedOut = true
      await voice.advance(14_000)
      sessions.isSignedOut = false
      await voice.advance(16_000)
    }
    expect([stream.snapshot().status, sessions.leases]).toEqual(['open', ['session-1']])
  })

  it('that is lost, and asked for again without a login, ends too', async () => {
    const { voice, sessions, stream } = setup()
    await voice.advance(50)
    sessions.flush()
    sessions.take(4)
    await voice.advance(12_000)
    expect(stream.snapshot().status).toBe('open')
    sessions.isSignedOut = true
    await voice.advance(1_100)
    expect(stream.snapshot()).toMatchObject({ status: 'failed', error: { code: 'UNAUTHENTICATED' } })
  })

  it('is given back as the page goes', async () => {
    const { voice, sessions } = setup()
    await voice.advance(50)
    voice.suspend('pagehide')
    await voice.advance(10)
    expect(sessions.requests).toMatchObject([{ method: 'DELETE', id: 'session-1' }])
    voice.wake('pageshow')
    await voice.advance(50)
    expect(sessions.leases).toEqual(['session-2'])
  })

  it('is given back when the user changes', async () => {
    const { voice, sessions } = setup()
    await voice.advance(50)
    voice.client.reset()
    await voice.advance(100)
    expect([sessions.leases, voice.timers]).toEqual([[], 0])
  })

  it('is one for each of two streams of a product', async () => {
    const { voice, sessions } = setup()
    const second = streamsOf(clientOf(voice.client)).of('stt', 'second')
    second.join({ enabled: true, settings: () => ({}) })
    await voice.advance(100)
    expect(second.snapshot().status).toBe('open')
    expect(sessions.leases).toHaveLength(2)
  })
})

describe('a warm token', () => {
  async function setupWarm(taken: number) {
    const voice = createVirtualVoice()
    const { sessions } = voice.service
    sessions.max = 4
    sessions.take(taken)
    const tokens = tokensOf(clientOf(voice.client), 'stt')
    tokens.retain()
    await voice.advance(50)
    expect(sessions.leases).toHaveLength(taken)
    return { voice, sessions, tokens }
  }

  it('opens at once beside the request for a session, if there is room', async () => {
    const { voice, sessions } = await setupWarm(0)
    const stream = joinStream(voice)
    await voice.advance(5)
    expect(stream.snapshot().status).toBe('open')
    await voice.advance(10)
    expect([sessions.requests.length, sessions.leases]).toEqual([1, ['session-1']])
  })

  it.each([
    ['there may be none', 2, 0],
    ['the answer is old', 0, 60_000],
  ])('asks first if %s', async (_, taken, ageMs) => {
    const { voice, sessions } = await setupWarm(taken)
    await voice.advance(ageMs)
    const stream = joinStream(voice)
    await voice.advance(9)
    expect(voice.service.handshakes).toEqual([])
    await voice.advance(7)
    expect([stream.snapshot().status, sessions.requests.length]).toEqual(['open', 1])
  })

  it('opens without an answer after a second, and asks until it has a lease', async () => {
    const { voice, sessions } = await setupWarm(2)
    sessions.isSilent = true
    const stream = joinStream(voice)
    await voice.advance(999)
    expect(voice.service.handshakes).toEqual([])
    await voice.advance(10)
    expect(stream.snapshot().status).toBe('open')
    sessions.isSilent = false
    await voice.advance(30_000)
    expect(sessions.leases).toHaveLength(3)
  })
})

describe('a stream in the queue', () => {
  it('has a place, no token and no request for one, and opens when it is its turn', async () => {
    const { voice, sessions, stream } = await setupQueued()
    expect(stream.snapshot()).toEqual({
      status: 'queued',
      error: null,
      failureReason: null,
      retryAt: null,
      queue: { place: 1, of: 1 },
    })
    await voice.advance(600_000)
    expect(stream.snapshot()).toMatchObject({ status: 'queued', queue: { place: 1, of: 1 } })
    expect([voice.service.tokensGranted, voice.service.handshakes.length]).toEqual([0, 0])
    expect(eventsOf(voice, 'stream.queued')).toMatchObject([
      { place: 1, of: 1, product: 'stt', key: 'default' },
    ])
    expect(voice.events.map(({ type }) => type)).toEqual(['stream.queued'])
    sessions.take(-1)
    await voice.advance(1_100)
    expect(stream.snapshot()).toMatchObject({ status: 'open', queue: null })
    expect([voice.service.tokensGranted, sessions.queue]).toEqual([1, []])
  })

  it('does not know its place while the store does not answer', async () => {
    const { voice, sessions, stream } = setup(4, 4)
    sessions.knowsPlaces = false
    await voice.advance(50)
    expect(stream.snapshot()).toMatchObject({ status: 'queued', queue: null })
    sessions.knowsPlaces = true
    await voice.advance(1_100)
    expect(stream.snapshot()).toMatchObject({ status: 'queued', queue: { place: 1, of: 1 } })
  })

  it.each([
    ['close()', WATCH, ({ stream }: Page) => stream.close()],
    ['its last user leaves', 0, ({ stream }: Page) => stream.leave()],
    ['another user', 0, ({ voice }: Page) => voice.client.reset()],
  ])('leaves it at once: %s', async (_, timers, act) => {
    const page = await setupQueued()
    act(page)
    // A stream stays for a moment after its last user.
    await page.voice.advance(300)
    expect([page.sessions.queue, page.voice.timers]).toEqual([[], timers])
    expect(page.sessions.requests.at(-1)?.method).toBe('DELETE')
    await page.voice.advance(60_000)
    expect(page.voice.service.tokensGranted).toBe(0)
  })

  it('leaves it also while its question is under way', async () => {
    const { voice, sessions, stream } = await setupQueued()
    await voice.advance(960)
    sessions.take(-1)
    await voice.advance(42)
    expect(sessions.requests.at(-1)?.method).toBe('POST')
    stream.close()
    await voice.advance(1_000)
    expect([sessions.leases.length, sessions.queue, voice.timers]).toEqual([3, [], WATCH])
  })

  it('has a place of its own beside a stream that entered with it', async () => {
    const { voice, sessions, stream, second } = await setupTwo()
    expect(new Set([stream, second].map((one) => one.snapshot().queue?.place))).toEqual(new Set([1, 2]))
    sessions.take(-1)
    await voice.advance(2_000)
    expect(new Set([stream, second].map((one) => one.snapshot().status))).toEqual(new Set(['open', 'queued']))
    expect(new Set(sessions.leases).size).toBe(4)
    expect(sessions.queue).toHaveLength(1)
  })

  it('leaves the token alone that another stream opens with, or has a request under way for', async () => {
    const usage = { stt: { used_ms: 0, reserved_ms: 0, limit_ms: 600_000 } as never }
    const { voice, sessions, stream, second } = await setupTwo({ usage })
    const reports = () => voice.service.requests.filter(({ path }) => path === '/usage')
    sessions.take(-1)
    await voice.advance(2_000)
    const [own, other] = stream.snapshot().status === 'open' ? [stream, second] : [second, stream]
    expect([own.snapshot().status, other.snapshot().status]).toEqual(['open', 'queued'])
    expect([voice.service.tokensGranted, reports()]).toEqual([1, []])
    // The next token of the open stream comes while the other one waits, and leaves.
    voice.service.connections.at(-1)?.close(1001)
    await voice.advance(5_000)
    other.step({ type: 'close' })
    await voice.advance(1_000)
    expect([own.snapshot().status, reports()]).toEqual(['open', []])
  })

  it('goes on through failed answers, and never fails by their number', async () => {
    const { voice, sessions, stream } = await setupQueued()
    voice.service.unreachable = true
    await voice.advance(40_000)
    expect(stream.snapshot().status).toBe('queued')
    voice.service.unreachable = false
    sessions.take(-1)
    await voice.advance(12_000)
    expect(stream.snapshot().status).toBe('open')
  })

  it('gives the warm token back, and none is minted for warm callers', async () => {
    const voice = createVirtualVoice({
      usage: { stt: { used_ms: 0, reserved_ms: 0, limit_ms: 600_000 } as never },
    })
    const { sessions } = voice.service
    sessions.max = 4
    sessions.take(4)
    const tokens = tokensOf(clientOf(voice.client), 'stt')
    tokens.retain()
    await voice.advance(50)
    const stream = joinStream(voice)
    await voice.advance(30_000)
    expect([stream.snapshot().status, tokens.current()]).toEqual(['queued', undefined])
    expect(voice.service.requests.filter(({ path }) => path === '/usage')).toHaveLength(1)
    expect(voice.service.tokensGranted).toBe(1)
    stream.close()
    await voice.advance(50)
    expect(tokens.current()).toBeDefined()
  })

  it('asks at once when the page comes to the front', async () => {
    const { voice, sessions, stream } = await setupQueued()
    sessions.take(-1)
    voice.wake('visible')
    await voice.advance(40)
    expect(stream.snapshot().status).toBe('open')
  })

  it('has its turn while the page is hidden, whose timers run once a minute: the BFF waits', async () => {
    const { voice, sessions, stream } = await setupQueued({}, { throttles: true })
    voice.setVisible(false)
    await voice.advance(3_100)
    const bodies = sessions.requests.map(({ body }) => body)
    expect(bodies).toEqual([
      { usage_type: 'stt', ticket: 'session-1' },
      ...Array.from({ length: 3 }, () => ({ usage_type: 'stt', ticket: 'session-1', after_ms: 1_000 })),
    ])
    sessions.take(-1)
    await voice.advance(1_100)
    expect(stream.snapshot().status).toBe('open')
  })

  it('waits itself again if a hidden page cannot reach the BFF, or comes to the front', async () => {
    const { voice } = await setupQueued()
    const count = () => voice.service.requests.filter(({ path }) => path === '/sessions').length
    voice.service.unreachable = true
    voice.setVisible(false)
    await voice.advance(60_000)
    expect(count()).toBeLessThan(20)
    voice.service.unreachable = false
    voice.setVisible(true)
    await voice.advance(3_000)
    expect(voice.service.requests.at(-1)?.json).not.toHaveProperty('after_ms')
  })

  it('fails if the server has ended the sessions of its user', async () => {
    const { voice, sessions, stream } = await setupQueued()
    sessions.isEnding = true
    await voice.advance(1_100)
    expect(stream.snapshot()).toMatchObject({ status: 'failed', error: { code: 'ENDED_BY_SERVER' } })
    expect(voice.timers).toBe(WATCH)
  })

  it('has no failures from before', async () => {
    const { voice, stream } = await setupQueued()
    voice.suspend('freeze')
    await voice.advance(1_000)
    expect(stream.snapshot().status).toBe('queued')
  })
})

describe('a refused handshake with a lease', () => {
  it('takes the stream to the queue, by one check and without another token', async () => {
    const { voice, sessions, stream } = setup()
    voice.service.maxSessions = 0
    await voice.advance(50)
    expect(stream.snapshot()).toMatchObject({ status: 'queued', queue: { place: 1, of: 1 } })
    expect([voice.service.handshakes.length, voice.service.checks, voice.service.tokensGranted]).toEqual([
      1, 1, 1,
    ])
    voice.service.maxSessions = 1
    await voice.advance(1_100)
    expect([stream.snapshot().status, voice.service.tokensGranted]).toEqual(['open', 2])
    expect(sessions.leases).toEqual(['session-1'])
  })

  it('that has another reason is what it was: a fresh token after `unauthorized`', async () => {
    const { voice, sessions, stream } = setup()
    await voice.advance(14)
    voice.service.revokeTokens()
    await voice.advance(100)
    expect(stream.snapshot().status).toBe('open')
    expect([voice.service.checks, voice.service.tokensGranted, sessions.leases]).toEqual([
      1,
      2,
      ['session-1'],
    ])
  })

  it('fails after a second `unauthorized`', async () => {
    const { voice, stream } = setup()
    voice.service.refuse('unauthorized', { times: 1_000 })
    await voice.advance(60_000)
    expect(stream.snapshot()).toMatchObject({
      status: 'failed',
      error: { code: 'unauthorized', retryable: false },
    })
    expect(voice.service.handshakes).toHaveLength(2)
  })
})

/** A page whose two streams of a product enter the queue in one commit. */
async function setupTwo(options: VirtualVoiceOptions = {}) {
  const { voice, sessions, stream } = setup(4, 4, {}, options)
  const second = streamsOf(clientOf(voice.client)).of('stt', 'second')
  second.join({ enabled: true, settings: () => ({}) })
  await voice.advance(100)
  expect([stream.snapshot().status, second.snapshot().status]).toEqual(['queued', 'queued'])
  return { voice, sessions, stream, second }
}

type Page = Awaited<ReturnType<typeof setupQueued>>
