import { startStack } from '@stagepass/testing'
import { act, cleanup, renderHook, waitFor } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createVoiceClient } from '../../client/createVoiceClient.js'
import type { VoiceEvent } from '../../events/events.js'
import { useStream } from '../useStream.js'
import { pageOf } from '../../client/pageOf.test.kit.js'

afterEach(() => {
  cleanup()
  vi.restoreAllMocks()
})

type Stack = Awaited<ReturnType<typeof startStack>>

/** A page of its own, with one stream. */
function openPage(stack: Stack) {
  const events: VoiceEvent[] = []
  const voice = createVoiceClient({ url: stack.url, onEvent: (event) => events.push(event) })
  const wrapper = pageOf(voice)
  return { events, voice, ...renderHook(() => useStream('stt'), { wrapper }) }
}

describe('two pages and one session of the account', () => {
  it('the second page waits its turn, without a token and without a refused handshake', async () => {
    await using stack = await startStack({ emulator: { maxSessions: 1 }, bff: { sessions: { max: 1 } } })
    const first = openPage(stack)
    await waitFor(() => expect(first.result.current.status).toBe('open'))
    const second = openPage(stack)
    await waitFor(() =>
      expect(second.result.current).toMatchObject({ status: 'queued', queue: { place: 1, of: 1 } }),
    )
    expect(stack.upstream.counts).toMatchObject({ token: 1, handshake: 1 })
    act(() => first.result.current.close())
    await waitFor(() => expect(second.result.current.status).toBe('open'))
    expect(stack.upstream.counts).toMatchObject({ token: 2, handshake: 2 })
    expect(second.events.map(({ type }) => type)).toEqual([
      'stream.queued',
      'token.minted',
      'stream.connecting',
      'stream.opened',
    ])
  })

  it('a page that leaves the queue has no place any longer', async () => {
    await using stack = await startStack({ emulator: { maxSessions: 1 }, bff: { sessions: { max: 1 } } })
    const first = openPage(stack)
    await waitFor(() => expect(first.result.current.status).toBe('open'))
    const [second, third] = [openPage(stack), openPage(stack)]
    await waitFor(() => expect(second.result.current.queue?.of).toBe(2))
    act(() => second.result.current.close())
    await waitFor(() => expect(third.result.current.queue).toEqual({ place: 1, of: 1 }))
    expect(second.result.current).toMatchObject({ status: 'closed', queue: null })
  })

  it('without a number, a refused handshake teaches it, and takes the page to the queue', async () => {
    await using stack = await startStack({ emulator: { maxSessions: 1 }, bff: { sessions: {} } })
    const first = openPage(stack)
    await waitFor(() => expect(first.result.current.status).toBe('open'))
    const second = openPage(stack)
    await waitFor(() => expect(second.result.current.status).toBe('queued'))
    expect(second.result.current.queue).toEqual({ place: 1, of: 1 })
    first.unmount()
    await waitFor(() => expect(second.result.current.status).toBe('open'))
  })

  it('the server ends the stream of a user, with its reason', async () => {
    await using stack = await startStack({ bff: { sessions: { max: 2 } } })
    const page = openPage(stack)
    await waitFor(() => expect(page.result.current.status).toBe('open'))
    const [open] = await stack.bff.sessions()
    await stack.bff.end({ user: open?.user ?? '' }, { reason: 'The lesson is over.' })
    // A page says at once that it is hidden.
    vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden')
    act(() => void document.dispatchEvent(new Event('visibilitychange')))
    await waitFor(() => expect(page.result.current.status).toBe('failed'))
    expect(page.result.current.error).toMatchObject({
      code: 'ENDED_BY_SERVER',
      message: 'The lesson is over.',
    })
  })
})
