import { render, waitFor } from '@testing-library/react'
import { acceptThenClose } from '@stagepass/emulator'
import type { Stack } from '@stagepass/testing'
import { startStack } from '@stagepass/testing'
import { StrictMode } from 'react'
import { describe, expect, it } from 'vitest'
import { createVoiceClient } from '../createVoiceClient.js'
import type { VoiceEvent } from '../client/events.js'
import { VoiceProvider } from '../VoiceProvider.js'
import type { UseStreamOptions, UseStreamResult } from './useStream.js'
import { useStream } from './useStream.js'

type Result = UseStreamResult<string, string | ArrayBuffer>
type Options = UseStreamOptions<string, string | ArrayBuffer>

function Show({ options, onRender }: { options: Options; onRender: (stream: Result) => void }): null {
  onRender(useStream('stt', options))
  return null
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
    const authorization = `api-key ${stack.upstream.tokens.all()[0]?.sessionKey}`
    expect(stack.upstream.requests.at(-1)?.query).toEqual({ authorization })
    page.unmount()
    await waitFor(() => expect(stack.upstream.sockets).toHaveLength(0))
  })

  it('does not take an opened socket for a success: a server that accepts and closes', async () => {
    await using stack = await startStack()
    stack.upstream.use(acceptThenClose(1011))
    const page = open(stack, quick)
    await waitFor(() => expect(page.stream.status).toBe('failed'))
    expect(stack.upstream.counts.handshake).toBe(3)
  })
})
