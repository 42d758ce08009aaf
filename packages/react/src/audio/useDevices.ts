import { type AudioDevice, watchDevices } from '@stagepass/audio'
import { useEffect, useState } from 'react'

function useDevices(kind: 'audioinput' | 'audiooutput'): readonly AudioDevice[] {
  const [list, setList] = useState<readonly AudioDevice[]>([])
  useEffect(() => watchDevices(kind, setList), [kind])
  return list
}

/** The microphones to choose from, kept up to date as they are plugged in, pulled out and first allowed. */
export const useMicrophones = (): readonly AudioDevice[] => useDevices('audioinput')

/**
 * The loudspeakers, kept up to date in the same way. Empty in browsers in which a page cannot choose one:
 * there the system chooses.
 */
export const useSpeakers = (): readonly AudioDevice[] => useDevices('audiooutput')
