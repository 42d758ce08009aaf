import { createVoiceClient, tokenSource, useMeetings, useStream, VoiceProvider } from '@stagepass/react'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { createRoot } from 'react-dom/client'

/** The page's report for the test. */
export interface UsersPageReport {
  readonly user: string
  status: string
  /** All rows that any render has shown. */
  readonly rows: Set<string>
  /** The values of the tokens that the page has had. */
  readonly tokens: string[]
  /** `persisted` of each `pageshow`. */
  readonly shows: boolean[]
  readonly userChanges: string[]
}

/** A page of an application whose login session is a cookie. Its server writes the user into the document. */
const user = document.documentElement.dataset.user ?? ''
const report: UsersPageReport = {
  user,
  status: '',
  rows: new Set(),
  tokens: [],
  shows: [],
  userChanges: [],
}
Object.assign(window, { report })
addEventListener('pageshow', ({ persisted }) => report.shows.push(persisted))

const voice = createVoiceClient({
  url: '/api/voice',
  onEvent({ type }) {
    if (!/^token\.(minted|renewed)$/.test(type)) return
    const source = tokenSource(voice, 'stt')
    queueMicrotask(() => report.tokens.push(source.current()?.token.value ?? ''))
  },
})

function Page({ onRender }: { onRender: (status: string, rows: readonly string[]) => void }): ReactNode {
  const { status } = useStream('stt')
  const { meetings } = useMeetings({ fields: ['title'] })
  onRender(
    status,
    meetings.map(({ title }) => title ?? ''),
  )
  return status
}

function App(): ReactNode {
  const [queryClient] = useState(() => new QueryClient())
  return (
    <QueryClientProvider client={queryClient}>
      <VoiceProvider client={voice} user={user || null} onUserChanged={() => report.userChanges.push(user)}>
        <Page
          onRender={(status, rows) => {
            report.status = status
            for (const row of rows) report.rows.add(row)
          }}
        />
      </VoiceProvider>
    </QueryClientProvider>
  )
}

Object.assign(window, {
  renew: () =>
    tokenSource(voice, 'stt')
      .renew()
      .catch(() => {}),
})

createRoot(document.getElementById('root') as HTMLElement).render(<App />)
