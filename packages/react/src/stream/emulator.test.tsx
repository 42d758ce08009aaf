import { cleanup, configure, render, waitFor } from '@testing-library/react'
import { acceptThenClose, fail } from '@stagepass/emulator'
import type { Stack } from '@stagepass/testing'
import { startStack } from '@stagepass/testing'
import { StrictMode } from 'react'
import { afterEach, describe, expect, it } from 'vitest'
import { createVoiceClient } from '../createVoiceClient.js'
import type { VoiceEvent } from '../client/events.js'
import { VoiceProvider } from '../VoiceProvider.js'
import type { UseStreamOptions, UseStreamResult } from './useStream.js'
import { useStream } from './useStream.js'

afterEach(cleanup)

// Real sockets on a busy machine.
configure({ asyncUtilTimeout: 15_000 })

type Result = UseStreamResult<string, string | ArrayBuffer>
type Options = UseStreamOptions<string, string | ArrayBuffer>

function Show({ options, onRender }: { options: Options; onRender: (stream: Result) => void }): null {
  onRender(useStream('stt', options))
  return null
}

function Status(): string {
  return useStream('stt').status
}

/** A page with one stream, on a real BFF and real sockets. */
function open(stack: Stack, options: Options = {}) {
  const events: VoiceEvent[] = []
  const client = createVoiceClient({
    url: stack.url,
    onEvent: (event) => events.push(event),
  })
  let current: Result | undefined
  const { unmount } = render(
    <StrictMode>
      <VoiceProvider client={client}>
        <Show options={options} onRender={(stream) => (current = stream)} />
      </VoiceProvider>
    </StrictMode>,
  )
  return {
    events,
    unmount,
    get stream(): Result {
      return current as Result
    },
  }
}

const quick = { reconnect: { minDelayMs: 5, maxDelayMs: 20, maxAttempts: 2 } }

describe('useStream against the emulator', { timeout: 30_000 }, () => {
  it('speaks over a real socket', async () => {
    await using stack = await startStack({ emulator: { echo: true } })
    const heard: (string | ArrayBuffer)[] = []
    const page = open(stack, { onMessage: (message) => heard.push(message) })
    page.stream.send('before it is open')
    await waitFor(() => expect(heard).toEqual(['before it is open']))
    expect(stack.upstream.counts.handshake).toBe(1)
    page.unmount()
    await waitFor(() => expect(stack.upstream.sockets).toHaveLength(0))
  })

  it('costs one token and one socket for ten components in StrictMode', async () => {
    await using stack = await startStack({ emulator: { echo: true } })
    const client = createVoiceClient({ url: stack.url })
    const { container, unmount } = render(
      <StrictMode>
        <VoiceProvider client={client}>
          {Array.from({ length: 10 }, (_, index) => (
            <Status key={index} />
          ))}
        </VoiceProvider>
      </StrictMode>,
    )
    await waitFor(() => expect(container.textContent).toBe('open'.repeat(10)))
    expect(stack.upstream.counts).toMatchObject({ token: 1, handshake: 1 })
    unmount()
    await waitFor(() => expect(stack.upstream.sockets).toHaveLength(0))
  })

  it.each(['status', 'frame', 'close'] as const)(
    'ends a refusal by %s in the same code',
    async (refuseBy) => {
      for (const code of ['invalid_api_key', 'missing_authorization_header', 'unauthorized'] as const) {
        await using stack = await startStack()
        stack.upstream.use(fail(code, { refuseBy }))
        const page = open(stack, quick)
        await waitFor(() => expect(page.stream.status).toBe('failed'))
        expect(page.stream.error?.code).toBe(code)
        expect(stack.upstream.counts.handshake).toBeLessThanOrEqual(3)
        page.unmount()
      }
    },
  )

  it.each(['status', 'frame', 'close'] as const)(
    'backs off from too many sessions, told by %s',
    async (refuseBy) => {
      await using stack = await startStack()
      stack.upstream.use(fail('concurrency_limit_exceeded', { refuseBy }))
      const page = open(stack, quick)
      await waitFor(() => expect(page.stream.status).toBe('failed'))
      expect(page.stream.error).toMatchObject({ code: 'concurrency_limit_exceeded', retryable: true })
      // Two attempts and the first; by a status, one more with a fresh token and the BFF's own look.
      expect(stack.upstream.counts.handshake).toBeLessThanOrEqual(5)
    },
  )

  it('does not take an opened socket for a success: a server that accepts and closes', async () => {
    await using stack = await startStack()
    stack.upstream.use(acceptThenClose(1011))
    const page = open(stack, quick)
    await waitFor(() => expect(page.stream.status).toBe('failed'))
    expect(stack.upstream.counts.handshake).toBe(3)
  })
})
