import { useEffect, useState } from 'react'
import { watchDeviceNames } from './microphone/microphones.js'
import { type AudioDevice, listDevices } from './sound/devices.js'

function useDevices(kind: 'audioinput' | 'audiooutput'): readonly AudioDevice[] {
  const [list, setList] = useState<readonly AudioDevice[]>([])
  useEffect(() => {
    const gone = new AbortController()
    const refresh = (): void =>
      void listDevices(kind).then((devices) => gone.signal.aborted || setList(devices))
    refresh()
    watchDeviceNames(refresh, gone.signal)
    // Android's browsers report no change.
    document.addEventListener('visibilitychange', refresh, { signal: gone.signal })
    return () => gone.abort()
  }, [kind])
  return list
}

/** The microphones to choose from, kept up to date as they are plugged in, pulled out and first allowed. */
export const useMicrophones = (): readonly AudioDevice[] => useDevices('audioinput')

/**
 * The loudspeakers, kept up to date in the same way. Empty in browsers in which a page cannot choose one:
 * there the system chooses.
 */
export const useSpeakers = (): readonly AudioDevice[] => useDevices('audiooutput')
