import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createVoiceClient, useMeetings, useSessionToken, useStream, VoiceProvider } from '@stagepass/react'
import * as audio from '@stagepass/react/audio'
import * as codecs from '@stagepass/react/codecs'
import * as devtools from '@stagepass/react/devtools'
import * as testing from '@stagepass/react/testing'
import * as transcript from '@stagepass/react/transcript'
import { renderToString } from 'react-dom/server'

const voice = createVoiceClient({ url: 'https://app.example/api/voice' })

function Page() {
  const { status } = useSessionToken('stt')
  const stream = useStream('stt', { enabled: false })
  const { meetings } = useMeetings({ ownership: 'mine', fields: ['title'] })
  const titles: (string | null)[] = meetings.map((meeting) => meeting.title)
  return (
    <p>
      {status} {stream.status} {titles.length}
    </p>
  )
}

const html = renderToString(
  <QueryClientProvider client={new QueryClient()}>
    <VoiceProvider client={voice}>
      <Page />
    </VoiceProvider>
  </QueryClientProvider>,
)
if (!html.includes('pending')) throw new Error('unexpected page: ' + html)
for (const entry of [audio, codecs, devtools, testing, transcript])
  if (Object.keys(entry).length === 0) throw new Error('an empty entry')
console.log('page:', html)
