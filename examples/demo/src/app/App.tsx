import { VoiceProvider } from '@stagepass/react'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useState } from 'react'
import { useLogin } from '../users/useLogin.js'
import { createWireLog } from '../wire/createWireLog.js'
import { createVoice } from './createVoice.js'
import { Page } from './Page.js'

export function App(): ReactNode {
  const [log] = useState(createWireLog)
  const [queryClient] = useState(() => new QueryClient())
  const [voice] = useState(() => createVoice(log))
  const login = useLogin()
  const user = login.state.status === 'in' ? login.state.user : null

  return (
    <QueryClientProvider client={queryClient}>
      <VoiceProvider client={voice} user={user} onUserChanged={login.doubt}>
        <Page user={user} login={login} log={log} />
      </VoiceProvider>
    </QueryClientProvider>
  )
}
