import { startDisplay } from './startDisplay.js'
import { type Sound, startSound } from './startSound.js'
import { startWebKit, type WebKit } from './startWebKit.js'

export interface WebKitWithDevices extends WebKit {
  readonly sound: Sound
}

/** Starts WebKitGTK with its own screen and sound server. */
export async function startWebKitWithDevices(): Promise<WebKitWithDevices> {
  const display = await startDisplay()
  const sound = await startSound()
  const endDevices = async (): Promise<void> => {
    await sound[Symbol.asyncDispose]()
    await display[Symbol.asyncDispose]()
  }
  try {
    const webKit = await startWebKit({ env: { ...sound.env, DISPLAY: display.name } })
    return {
      ...webKit,
      sound,
      async [Symbol.asyncDispose]() {
        await webKit[Symbol.asyncDispose]()
        await endDevices()
      },
    }
  } catch (error) {
    await endDevices()
    throw error
  }
}
