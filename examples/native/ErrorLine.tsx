import { isVoiceError, type VoiceError } from '@stagepass/react'
import { StyleSheet, Text, View } from 'react-native'
import { Button } from './Button'
import { useColors } from './useColors'

interface ErrorLineProps {
  readonly error: VoiceError | null
  readonly onRetry: () => void
  readonly onSignIn: () => void
}

/** What went wrong, and the one press that can help: a new sign-in, another attempt, or none. */
export function ErrorLine({ error, onRetry, onSignIn }: ErrorLineProps) {
  const colors = useColors()
  if (error === null) return null
  const isSignedOut = isVoiceError(error, 'UNAUTHENTICATED')
  return (
    <View style={styles.line}>
      <Text role="alert" style={[styles.text, { color: colors.error }]}>
        {error.message}
      </Text>
      {isSignedOut && <Button title="Sign in again" onPress={onSignIn} />}
      {!isSignedOut && error.retryable && <Button title="Try again" onPress={onRetry} />}
    </View>
  )
}

const styles = StyleSheet.create({
  line: { gap: 8, alignItems: 'flex-start' },
  text: { fontSize: 16, lineHeight: 24 },
})
