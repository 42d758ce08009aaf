import type { BrowserStack } from '@stagepass/testing/browser'
import { render } from '@testing-library/react'
import { expect, vi } from 'vitest'
import { createVoiceClient } from '../client/createVoiceClient.js'
import type { VoiceEvent } from '../events/events.js'
import type { UseStreamOptions, UseStreamResult } from './useStream.js'
import { useStream } from './useStream.js'
import { pageOf } from '../client/pageOf.test.kit.js'

type Message = string | ArrayBuffer
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
  const heard: Message[] = []
  let current: Result | undefined
  const { unmount } = render(
    <Show
      options={{ onMessage: (message) => heard.push(message), ...options }}
      onRender={(stream) => (current = stream)}
    />,
    { wrapper: pageOf(client) },
  )
  return {
    client,
    events,
    /** The messages, unless `onMessage` is given. */
    heard,
    unmount,
    get stream(): Result {
      return current as Result
    },
    types: () => events.map(({ type }) => type),
    until: (status: Result['status']) => vi.waitFor(() => expect(current?.status).toBe(status)),
  }
}
