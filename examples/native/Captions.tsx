import { useStream } from '@stagepass/react'
import { captions } from '@stagepass/react/codecs'
import { selectText, useTranscript } from '@stagepass/react/transcript'
import { activateKeepAwakeAsync, deactivateKeepAwake } from 'expo-keep-awake'
import { type ComponentRef, useEffect, useRef } from 'react'
import { AppState, ScrollView, StyleSheet, Text, View } from 'react-native'
import { Button } from './Button'
import { ErrorLine } from './ErrorLine'
import { useColors } from './useColors'
import { useRecorder } from './useRecorder'

/** A phone whose screen goes dark ends the recording. */
const SCREEN = 'captions'

interface CaptionsProps {
  readonly onRecording: (isRecording: boolean) => void
  readonly onSignIn: () => void
}

/** It knows what is final, so with `resend` no word is lost with a connection. */
const codec = captions()

/** Writes what is said, from one press to the next. An open stream costs minutes (docs/speech.md#silence). */
export function Captions({ onRecording, onSignIn }: CaptionsProps) {
  const stream = useStream('stt', { codec, resend: {}, enabled: false })
  const recorder = useRecorder((frame) => stream.send(frame))
  const { segments } = useTranscript(stream, { select: selectText })
  const list = useRef<ComponentRef<typeof ScrollView>>(null)
  const colors = useColors()
  const { isRecording, start, stop } = recorder
  const { open, finish } = stream

  // The stream is open while the microphone records: the phone too may end that, such as for a call.
  useEffect(() => {
    if (!isRecording) return undefined
    open()
    onRecording(true)
    void activateKeepAwakeAsync(SCREEN)
    return () => {
      void finish() // the last words still come
      onRecording(false)
      void deactivateKeepAwake(SCREEN)
    }
  }, [isRecording, open, finish, onRecording])

  // Without a background mode a phone gives no sound in the background.
  const latestStop = useRef(stop)
  useEffect(() => {
    latestStop.current = stop
  })
  useEffect(() => {
    const subscription = AppState.addEventListener('change', (state) => {
      if (state === 'background') latestStop.current()
    })
    return () => subscription.remove()
  }, [])

  return (
    <View style={[styles.card, { backgroundColor: colors.card, borderColor: colors.line }]}>
      <View style={styles.bar}>
        <Text role="heading" style={[styles.title, { color: colors.text }]}>
          Captions
        </Text>
        <Button
          isMain={!isRecording}
          title={isRecording ? 'Stop' : 'Speak'}
          onPress={() => (isRecording ? stop() : void start())}
        />
      </View>
      <Text style={{ color: colors.quiet }}>{TEXTS[stream.status]}</Text>
      <ScrollView
        ref={list}
        style={styles.list}
        onContentSizeChange={() => list.current?.scrollToEnd()}
        aria-label="What is said"
      >
        {segments.map(({ key, text, final }) => (
          <Text key={key} style={[styles.text, { color: final ? colors.text : colors.quiet }]}>
            {text}
          </Text>
        ))}
      </ScrollView>
      {recorder.problem !== null && (
        <Text role="alert" style={{ color: colors.error }}>
          {recorder.problem}
        </Text>
      )}
      <ErrorLine error={stream.error} onRetry={open} onSignIn={onSignIn} />
    </View>
  )
}

const TEXTS = {
  idle: 'Press Speak, and say something.',
  queued: 'Waiting for a free session.',
  connecting: 'Connecting …',
  open: 'You are heard.',
  reconnecting: 'Connecting again. What you say is kept.',
  closed: 'Stopped.',
  failed: 'Stopped.',
} as const

const styles = StyleSheet.create({
  card: { padding: 16, gap: 8, borderWidth: 1, borderRadius: 12 },
  bar: { flexDirection: 'row', alignItems: 'center', justifyContent: 'space-between' },
  title: { fontSize: 20, fontWeight: '700' },
  list: { height: 120 },
  text: { fontSize: 18, lineHeight: 26 },
})
