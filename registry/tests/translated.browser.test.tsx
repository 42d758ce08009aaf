import { fail } from '@stagepass/emulator/browser'
import { useState } from 'react'
import { expect, it } from 'vitest'
import { UsageMeter } from '../items/usage-meter'
import * as meetings from '../stories/meetings-list.stories'
import * as talk from '../stories/push-to-talk.stories'
import type { Story } from '../stories/Story'
import * as usage from '../stories/usage-meter.stories'
import * as session from '../stories/voice-session.stories'
import { button } from './hands'
import { stage } from './stage'
import { translate } from './translate'

/* A page that the browser translates. React must find the elements that it removes, and change what is seen. */

const textOf = (element: HTMLElement): string => element.textContent.replaceAll(/\s+/g, ' ')

async function translated(story: Story) {
  const shown = await stage(story)
  translate(shown.element)
  return shown
}

it('voice-session: counts down, and forgets it when it is connected again', async () => {
  const { element, voice } = await translated(session.Active)
  const stop = voice.emulator.use(fail('concurrency_limit_exceeded', { times: Infinity }))
  voice.emulator.sockets[0]?.drop()
  for (const seconds of [3, 2, 3])
    await expect.poll(() => textOf(element)).toContain(`The next try is in ${seconds} s.`)
  stop()
  button(element, 'Try now').click()
  await expect.poll(() => textOf(element)).toContain('You are heard.')
  await expect.poll(() => textOf(element)).not.toContain('next try')
})

it('usage-meter: shows the minutes that silence saves, and that it has saved none', async () => {
  const { element } = await translated({
    ...usage.Enough,
    Show: function Saving() {
      const [savedMs, setSavedMs] = useState(5_000)
      return (
        <>
          <UsageMeter product="stt" savedMs={savedMs} />
          <button onClick={() => setSavedMs(65_000)}>more</button>
          <button onClick={() => setSavedMs(0)}>none</button>
        </>
      )
    },
  })
  expect(textOf(element)).toContain('0:05 saved in silence')
  button(element, 'more').click()
  await expect.poll(() => textOf(element)).toContain('1:05 saved in silence')
  button(element, 'none').click()
  await expect.poll(() => textOf(element)).not.toContain('saved')
})

it('push-to-talk: the button has the words of its mode', async () => {
  const { element } = await translated(talk.Off)
  expect(textOf(element)).toContain('Hold to talk')
  element.querySelector<HTMLElement>('[role=switch]')?.click()
  await expect.poll(() => textOf(element)).toContain('Press to talk')
  expect(textOf(element)).not.toContain('Hold to talk')
})

it('meetings-list: opens and closes a row, filters, fails and loads again', async () => {
  const { element, voice } = await translated(meetings.Listed)
  const row = element.querySelector('li')
  const open = row?.querySelector('button')
  open?.click()
  await expect.poll(() => row?.textContent).toContain('Load again')
  open?.click()
  await expect.poll(() => row?.textContent).not.toContain('Load again')
  const stop = voice.emulator.use(fail('SCOPE_MISSING'))
  button(element, 'Refresh').click()
  await expect.poll(() => textOf(element)).toContain('Copy the id for support')
  stop()
  button(element, 'Refresh').click()
  await expect.poll(() => textOf(element)).not.toContain('Copy the id for support')
})
