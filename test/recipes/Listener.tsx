import { authorizedUrl, tokenSource, useVoiceClient } from '@stagepass/react'
import { useCallback } from 'react'
import { useWebSocket } from 'react-use-websocket/dist/lib/use-websocket.js'

export function Listener({ onText }: { onText: (text: string) => void }) {
  const voice = useVoiceClient()
  // Stable, because useWebSocket opens the socket again if it changes. Called before each connection.
  const getUrl = useCallback(async () => {
    const { token, streamUrl } = await tokenSource(voice, 'stt').get()
    return authorizedUrl(streamUrl, token)
  }, [voice])
  const { readyState } = useWebSocket(getUrl, {
    onMessage: ({ data }) => onText(String(data)),
    filter: () => false, // no render for each message
    shouldReconnect: ({ code }) => code !== 1000,
    retryOnError: true, // also if getUrl fails
    reconnectInterval: (attempt) => Math.min(30_000, 500 * 2 ** attempt),
  })
  return <p>{['connecting', 'open', 'closing'][readyState] ?? 'closed'}</p>
}
