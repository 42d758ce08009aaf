import { commands } from 'vitest/browser'
import { expect, it, vi } from 'vitest'

const labels = async (): Promise<string[]> => {
  const devices = await navigator.mediaDevices.enumerateDevices()
  return devices.filter(({ kind }) => kind === 'audioinput').map(({ label }) => label)
}

it('ends the track of a microphone that is unplugged, and has it again afterwards', async () => {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true })
  const [track] = stream.getAudioTracks()
  expect(track!.label).toContain('Fake microphone 1')
  const ended = vi.fn()
  track!.addEventListener('ended', ended)
  await commands.unplug('microphone1')
  try {
    await vi.waitFor(() => expect(ended).toHaveBeenCalledOnce())
    await vi.waitFor(async () => expect(await labels()).not.toContain('Fake microphone 1'))
  } finally {
    await commands.plug('microphone1')
  }
  await vi.waitFor(async () => expect(await labels()).toContain('Fake microphone 1'))
})
