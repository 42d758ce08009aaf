import { expect, it } from 'vitest'
import * as stories from '../stories/voice-page.stories'
import { stage, violations } from './stage'

it('1.4.3, 4.1.2: axe finds nothing in the whole page', async () => {
  const { element } = await stage(stories.AllOfIt)
  expect(await violations(element)).toEqual([])
})

it('one press starts the session that captions and devices share, and one shows the devices', async () => {
  const { element, voice } = await stage(stories.AllOfIt)
  const press = (name: string): void =>
    element.querySelector<HTMLButtonElement>(`button[aria-label="${name}"]`)?.click()
  press('Start, Speech-to-Text')
  await expect.poll(() => voice.emulator.sockets.length).toBe(1)
  voice.emulator.sockets[0]?.send(JSON.stringify({ type: 'transcript', text: 'Good morning', final: true }))
  await expect.poll(() => element.querySelector('.stagepass-captions')?.textContent).toContain('Good morning')
  expect(element.querySelector('[role=meter][aria-label*=microphone]')).toBeNull()
  press('Devices, Speech-to-Text')
  await expect.poll(() => element.querySelector('[role=meter][aria-label*=microphone]')).not.toBeNull()
  press('Devices, Speech-to-Text')
  await expect.poll(() => element.querySelector('[role=meter][aria-label*=microphone]')).toBeNull()
  press('End, Speech-to-Text')
  await expect.poll(() => voice.emulator.sockets.length).toBe(0)
})
