import { useVoiceSession } from '@stagepass/react/audio'
import { type ReactNode, useState } from 'react'
import { expect, it } from 'vitest'
import { DeviceSelect } from '../items/device-select'
import { PushToTalk } from '../items/push-to-talk'
import { VoiceSession } from '../items/voice-session'
import type { Story } from '../stories/Story'
import { button, tabInto } from './hands'
import { focusRing } from './measure'
import { listen, press, stage, violations } from './stage'

/** A page with one session, and all that shows it. */
function Page(): ReactNode {
  const [deviceId, setDeviceId] = useState<string>()
  const session = useVoiceSession('stt', { microphone: { deviceId } })
  return (
    <>
      <h2>Dictation</h2>
      <VoiceSession session={session} name="Speech-to-Text" />
      <PushToTalk session={session} name="Speech-to-Text" isAnnounced={false} />
      <DeviceSelect session={session} deviceId={deviceId} onDevice={setDeviceId} />
    </>
  )
}

const story: Story = { title: 'One session', Show: Page }

it('1.4.11, 2.4.7: each control that has the focus shows it', async () => {
  const { element } = await stage(story)
  const controls = [...element.querySelectorAll('button, select, input')]
  expect(controls).toHaveLength(5)
  await tabInto(element)
  for (const control of controls) {
    // Not once more at the end: in Firefox the focus would leave the page, for all tests that follow.
    if (control !== controls[0]) await press('Tab')
    expect(document.activeElement).toBe(control)
    for (const scheme of ['light', 'dark']) {
      document.documentElement.style.colorScheme = scheme
      await expect.poll(focusRing).toBeGreaterThanOrEqual(3)
    }
  }
})

it('1.4.3, 4.1.2: axe finds nothing in a page with all three', async () => {
  const { element } = await stage(story)
  expect(await violations(element)).toEqual([])
})

it('4.1.3: what VoiceSession announces, the button announces no second time', async () => {
  const { element } = await stage(story)
  await using reader = await listen(element)
  button(element, 'Start').click()
  await expect.poll(() => element.textContent).toContain('You are heard.')
  const said = await reader.said()
  expect(said.at(-1)).toBe('polite: You are heard.')
  expect(said.join()).not.toContain('Listening')
})

it('one session is started in one place, and ended in another', async () => {
  const { element, voice } = await stage(story)
  const wordsOf = () => element.querySelector('.stagepass-push-to-talk p')?.textContent
  button(element, 'Start').click()
  await expect.poll(() => element.querySelectorAll('[aria-pressed=true]')).toHaveLength(1)
  await expect.poll(wordsOf).toBe('Listening')
  button(element, 'Hold to talk').focus()
  await press(' ')
  await expect.poll(() => element.textContent).toContain('The microphone is off.')
  expect(voice.microphone.isOpen).toBe(false)
  await expect.poll(() => voice.emulator.sockets).toHaveLength(0)
})
