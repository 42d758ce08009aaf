import { useStream } from '@stagepass/react'
import { speech } from '@stagepass/react/codecs'
import { useRef, useState } from 'react'
import { StyleSheet, Text, TextInput, View } from 'react-native'
import { Button } from './Button'
import { ErrorLine } from './ErrorLine'
import { useColors } from './useColors'
import { useSpeaker } from './useSpeaker'

const codec = speech()

interface ReadAloudProps {
  /** While the phone records, it does not play. */
  readonly isDisabled: boolean
  readonly onSignIn: () => void
}

/** Reads a text aloud. The stream is open from the press until the sound is there, and then costs no more. */
export function ReadAloud({ isDisabled, onSignIn }: ReadAloudProps) {
  const [text, setText] = useState('Good morning. You have three meetings today.')
  const [refusal, setRefusal] = useState<string | null>(null)
  const sound = useRef<ArrayBuffer[]>([])
  const speaker = useSpeaker()
  const colors = useColors()
  const stream = useStream('tts', {
    codec,
    enabled: false,
    onMessage(message) {
      if (message.type === 'start') sound.current = []
      if (message.type === 'audio') sound.current.push(message.pcm)
      if (message.type === 'end') void speaker.play(sound.current)
      if (message.type === 'error') setRefusal(message.message)
      if (message.type === 'end' || message.type === 'error') stream.close()
    },
  })

  function read(): void {
    setRefusal(null)
    stream.open()
    stream.send({ text })
  }

  function stop(): void {
    stream.close()
    speaker.stop()
  }

  const isLoading = ['connecting', 'open', 'reconnecting'].includes(stream.status)
  const isBusy = isLoading || speaker.isPlaying
  const problem = refusal ?? speaker.problem
  return (
    <View style={[styles.card, { backgroundColor: colors.card, borderColor: colors.line }]}>
      <View style={styles.bar}>
        <TextInput
          aria-label="Text to read"
          value={text}
          onChangeText={setText}
          style={[styles.text, { color: colors.text, borderColor: colors.line }]}
        />
        <Button
          title={isBusy ? 'Stop reading' : 'Read aloud'}
          isDisabled={!isBusy && (isDisabled || text.trim() === '')}
          onPress={isBusy ? stop : read}
        />
      </View>
      {problem !== null && (
        <Text role="alert" style={{ color: colors.error }}>
          {problem}
        </Text>
      )}
      <ErrorLine error={stream.error} onRetry={read} onSignIn={onSignIn} />
    </View>
  )
}

const styles = StyleSheet.create({
  card: { padding: 16, gap: 8, borderWidth: 1, borderRadius: 12 },
  bar: { flexDirection: 'row', alignItems: 'center', gap: 8 },
  text: {
    flex: 1,
    minWidth: 0,
    minHeight: 44,
    paddingHorizontal: 12,
    borderWidth: 1,
    borderRadius: 8,
    fontSize: 16,
  },
})
