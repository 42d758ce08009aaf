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
  let chosen = ''
  let isChanging = false

  /** One change at a time: a browser ends one to the device that still plays before an earlier one. */
  async function play(): Promise<void> {
    if (isChanging) return
    isChanging = true
    for (let tried: string | undefined; tried !== chosen;) {
      tried = chosen
      const speakers = await listDevices('audiooutput')
      const target = speakers.some(({ deviceId }) => deviceId === tried) ? tried : ''
      // The loudspeaker may be gone again: the next attempt finds it. Or the context was closed.
      if (output.sinkId !== target) await output.setSinkId?.(target).catch(() => undefined)
    }
    isChanging = false
  }

  return {
    /** Plays on this device; `undefined`: the system's. */
    choose(deviceId: string | undefined = ''): void {
      recovery.stop()
      if (!output.setSinkId) return
      chosen = deviceId
      if (deviceId !== '') recovery.start(() => void play())
      void play()
    },
    stop: recovery.stop,
  }
}
