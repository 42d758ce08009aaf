/// <reference types="vite/client" />
import { createVoiceClient, VoiceProvider } from '@stagepass/react'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { ignoreHeldEnter } from '../../playground/src/ui/ignoreHeldEnter.js'
import { Page } from './Page.js'
import { useLogin } from './useLogin.js'
import { createWireLog } from './wire/createWireLog.js'
import { describeEvent, tapFetch } from './wire/describe.js'

const log = createWireLog()
const queryClient = new QueryClient()
const voice = createVoiceClient({
  url: '/api/voice',
  // What a user feels of the streams, as events of the BFF in the drawer. In production: of some of the pages.
  vitals: import.meta.env.DEV ? {} : undefined,
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

addEventListener('keydown', ignoreHeldEnter)

const root = document.querySelector('#root')
if (!root) throw new Error('Failed to start the page: index.html has no #root.')
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
