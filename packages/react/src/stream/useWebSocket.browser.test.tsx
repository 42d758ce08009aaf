import { openBrowserStack } from '@stagepass/testing/browser'
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { Listener } from '../../../../test/recipes/Listener.js'
import { createVoiceClient } from '../client/createVoiceClient.js'
import { VoiceProvider } from '../client/VoiceProvider.js'

// The recipe of docs/from/use-websocket.md, unchanged: test/docs/recipes.test.ts compares them.

afterEach(cleanup)

it('react-use-websocket connects with a token of the client, and again after the connection was lost', async () => {
  await using stack = await openBrowserStack()
  const texts: string[] = []
  const onText = (text: string): void => void texts.push(text)
  render(
    <VoiceProvider client={createVoiceClient({ url: stack.url })}>
      <Listener onText={onText} />
    </VoiceProvider>,
  )
  await screen.findByText('open')
  await stack.run(({ upstream }) => upstream.sockets[0]?.send('{"text":"one","final":true}'))
  await vi.waitFor(() => expect(texts).toEqual(['{"text":"one","final":true}']))
  await stack.run(({ upstream }) => upstream.sockets[0]?.drop())
  await screen.findByText('closed')
  await screen.findByText('open')
  await stack.run(({ upstream }) => upstream.sockets[0]?.send('{"text":"two","final":true}'))
  await vi.waitFor(() => expect(texts).toHaveLength(2))
  cleanup()
  await vi.waitFor(async () => expect(await stack.run(({ upstream }) => upstream.sockets.length)).toBe(0))
})
