import { focusManager } from '@tanstack/react-query'
import { act, cleanup, waitFor } from '@testing-library/react'
import { afterEach, describe, expect, it } from 'vitest'
import { clientOf, createVoiceClient } from '../client/createVoiceClient.js'
import { useTags } from '../meetings/useTags.js'
import { openStream } from '../stream/joinStream.test.kit.js'
import { setupVoice, type VoiceSetup } from '../testing/setupVoice.test.kit.js'
import { sourceOf } from '../token/sourceOf.test.kit.js'
import { createVirtualPlatform } from '../virtual/createVirtualPlatform.test.kit.js'

afterEach(() => {
  cleanup()
  focusManager.setFocused(undefined)
})

/** The server accepts the access token `good`. `renew` is the page's answer to a refusal. */
async function setUp(first: string, renew: () => string | Promise<string>) {
  const asked: unknown[] = []
  let current = first
  const setup: VoiceSetup = await setupVoice({
    bff: {
      authorize: (req) => (req.get('authorization') === 'Bearer good' ? setup.stack.grant : null),
    },
    client: {
      async headers(request) {
        asked.push(request)
        if (request.refused) current = await renew()
        return { authorization: `Bearer ${current}` }
      },
    },
  })
  return {
    ...setup,
    sent: setup.asked,
    calls: asked,
    [Symbol.asyncDispose]: () => setup[Symbol.asyncDispose](),
  }
}

describe('headers that the server refuses', () => {
  it('are asked for again, and the request is sent once more', async () => {
    await using page = await setUp('old', () => 'good')
    const { request } = clientOf(page.voice)
    await expect(request({ route: '/tags' })).resolves.toBeDefined()
    expect(page.calls).toEqual([{ refused: false }, { refused: true }])
    expect(page.sent).toEqual(['/tags', '/tags'])
    expect(page.events).toEqual([])
    await request({ route: '/tags' })
    expect(page.calls.slice(2)).toEqual([{ refused: false }])
  })

  it('are asked for once more only', async () => {
    await using page = await setUp('old', () => 'older')
    await expect(clientOf(page.voice).request({ route: '/tags' })).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
    })
    expect(page.sent).toEqual(['/tags', '/tags'])
  })

  it('are asked for once, if several requests are refused together', async () => {
    let release: (value: string) => void = () => {}
    const good = new Promise<string>((resolve) => (release = resolve))
    await using page = await setUp('old', () => good)
    const { request } = clientOf(page.voice)
    const three = Promise.all([1, 2, 3].map(() => request({ route: '/tags' })))
    await waitFor(() => expect(page.sent).toHaveLength(3))
    await waitFor(() => expect(page.calls).toContainEqual({ refused: true }))
    release('good')
    await three
    expect(page.calls.filter((call) => (call as { refused: boolean }).refused).length).toBeLessThanOrEqual(2)
  })

  it('are asked for again, if the function has not answered in the time of a request', async () => {
    const platform = createVirtualPlatform()
    const calls: boolean[] = []
    const client = createVoiceClient({
      url: '/api/voice',
      platform,
      headers: ({ refused }) => {
        calls.push(refused)
        // The first renewal never ends.
        if (refused && calls.filter(Boolean).length === 1) return new Promise(() => {})
        return { authorization: refused ? 'new' : 'old' }
      },
      fetch: (_, init) =>
        Promise.resolve(
          new Headers(init?.headers).get('authorization') === 'new'
            ? new Response('{"tags":[]}')
            : new Response('{"error_code":"UNAUTHENTICATED","retryable":false}', { status: 401 }),
        ),
    })
    const ask = () => Promise.allSettled([clientOf(client).request({ route: '/tags' })])
    const [first, second] = [ask(), ask()]
    await waitFor(() => expect(calls).toContain(true))
    await platform.advance(12_000)
    expect(await first).toMatchObject([{ reason: { code: 'NETWORK_ERROR' } }])
    expect(await second).toMatchObject([{ reason: { code: 'NETWORK_ERROR' } }])
    // Both waited for one renewal.
    expect(calls).toEqual([false, false, true])
    expect(await ask()).toMatchObject([{ status: 'fulfilled' }])
  })

  it('are sent once, if they are no function: nothing new can come', async () => {
    await using setup = await setupVoice({
      bff: { authorize: () => null },
      client: { headers: { authorization: 'Bearer old' } },
    })
    await expect(clientOf(setup.voice).request({ route: '/tags' })).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
    })
    expect(setup.asked).toEqual(['/tags'])
  })
})

describe('after the same user has signed in again', () => {
  it.each(['visible', 'focus', 'pageshow', 'online'] as const)(
    'a token and a stream that were refused try again when the page comes back: %s',
    async (reason) => {
      const { voice, stream } = openStream()
      voice.service.failToken('UNAUTHENTICATED', { times: 2 })
      await voice.advance(10_000)
      expect(stream.snapshot()).toMatchObject({ status: 'failed', error: { code: 'UNAUTHENTICATED' } })
      expect(voice.service.requests).toHaveLength(1)
      voice.wake(reason)
      await voice.advance(1_000)
      expect(stream.snapshot().status).toBe('failed')
      voice.wake(reason)
      await voice.advance(2_000)
      expect(stream.snapshot().status).toBe('open')
      expect(voice.service.requests).toHaveLength(3)
    },
  )

  it('they try again when another request succeeds', async () => {
    const { voice, stream } = openStream()
    const tts = sourceOf(voice.client, 'tts')
    tts.retain()
    voice.service.failToken('UNAUTHENTICATED', { times: 2 })
    await voice.advance(10_000)
    expect([stream.snapshot().status, tts.state().status]).toEqual(['failed', 'error'])
    void clientOf(voice.client).request({ route: '/meetings' })
    await voice.advance(1_500)
    expect([stream.snapshot().status, tts.state().status]).toEqual(['open', 'success'])
    const sent = voice.service.requests.length
    void clientOf(voice.client).request({ route: '/meetings' })
    await voice.advance(1_500)
    expect(voice.service.requests).toHaveLength(sent + 1)
  })

  it('another final error is not tried again', async () => {
    const { voice, stream } = openStream()
    voice.service.failToken('FORBIDDEN')
    await voice.advance(1_000)
    voice.wake('visible')
    await voice.advance(1_000)
    expect(stream.snapshot().status).toBe('failed')
    expect(voice.service.requests).toHaveLength(1)
  })

  it('a list that was refused is requested again when the page is visible, and one that was not is not', async () => {
    await using setup = await setupVoice()
    const { grant } = setup.stack
    setup.stack.grant = null
    const { result } = setup.render(() => useTags())
    await waitFor(() => expect(result.current.error).toMatchObject({ code: 'UNAUTHENTICATED' }))
    setup.stack.grant = grant
    const front = (): void =>
      act(() => {
        focusManager.setFocused(false)
        focusManager.setFocused(true)
      })
    front()
    await waitFor(() => expect(result.current.status).toBe('success'))
    const sent = setup.asked.length
    front()
    expect(setup.queryClient.isFetching()).toBe(0)
    expect(setup.asked).toHaveLength(sent)
  })
})
