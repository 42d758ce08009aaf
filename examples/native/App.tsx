import { type VoiceClient, VoiceProvider } from '@stagepass/react'
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { useState, useSyncExternalStore } from 'react'
import { StyleSheet, Text, View } from 'react-native'
import { SafeAreaProvider, SafeAreaView } from 'react-native-safe-area-context'
import { Button } from './Button'
import { Captions } from './Captions'
import type { Session } from './createSession'
import { Meetings } from './Meetings'
import { ReadAloud } from './ReadAloud'
import { SignIn } from './SignIn'
import { useColors } from './useColors'

interface AppProps {
  readonly session: Session
  readonly voice: VoiceClient
  readonly queryClient: QueryClient
}

export function App({ session, voice, queryClient }: AppProps) {
  const user = useSyncExternalStore(session.subscribe, session.user)
  const colors = useColors()
  return (
    <SafeAreaProvider>
      <QueryClientProvider client={queryClient}>
        <VoiceProvider client={voice} user={user} onUserChanged={session.signOut}>
          <SafeAreaView style={[styles.screen, { backgroundColor: colors.page }]}>
            {user === null ? (
              <SignIn session={session} />
            ) : (
              // The key: nothing that one user sees or types is left for the next.
              <Workplace key={user} user={user} signOut={session.signOut} />
            )}
          </SafeAreaView>
        </VoiceProvider>
      </QueryClientProvider>
    </SafeAreaProvider>
  )
}

function Workplace({ user, signOut }: { user: string; signOut: () => void }) {
  const [isRecording, setIsRecording] = useState(false)
  const colors = useColors()
  return (
    <View style={styles.content}>
      <View style={styles.bar}>
        <Text style={{ color: colors.text, fontSize: 16 }}>Signed in as {user}</Text>
        <Button title="Sign out" onPress={signOut} />
      </View>
      <Captions onSignIn={signOut} onRecording={setIsRecording} />
      <ReadAloud onSignIn={signOut} isDisabled={isRecording} />
      <Meetings onSignIn={signOut} />
    </View>
  )
}

const styles = StyleSheet.create({
  screen: { flex: 1 },
  content: { flex: 1, padding: 16, gap: 16, width: '100%', maxWidth: 640, alignSelf: 'center' },
  bar: { flexDirection: 'row', alignItems: 'center', justifyContent: 'space-between' },
})
