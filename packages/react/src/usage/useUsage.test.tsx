import { act, waitFor } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'
import { clientOf, type VoiceClient, type VoiceClientOptions } from '../client/createVoiceClient.js'
import { createVirtualVoice } from '../virtual/createVirtualVoice.test.kit.js'
import { setupVoice, type VoiceSetup } from '../testing/setupVoice.test.kit.js'
import { sessionTokenOptions } from '../token/sessionTokenOptions.js'
import { tokenSource, tokensOf } from '../token/tokensOf.js'
import { useStream } from '../stream/useStream.js'
import { useSessionToken } from '../token/useSessionToken.js'
import { useUsage } from './useUsage.js'

const MINUTE_MS = 60_000

const NOTHING_USED = { used_ms: 0, reserved_ms: 0, limit_ms: null, resets_at: '2026-01-02T00:00:00.000Z' }

/** A page of ada, and its requests to `/usage`. */
async function setUp(
  usage: { minutesPerDay?: number; minutesPerMonth?: number } | undefined = { minutesPerDay: 20 },
  client: Partial<VoiceClientOptions> = {},
) {
  const setup = await setupVoice({ emulator: { echo: true }, client })
  const { stack } = setup
  stack.grant = { user: 'ada', usage }
  const sent: string[] = []
  stack.intercept((req, _res, next) => {
    if (req.path === '/usage') sent.push(req.method)
    next()
  })
  const settled = () => stack.events.flatMap((event) => (event.type === 'usage.settled' ? [event] : []))
  return { ...setup, sent, settled, [Symbol.asyncDispose]: () => setup[Symbol.asyncDispose]() }
}

/** Waits until the source has a token. */
async function heldBy(voice: VoiceClient) {
  const source = tokensOf(clientOf(voice), 'stt')
  await waitFor(() => expect(source.current()).toBeDefined())
  return source
}

it.each([
  [{ minutesPerMonth: 30 }, [30 * MINUTE_MS, 120 * MINUTE_MS]],
  [{ minutesPerDay: 20 }, [null, null]],
])('with %j it says what is left of the month, of a product and of all', async (usage, left) => {
  await using page = await setUp(usage)
  const { result } = page.render(() => [useUsage('stt').monthLeftMs, useUsage().monthLeftMs])
  await waitFor(() => expect(result.current).toEqual(left))
})

