import { useEffect, useState } from 'react'
import { listMicrophones, type MicrophoneDevice, watchMicrophones } from './microphone/microphones.js'

/** The microphones to choose from, kept up to date as they are plugged in, pulled out and first allowed. */
export function useMicrophones(): readonly MicrophoneDevice[] {
  const [microphones, setMicrophones] = useState<readonly MicrophoneDevice[]>([])
  useEffect(() => {
    const gone = new AbortController()
    const refresh = async (): Promise<void> => {
      const list = await listMicrophones()
      if (!gone.signal.aborted) setMicrophones(list)
    }
    void refresh()
    watchMicrophones(() => void refresh(), gone.signal)
    return () => gone.abort()
  }, [])
  return microphones
}
