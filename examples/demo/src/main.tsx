/// <reference types="vite/client" />
import { createVoiceClient, VoiceProvider } from '@stagepass/react'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Page } from './Page.js'
import { useLogin } from './useLogin.js'
import { createWireLog } from './wire/createWireLog.js'
import { describeEvent, tapFetch } from './wire/describe.js'

const log = createWireLog()
const queryClient = new QueryClient()
const voice = createVoiceClient({
  url: '/api/voice',
  // For the picture and the drawer alone. An application needs neither.
  fetch: tapFetch(log),
  onEvent: (event) => log.add(describeEvent(event)),
})

function App() {
  const login = useLogin()
  return (
    <QueryClientProvider client={queryClient}>
      <VoiceProvider client={voice} user={login.user} onUserChanged={login.check}>
        <Page login={login} log={log} />
      </VoiceProvider>
    </QueryClientProvider>
  )
}

// A key that is held down clicks again and again. A switch would go back and forth.
addEventListener('keydown', (event) => {
  const isOnButton = event.target instanceof Element && event.target.closest('button, summary') !== null
  if (event.repeat && event.key === 'Enter' && isOnButton) event.preventDefault()
})

const root = document.querySelector('#root')
if (!root) throw new Error('Failed to start the page: index.html has no #root.')
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
