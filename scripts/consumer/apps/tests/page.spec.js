/**
 * @jest-environment ./jest-environment.js
 * @vitest-environment jsdom
 */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { useSessionToken, useStream, VoiceProvider } from '@stagepass/react'
import { createTestVoice } from '@stagepass/react/testing'
import { render, screen } from '@testing-library/react'
import { createElement } from 'react'

function Facts() {
  const token = useSessionToken('stt')
  const stream = useStream('stt')
  return createElement('p', null, `token ${token.status}, stream ${stream.status}`)
}

test('renders a hook', async () => {
  const voice = createTestVoice()
  const provider = createElement(VoiceProvider, { client: voice.client }, createElement(Facts))
  render(createElement(QueryClientProvider, { client: new QueryClient() }, provider))
  screen.getByText('token pending, stream connecting')
  expect((await screen.findByText('token success, stream open')).tagName).toBe('P')
  voice.close()
})
