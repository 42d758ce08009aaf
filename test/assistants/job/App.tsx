import {
  createVoiceClient,
  isVoiceError,
  useEndless,
  useMeeting,
  useMeetings,
  useMeetingsForm,
  useStream,
  useTags,
  type VoiceClient,
  VoiceProvider,
} from '@stagepass/react'
import { usePlayback, usePushToTalk, useVoiceSession } from '@stagepass/react/audio'
import { speech, voiceTranslation } from '@stagepass/react/codecs'
import { selectText, selectTranslation, useTranscript } from '@stagepass/react/transcript'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { useState } from 'react'

/*
 * The job "captions, text to speech, English to German, and the meetings with a search, a tag, a month and a
 * detail" as somebody writes it who knows the skills alone. skills.test.ts compares its names with the
 * skills.
 */

function Captions() {
  const session = useVoiceSession('stt')
  const talk = usePushToTalk(session, { mode: 'toggle' })
  const { segments } = useTranscript(session.stream, { select: selectText })
  return (
    <section>
      <button {...talk}>Speak</button>
      {segments.map(({ key, text }) => (
        <p key={key}>{text}</p>
      ))}
      {isVoiceError(session.failureReason, 'UNAUTHENTICATED') && <a href="/login">Sign in again</a>}
    </section>
  )
}

const german = voiceTranslation({ source_language: 'en-US', target_language: 'de-DE', voice: 'male' })

function Translation() {
  const { status, start, stop, stream, error } = useVoiceSession('vt', { codec: german })
  const { segments } = useTranscript(stream, { select: selectTranslation })
  return (
    <section>
      <button onClick={status === 'idle' ? start : stop}>{status === 'idle' ? 'Translate' : 'End'}</button>
      <p lang="de">{segments.at(-1)?.text}</p>
      {error && <p role="alert">{error.message}</p>}
    </section>
  )
}

const spoken = speech()

function ReadAloud({ text }: { text: string }) {
  const [isReading, setReading] = useState(false)
  const playback = usePlayback({ maxBufferedMs: 300_000, onHeard: () => setReading(false) })
  const stream = useStream('tts', {
    codec: spoken,
    enabled: false,
    onMessage: (message) => {
      if (message.type === 'audio') playback.play(message.pcm)
      if (message.type === 'end') playback.mark('end')
    },
  })
  const read = () => {
    playback.unlock()
    stream.open()
    stream.send({ text, voice: 'female' })
    setReading(true)
  }
  return (
    <button disabled={isReading} onClick={read}>
      Read aloud
    </button>
  )
}

function Detail({ id }: { id: string }) {
  const { meeting, failureReason } = useMeeting(id, { fields: ['title', 'duration'] })
  if (failureReason) return <p role="alert">{failureReason.message}</p>
  return <h2>{meeting?.title ?? 'Untitled'}</h2>
}

function Meetings() {
  const [openId, open] = useState<string>()
  const { filters, form, controls } = useMeetingsForm()
  const list = useMeetings({ ...filters, ownership: 'mine', fields: ['title', 'started_at', 'duration'] })
  const { endRef, loadMore } = useEndless(list)
  const { tags } = useTags()
  return (
    <section>
      <form {...form}>
        <input {...controls.search} aria-label="Search" />
        <input {...controls.from} aria-label="From" defaultValue="2026-10-01" />
        <input {...controls.to} aria-label="To" defaultValue="2026-10-31" />
        <select {...controls.sort} aria-label="Order" defaultValue="longest">
          <option value="newest">Newest</option>
          <option value="longest">Longest</option>
        </select>
        <select {...controls.tags} aria-label="Tag">
          <option value="">Any</option>
          {tags.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </form>
      <ul>
        {list.meetings.map(({ id, title }) => (
          <li key={id}>
            <button onClick={() => open(id)}>{title ?? 'Untitled'}</button>
          </li>
        ))}
      </ul>
      {list.hasNextPage && (
        <button ref={endRef} onClick={loadMore}>
          More
        </button>
      )}
      {openId !== undefined && <Detail id={openId} />}
    </section>
  )
}

const own = createVoiceClient({ url: '/api/voice' })
const queries = new QueryClient()

export const App = ({ user, voice = own }: { user: string | null; voice?: VoiceClient }) => (
  <QueryClientProvider client={queries}>
    <VoiceProvider client={voice} user={user}>
      {user !== null && (
        <main key={user}>
          <Captions />
          <Translation />
          <ReadAloud text="Good morning." />
          <Meetings />
        </main>
      )}
    </VoiceProvider>
  </QueryClientProvider>
)