describe('a stream of a user whose minutes are counted', () => {
  it('reports when it ends, once, and its token is not used again', async () => {
    await using page = await setUp()
    const beganAt = performance.now()
    const { result, rerender } = page.render(({ enabled }) => useStream('stt', { enabled }), {
      initialProps: { enabled: true },
    })
    await waitFor(() => expect(result.current.status).toBe('open'))
    expect(page.sent).toEqual([])
    rerender({ enabled: false })
    await waitFor(() => expect(page.settled()).toHaveLength(1))
    const [settled] = page.settled()
    expect(settled).toMatchObject({ by: 'report', product: 'stt', reservedMs: 10 * MINUTE_MS })
    expect(settled?.usedMs).toBeGreaterThanOrEqual(0)
    expect(settled?.usedMs).toBeLessThanOrEqual(performance.now() - beganAt)
    expect(tokenSource(page.voice, 'stt').current()).toBeUndefined()
    rerender({ enabled: true })
    await waitFor(() => expect(result.current.status).toBe('open'))
    expect(page.stack.upstream.tokens.all()).toHaveLength(2)
    expect(page.sent).toEqual(['POST'])
  })

  it('reports a token that is replaced; later time counts for the next one', async () => {
    await using page = await setUp()
    const { result, unmount } = page.render(() => useStream('stt'))
    await waitFor(() => expect(result.current.status).toBe('open'))
    await act(() => tokenSource(page.voice, 'stt').renew())
    await waitFor(() => expect(page.settled()).toHaveLength(1))
    unmount()
    await waitFor(() => expect(page.settled()).toHaveLength(2))
    expect(page.settled().map(({ by }) => by)).toEqual(['report', 'report'])
  })

  it('does not report while another stream may use the token', async () => {
    await using page = await setUp()
    const { result, rerender, unmount } = page.render(
      ({ enabled }) => [useStream('stt', { key: 'a' }), useStream('stt', { key: 'b', enabled })] as const,
      { initialProps: { enabled: true } },
    )
    await waitFor(() => expect(result.current.map(({ status }) => status)).toEqual(['open', 'open']))
    rerender({ enabled: false })
    await waitFor(() => expect(page.stack.upstream.sockets).toHaveLength(1))
    expect(page.sent).toEqual([])
    unmount()
    await waitFor(() => expect(page.settled()).toHaveLength(1))
  })

  it('repeats a report that could not be counted', async () => {
    await using page = await setUp()
    const { result, unmount } = page.render(() => useStream('stt'))
    await waitFor(() => expect(result.current.status).toBe('open'))
    const undo = page.stack.intercept((req, res, next) => {
      if (req.path !== '/usage') return next()
      undo()
      res.status(503).set('retry-after', '0').send('out of order')
    })
    unmount()
    await waitFor(() => expect(page.settled()).toMatchObject([{ by: 'report' }]))
  })

  it('reports when the page is left', async () => {
    await using page = await setUp()
    const { result } = page.render(() => useStream('stt'))
    await waitFor(() => expect(result.current.status).toBe('open'))
    act(() => void window.dispatchEvent(new Event('pagehide')))
    await waitFor(() => expect(page.settled()).toMatchObject([{ by: 'report' }]))
  })

  it('S45 reports all tokens of warm as unused, also renewed ones', async () => {
    await using page = await setUp()
    const { result } = page.render(() => useStream('stt', { enabled: false, warm: true }))
    const source = await heldBy(page.voice)
    await act(() => source.renew())
    await waitFor(() => expect(page.settled()).toHaveLength(1))
    act(() => void window.dispatchEvent(new Event('pagehide')))
    await waitFor(() => expect(page.settled()).toHaveLength(2))
    const unused = { by: 'report', usedMs: 0, reservedMs: 10 * MINUTE_MS }
    expect(page.settled()).toMatchObject([unused, unused])
    expect(result.current.status).toBe('idle')
  })

  it('S45 reports a token of prepare as unused', async () => {
    await using page = await setUp()
    const { result } = page.render(() => useStream('stt', { enabled: false }))
    act(() => result.current.prepare())
    await heldBy(page.voice)
    act(() => void window.dispatchEvent(new Event('pagehide')))
    await waitFor(() => expect(page.settled()).toMatchObject([{ by: 'report', usedMs: 0 }]))
  })

  it.each<{ what: string; give: (page: VoiceSetup) => unknown }>([
    {
      what: 'useSessionToken',
      give: (page) => page.render(() => useSessionToken('stt', { enabled: false })),
    },
    { what: 'tokenSource().current', give: ({ voice }) => tokenSource(voice, 'stt').current() },
    { what: 'tokenSource().state', give: ({ voice }) => tokenSource(voice, 'stt').state() },
    { what: 'tokenSource().get', give: ({ voice }) => tokenSource(voice, 'stt').get() },
    {
      what: 'sessionTokenOptions',
      give: async ({ queryClient, voice }) =>
        (await queryClient.fetchQuery(sessionTokenOptions(voice, 'stt'))).token,
    },
  ])('S45 gives nothing back of a token that $what has given out', async ({ give }) => {
    await using page = await setUp()
    page.render(() => useStream('stt', { enabled: false, warm: true }))
    const source = await heldBy(page.voice)
    await act(async () => void (await give(page)))
    // A report would be sent in the task of the event.
    const request = vi.spyOn(globalThis, 'fetch')
    act(() => void window.dispatchEvent(new Event('pagehide')))
    expect(source.current()).toBeUndefined()
    expect(request).not.toHaveBeenCalled()
  })

  it('S45 reports a token that is not needed when it ends', async () => {
    const voice = createVirtualVoice({ usage: { stt: NOTHING_USED } })
    void tokensOf(clientOf(voice.client), 'stt').get()
    await voice.advance(24 * 60 * MINUTE_MS)
    const reports = voice.service.requests.filter(({ path }) => path === '/usage')
    expect(reports).toHaveLength(1)
    expect(voice.timers).toBe(0)
  })

  it.each([
    [{ usage: { minutesPerDay: 4 } }, 'USAGE_EXHAUSTED', 'Your minutes are used up.'],
    [
      { accountUsage: { minutesPerMonth: 4 } },
      'ACCOUNT_USAGE_EXHAUSTED',
      'The minutes of your company are used up. Ask your company for more.',
    ],
  ])(
    'fails with the words for it if %j is used up, and sends nothing again',
    async (minutes, code, message) => {
      await using page = await setUp()
      page.stack.grant = { user: 'ada', ...minutes }
      const { result } = page.render(() => useStream('stt'))
      await waitFor(() => expect(result.current.status).toBe('failed'))
      expect(result.current.error).toMatchObject({ code, message, retryable: false })
      expect(page.asked).toHaveLength(1)
    },
  )
})

