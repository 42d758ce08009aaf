import { useVoiceSession } from '@stagepass/react/audio'
import { type TranslationMessage, voiceTranslation } from '@stagepass/react/codecs'
import { selectTranscript, selectTranslation, type TranscriptText } from '@stagepass/react/transcript'
import { Captions } from '@stagepass/registry/captions'
import { DeviceSelect } from '@stagepass/registry/device-select'
import { type ReactNode, useMemo, useState } from 'react'
import { Card } from './Card.js'
import { Choice } from '../Choice.js'
import { Controls } from './Controls.js'

const LANGUAGES = { 'en-US': 'English', 'es-ES': 'Spanish', 'de-DE': 'German', 'fr-FR': 'French' } as const
const VOICES = { female: 'Female', male: 'Male' } as const
type Language = keyof typeof LANGUAGES

export function VoiceTranslation(): ReactNode {
  const [from, setFrom] = useState<Language>('en-US')
  const [to, setTo] = useState<Language>('es-ES')
  const [voice, setVoice] = useState<keyof typeof VOICES>('female')
  const [deviceId, setDeviceId] = useState<string>()
  const [speakerId, setSpeakerId] = useState<string>()
  const codec = useMemo(
    () => voiceTranslation({ source_language: from, target_language: to, voice }),
    [from, to, voice],
  )
  // The key includes the languages: each choice is a connection of its own.
  const session = useVoiceSession('vt', {
    codec,
    key: `${from} ${to} ${voice}`,
    rollover: 'seamless',
    microphone: { deviceId },
    playback: { deviceId: speakerId },
  })
  const { stream } = session
  const isOn = stream.status === 'connecting' || stream.status === 'open' || stream.status === 'reconnecting'

  /** Both languages in one list, with the language as the speaker. */
  function select(message: TranslationMessage): TranscriptText | undefined {
    const heard = selectTranscript(message)
    if (heard)
      return {
        ...heard,
        ...(heard.id && { id: `heard ${heard.id}` }),
        speaker: LANGUAGES[from],
        language: from,
      }
    const translated = selectTranslation(message)
    return translated && { ...translated, speaker: LANGUAGES[to], language: to }
  }

  return (
    <Card
      product="vt"
      purpose="Speech in one language in; captions in both, and a voice in the other one, out."
      stream={stream}
    >
      <fieldset className="fields" disabled={isOn}>
        <legend className="unseen">Languages of Voice Translation</legend>
        <Choice label="From" value={from} options={LANGUAGES} onChange={setFrom} />
        <Choice label="To" value={to} options={LANGUAGES} onChange={setTo} />
        <Choice label="Voice" value={voice} options={VOICES} onChange={setVoice} />
      </fieldset>
      <Captions stream={stream} select={select} label="Captions in both languages" />
      <Controls
        session={session}
        name="Voice Translation"
        devices={
          <DeviceSelect
            session={session}
            name="Voice Translation"
            deviceId={deviceId}
            onDevice={setDeviceId}
            speakerId={speakerId}
            onSpeaker={setSpeakerId}
          />
        }
        silenceMs={5_000}
      />
    </Card>
  )
}
