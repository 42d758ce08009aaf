import { type AudioDevice, watchDevices } from '@stagepass/audio'
import { useEffect, useState } from 'react'

function useDevices(kind: 'audioinput' | 'audiooutput'): readonly AudioDevice[] {
  const [list, setList] = useState<readonly AudioDevice[]>([])
  useEffect(() => watchDevices(kind, setList), [kind])
  return list
}

/**
 * The microphones to choose from. The list changes when one is plugged in or removed, and when the user first
 * allows a microphone.
 */
export const useMicrophones = (): readonly AudioDevice[] => useDevices('audioinput')

/**
 * The loudspeakers to choose from, updated in the same way. Empty in browsers in which a page cannot choose
 * one: there the system chooses.
 */
export const useSpeakers = (): readonly AudioDevice[] => useDevices('audiooutput')