describe('without usage in the grant', () => {
  it('a stream sends no report, and keeps its token', async () => {
    await using page = await setUp(undefined)
    page.stack.grant = { user: 'ada' }
    const { result, unmount } = page.render(() => useStream('stt'))
    await waitFor(() => expect(result.current.status).toBe('open'))
    unmount()
    await waitFor(() => expect(page.stack.upstream.sockets).toHaveLength(0))
    expect(tokenSource(page.voice, 'stt').current()).toBeDefined()
    expect(page.sent).toEqual([])
  })

  it('useUsage has no numbers', async () => {
    await using page = await setUp(undefined)
    page.stack.grant = { user: 'ada' }
    const { result } = page.render(() => useUsage('stt'))
    await waitFor(() => expect(result.current.status).toBe('success'))
    expect(result.current).toMatchObject({ usedMs: undefined, limitMs: undefined, resetsAt: undefined })
  })
})

describe('useUsage', () => {
  it('requests once, and knows the minutes that a token reserves and a report returns', async () => {
    await using page = await setUp()
    const { result, rerender } = page.render(
      ({ enabled }) => ({ usage: useUsage('stt'), all: useUsage(), stream: useStream('stt', { enabled }) }),
      { initialProps: { enabled: false } },
    )
    await waitFor(() => expect(result.current.usage).toMatchObject({ usedMs: 0, reservedMs: 0 }))
    expect(result.current.usage.limitMs).toBe(20 * MINUTE_MS)
    expect(result.current.all.limitMs).toBe(4 * 20 * MINUTE_MS)
    expect(result.current.usage.resetsAt?.toISOString()).toMatch(/T00:00:00\.000Z$/)
    expect(page.sent).toEqual(['GET'])
    rerender({ enabled: true })
    await waitFor(() => expect(result.current.stream.status).toBe('open'))
    await waitFor(() => expect(result.current.usage.reservedMs).toBeGreaterThan(9 * MINUTE_MS))
    // The numbers continue without a request.
    const asked = page.sent.length
    await waitFor(() => expect(result.current.usage.usedMs).toBeGreaterThan(1_000))
    expect(page.sent).toHaveLength(asked)
    rerender({ enabled: false })
    await waitFor(() => expect(result.current.usage.reservedMs).toBe(0))
    expect(result.current.usage.usedMs).toBeGreaterThan(1_000)
    expect(page.sent).toEqual(['GET', 'GET', 'POST'])
  })

  it('keeps the numbers when it fails, and asks again by refetch', async () => {
    await using page = await setUp()
    const { grant } = page.stack
    page.stack.grant = null
    const { result } = page.render(() => useUsage('stt'))
    await waitFor(() => expect(result.current.error?.code).toBe('UNAUTHENTICATED'))
    expect(result.current).toMatchObject({ status: 'error', usedMs: undefined })
    page.stack.grant = grant
    await act(() => result.current.refetch())
    await waitFor(() => expect(result.current).toMatchObject({ status: 'success', error: null, usedMs: 0 }))
    page.stack.grant = null
    await act(() => result.current.refetch())
    await waitFor(() => expect(result.current).toMatchObject({ status: 'error', usedMs: 0 }))
  })

  it('a token that no stream has used is not reported: the application may use it', async () => {
    await using page = await setUp()
    const { result, unmount } = page.render(() => useSessionToken('stt'))
    await waitFor(() => expect(result.current.status).toBe('success'))
    unmount()
    page.voice.reset()
    expect(page.sent).toEqual([])
  })
})
