import { useEffect, useState } from 'react'
import { listMicrophones, type MicrophoneDevice } from './listMicrophones.js'

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
    // Absent on a page that may have no microphone.
    const devices = navigator.mediaDevices as MediaDevices | undefined
    devices?.addEventListener('devicechange', () => void refresh(), gone)
    return () => gone.abort()
  }, [])
  return microphones
}
