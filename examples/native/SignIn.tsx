import { useState } from 'react'
import { StyleSheet, Text, View } from 'react-native'
import { Button } from './Button'
import type { Session } from './createSession'
import { useColors } from './useColors'

/** For development: a press signs in as Ada or Ben. An application has its own sign-in here. */
export function SignIn({ session }: { session: Session }) {
  const [problem, setProblem] = useState('')
  const colors = useColors()

  async function signIn(user: string): Promise<void> {
    setProblem('')
    try {
      await session.signIn(user)
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
    }
  }

  return (
    <View style={styles.content}>
      <Text role="heading" style={[styles.title, { color: colors.text }]}>
        Captions
      </Text>
      <Text style={[styles.text, { color: colors.quiet }]}>
        This sign-in is for development: the server believes anyone on this machine.
      </Text>
      <Button isMain title="Sign in as Ada" onPress={() => void signIn('ada')} />
      <Button title="Sign in as Ben" onPress={() => void signIn('ben')} />
      {problem !== '' && (
        <Text role="alert" style={[styles.text, { color: colors.error }]}>
          {problem}
        </Text>
      )}
    </View>
  )
}

const styles = StyleSheet.create({
  content: {
    flex: 1,
    justifyContent: 'center',
    padding: 24,
    gap: 16,
    width: '100%',
    maxWidth: 420,
    alignSelf: 'center',
  },
  title: { fontSize: 28, fontWeight: '700' },
  text: { fontSize: 16, lineHeight: 24 },
})
