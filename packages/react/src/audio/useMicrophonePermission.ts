import { type MicrophonePermission, watchMicrophonePermission } from '@stagepass/audio'
import { useEffect, useState } from 'react'

/**
 * Whether the page may use a microphone, before it asks for one, and at each change: `'prompt'` (the browser
 * will ask), `'granted'`, `'denied'`, or `'unknown'` if the browser does not say, and in the first render. It
 * does not ask the user. A browser may say `'denied'` and ask all the same, so leave the button on.
 */
export function useMicrophonePermission(): MicrophonePermission {
  const [permission, setPermission] = useState<MicrophonePermission>('unknown')
  useEffect(() => watchMicrophonePermission(setPermission), [])
  return permission
}
