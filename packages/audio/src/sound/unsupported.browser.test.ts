import { afterEach, describe, expect, it, vi } from 'vitest'
import { AudioError, createMicrophone, createPlayback } from '../index.js'

const undo: (() => void)[] = []

afterEach(() => {
  for (const restore of undo.splice(0)) restore()
})

/** Removes a part of the browser, as in one that does not have it. */
function remove(owner: object, name: string): void {
  const found = Object.getOwnPropertyDescriptor(owner, name)
  Reflect.deleteProperty(owner, name)
  undo.push(() => found && Object.defineProperty(owner, name, found))
}

const errorOf = async (open: 'microphone' | 'playback') => {
  if (open === 'microphone') {
    const microphone = createMicrophone()
    await microphone.start()
    expect(microphone.state.status).toBe('failed')
    return 'error' in microphone.state ? microphone.state.error : undefined
  }
  const playback = createPlayback()
  playback.unlock()
  await vi.waitFor(() => expect(playback.status).toBe('failed'))
  return playback.error
}

describe.each<readonly [missing: string, owner: object, name: string, opens: ('microphone' | 'playback')[]]>([
  ['AudioContext', globalThis, 'AudioContext', ['microphone', 'playback']],
  ['AudioWorklet', globalThis, 'AudioWorkletNode', ['microphone', 'playback']],
  ['AudioWorklet', BaseAudioContext.prototype, 'audioWorklet', ['microphone', 'playback']],
  ['getUserMedia', MediaDevices.prototype, 'getUserMedia', ['microphone']],
  ['getUserMedia', Navigator.prototype, 'mediaDevices', ['microphone']],
])('a browser without %s', (missing, owner, name, opens) => {
  it.each(opens)(`says so, without ${name}: %s`, async (open) => {
    remove(owner, name)
    const error = await errorOf(open)
    expect(error).toBeInstanceOf(AudioError)
    expect(error).toMatchObject({ code: 'UNSUPPORTED', cause: `There is no ${missing}.` })
    expect(error?.message).toMatch(
      /: this browser is too old, or it turns this off\. Use a current browser\.$/,
    )
  })

  it.each(opens)(`names the insecure page instead, without ${name}: %s`, async (open) => {
    remove(owner, name)
    remove(globalThis, 'isSecureContext')
    Object.assign(globalThis, { isSecureContext: false })
    expect(await errorOf(open)).toMatchObject({ code: 'INSECURE_CONTEXT' })
  })
})

it('an own source needs no getUserMedia', async () => {
  const context = new AudioContext()
  const source = new MediaStreamAudioDestinationNode(context).stream
  remove(Navigator.prototype, 'mediaDevices')
  const microphone = createMicrophone({ source })
  await microphone.start()
  expect(microphone.state.status).toBe('capturing')
  microphone.stop()
  await context.close()
})
