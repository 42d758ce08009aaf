import type { BrowserStack } from '@stagepass/testing/browser'
import { render } from '@testing-library/react'
import { StrictMode } from 'react'
import { expect, vi } from 'vitest'
import { createVoiceClient } from '../client/createVoiceClient.js'
import type { VoiceEvent } from '../events/events.js'
import { VoiceProvider } from '../client/VoiceProvider.js'
import type { UseStreamOptions, UseStreamResult } from './useStream.js'
import { useStream } from './useStream.js'

export type Message = string | ArrayBuffer
type Result = UseStreamResult<Message, Message>
type Options = UseStreamOptions<Message, Message>

function Show({ options, onRender }: { options: Options; onRender: (stream: Result) => void }): null {
  onRender(useStream('stt', options))
  return null
}

/** A page whose only component uses the stream `stt`. */
export function open(stack: BrowserStack, options: Options = {}) {
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
    client,
    events,
    unmount,
    get stream(): Result {
      return current as Result
    },
    types: () => events.map(({ type }) => type),
    until: (status: Result['status']) => vi.waitFor(() => expect(current?.status).toBe(status)),
  }
}
