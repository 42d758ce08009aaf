import {
  QueryClient,
  useInfiniteQuery,
  useQuery,
  useSuspenseInfiniteQuery,
  useSuspenseQuery,
} from '@tanstack/react-query'
import {
  createVoiceClient,
  meetingOptions,
  meetingsOptions,
  sessionTokenOptions,
  tagsOptions,
  useStream,
  type VoiceError,
} from '@stagepass/react'
import { usePlayback } from '@stagepass/react/audio'
import { voiceTranslation } from '@stagepass/react/codecs'

// An application's code with query options and sound. It is only type-checked.
const voice = createVoiceClient({ url: '/api/voice' })
const queries = new QueryClient()
const codec = voiceTranslation({ source_language: 'en-US', target_language: 'es-ES', voice: 'female' })

export function Titles() {
  const one = useQuery(meetingOptions(voice, '1', { fields: ['title'] }))
  const error: VoiceError | null = one.error
  const title: string | null | undefined = one.data?.title
  const suspended: string | null = useSuspenseQuery(meetingOptions(voice, '1', { fields: ['title'] })).data
    .title
  const list = useInfiniteQuery(meetingsOptions(voice, { fields: ['title'] })).data
  const first: string | null | undefined = list?.pages[0]?.meetings[0]?.title
  const pages = useSuspenseInfiniteQuery(meetingsOptions(voice, { fields: ['title'] })).data.pages
  const token = useQuery(sessionTokenOptions(voice, 'stt')).data
  void queries.prefetchInfiniteQuery(meetingsOptions(voice, { fields: ['title'] }))
  void queries.prefetchQuery(tagsOptions(voice))
  const { queryKey } = meetingOptions(voice, '1', { fields: ['title'] })
  const cached: { title: string | null } | undefined = queries.getQueryData(queryKey)
  return (
    <p>{[error?.code, title, suspended, first, pages.length, token === undefined, cached?.title].join()}</p>
  )
}

export function Sound() {
  const playback = usePlayback()
  const stream = useStream('vt', {
    codec,
    onMessage: (message) => message.type === 'audio' && playback.play(message.pcm),
  })
  playback.play(new Int16Array(320))
  stream.send(new Int16Array(320))
  stream.send(new ArrayBuffer(640))
  return <p>{stream.status}</p>
}
