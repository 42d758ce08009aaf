import {
  useVoiceSession,
  type UseVoiceSessionOptions,
  type UseVoiceSessionResult,
} from '@stagepass/react/audio'
import { useEffect, useRef } from 'react'
import { openRecordedTalk } from './openRecordedTalk.js'

/** A session of Speech-to-Text whose microphone is a recording, with pauses as in a talk. */
export function useRecordedSession(
  options: Pick<UseVoiceSessionOptions<never, unknown>, 'key' | 'silence'> = {},
): UseVoiceSessionResult<never, unknown> {
  const talk = useRef<ReturnType<typeof openRecordedTalk>>(undefined)
  const session = useVoiceSession('stt', {
    ...options,
    microphone: { source: () => talk.current!.stream },
  })
  const { status } = session
  const isOver = status === 'idle' || status === 'failed'
  useEffect(() => {
    if (isOver) talk.current?.close()
  }, [isOver])
  useEffect(() => () => talk.current?.close(), [])

  function start(): void {
    talk.current?.close()
    talk.current = openRecordedTalk()
    session.start()
  }

  return { ...session, start }
}
