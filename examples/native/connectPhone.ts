import { focusManager, onlineManager } from '@tanstack/react-query'
import { addNetworkStateListener } from 'expo-network'
import { AppState, Platform } from 'react-native'

/**
 * Tells TanStack Query about the network and the foreground of the phone. The voice client listens to the same
 * two managers. In a browser they know both by themselves.
 */
export function connectPhone(): void {
  if (Platform.OS === 'web') return
  onlineManager.setEventListener((setOnline) => {
    const subscription = addNetworkStateListener(({ isConnected }) => setOnline(isConnected ?? true))
    return () => subscription.remove()
  })
  focusManager.setEventListener((setFocused) => {
    const subscription = AppState.addEventListener('change', (state) => setFocused(state === 'active'))
    return () => subscription.remove()
  })
}
