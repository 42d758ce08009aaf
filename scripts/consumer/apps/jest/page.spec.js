/** @jest-environment ./jest-environment.js */
const { QueryClient, QueryClientProvider } = require('@tanstack/react-query')
const { useSessionToken, useStream, VoiceProvider } = require('@stagepass/react')
const { createTestVoice } = require('@stagepass/react/testing')
const { render, screen } = require('@testing-library/react')
const { createElement } = require('react')

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
