import { createRecovery } from '../sound/createRecovery.js'
import { listDevices } from '../sound/devices.js'

/** Not in every browser, and not in TypeScript's types. */
interface WithSink {
  readonly sinkId?: string
  readonly setSinkId?: (deviceId: string) => Promise<void>
}

/**
 * Chooses the loudspeaker of a context. While the chosen one is missing, the default one plays. The chosen
 * one is searched for every 2 s and when devices change.
 */
export function createSpeakerChoice(context: AudioContext) {
  const recovery = createRecovery()
  const output = context as WithSink

  async function play(chosen: string): Promise<void> {
    const speakers = await listDevices('audiooutput')
    const target = speakers.some(({ deviceId }) => deviceId === chosen) ? chosen : ''
    // The loudspeaker may be gone again: the next attempt finds it. Or the context was closed.
    if (output.sinkId !== target) await output.setSinkId?.(target).catch(() => undefined)
  }

  return {
    /** Plays on this device; `undefined`: the system's. */
    choose(deviceId: string | undefined = ''): void {
      recovery.stop()
      if (!output.setSinkId) return
      if (deviceId !== '') recovery.start(() => void play(deviceId))
      void play(deviceId)
    },
    stop: recovery.stop,
  }
}
