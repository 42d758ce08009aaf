import { createVoiceClient, VoiceProvider } from '@stagepass/react'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createRoot } from 'react-dom/client'
import { SignIn } from '../../login/SignIn.js'
import { Captions } from './Captions.js'
import { Meetings } from './Meetings.js'

const queryClient = new QueryClient()
const voice = createVoiceClient({ url: '/api/voice' })

/** What a signed-in user has. The id is the one that `authorize` returns as the user of the grant. */
function Workplace({ user }: { readonly user: string }) {
  return (
    <QueryClientProvider client={queryClient}>
      <VoiceProvider client={voice} user={user} onUserChanged={() => location.reload()}>
        <p>Signed in as {user}.</p>
        <form method="post" action="/logout">
          <button>Sign out</button>
        </form>
        <Captions />
        <Meetings />
      </VoiceProvider>
    </QueryClientProvider>
  )
}

const { user } = (await (await fetch('/me')).json()) as { user: string | null }
createRoot(document.getElementById('root')!).render(user === null ? <SignIn /> : <Workplace user={user} />)
