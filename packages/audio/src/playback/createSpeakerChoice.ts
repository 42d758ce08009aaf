import { createRecovery } from '../sound/createRecovery.js'
import { listDevices } from '../sound/devices.js'

/** Not in every browser, and not in TypeScript's types. */
interface WithSink {
  readonly sinkId?: string
  readonly setSinkId?: (deviceId: string) => Promise<void>
}

/**
 * The loudspeaker of a context. The default one takes the place of the chosen one while that is missing. It
 * is looked for every 2 s and when devices change.
 */
export function createSpeakerChoice(context: AudioContext) {
  const recovery = createRecovery()
  const output = context as WithSink

  async function play(chosen: string): Promise<void> {
    const speakers = await listDevices('audiooutput')
    const target = speakers.some(({ deviceId }) => deviceId === chosen) ? chosen : ''
    // It may be gone again, and the next look finds it. Or the context was closed.
    if (output.sinkId !== target) await output.setSinkId?.(target).catch(() => undefined)
  }

  return {
    /** Plays on this device; undefined is that of the system. */
    choose(deviceId: string | undefined = ''): void {
      recovery.stop()
      if (!output.setSinkId) return
      if (deviceId !== '') recovery.start(() => void play(deviceId))
      void play(deviceId)
    },
    stop: recovery.stop,
  }
}
