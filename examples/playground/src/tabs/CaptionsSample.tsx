import { VoiceProvider } from '@stagepass/react'
import { useVoiceSession } from '@stagepass/react/audio'
import { captions } from '@stagepass/react/codecs'
import { Captions } from '@stagepass/registry/captions'
import { PushToTalk } from '@stagepass/registry/push-to-talk'
import type { ReactNode } from 'react'
import { speakInto } from './speakInto.js'
import type { SampleProps } from './Tab.js'

const codec = captions()

export function CaptionsSample({ voice }: SampleProps): ReactNode {
  return (
    <VoiceProvider client={voice}>
      <Dictation />
    </VoiceProvider>
  )
}

function Dictation(): ReactNode {
  const session = useVoiceSession('stt', { codec })
  const { stream } = session

  // One sentence of sound, for those who have no microphone here.
  function speak(): void {
    stream.open()
    speakInto(stream, () => void stream.finish())
  }

  return (
    <>
      <PushToTalk session={session} />
      <button
        className="act other"
        disabled={session.status !== 'idle' || stream.status === 'open'}
        onClick={speak}
      >
        Say a sentence without a microphone
      </button>
      <Captions stream={stream} />
    </>
  )
}
