import { onlineManager } from '@tanstack/react-query'
import { afterEach, describe, expect, it, vi } from 'vitest'
import * as stories from '../stories/usage-meter.stories'
import { button, tabInto } from './hands'
import { press, readAloud, stage } from './stage'
import { keepsTheRules } from './storyRules'

keepsTheRules(Object.values(stories))

it('1.3.1: a screen reader says how much is used', async () => {
  const { element } = await stage(stories.Enough)
  expect(await readAloud(element)).toEqual([
    'main',
    'region, Minutes today',
    'heading, Minutes today, level 3',
    'meter, Minutes today, min value 0, max value 100, current value 0:00 of 30:00 used',
    'paragraph',
    '0:00 of 30:00 used',
    'end of paragraph',
    'status',
    'end of region, Minutes today',
    'end of main',
  ])
})

it.each([
  ['Your minutes of today are nearly gone.', stories.NearlyGone, 'nearly-gone', '54:00 of 60:00 used'],
  [
    'Fewer than 5 minutes are left today. They are too few to start again.',
    stories.TooFew,
    'too-few',
    '26:00 of 30:00 used',
  ],
  ['Your minutes of today are gone.', stories.Gone, 'gone', '30:00 of 30:00 used'],
] as const)('1.4.1: says “%s”, and when there are new ones', async (advice, story, state, used) => {
  const { element } = await stage(story)
  expect(element.querySelector('section')?.dataset['state']).toBe(state)
  expect([...element.querySelectorAll('p')].map((line) => line.textContent)).toEqual([
    used,
    advice,
    expect.stringMatching(/^New minutes come \w+day\b.*\d\d/),
  ])
})

it('1.4.1: a day without a minute is a day whose minutes are gone', async () => {
  const { element } = await stage({ ...stories.Gone, voice: { usage: { minutesPerDay: 0 } } })
  expect(element.querySelector('[role=meter]')?.getAttribute('aria-valuenow')).toBe('100')
  expect(element.querySelector('.advice')?.textContent).toBe('Your minutes of today are gone.')
})

it('says what is used where there is no limit, and draws no meter', async () => {
  const { element } = await stage(stories.Unlimited)
  expect(element.textContent).toBe('Minutes today12:00 used, without a limit')
  expect(element.querySelector('[role=meter]')).toBeNull()
})

it('4.1.3: says what silence has saved, in no live region', async () => {
  const { element } = await stage(stories.Saved)
  const lines = [...element.querySelectorAll('p:not([role])')].map((line) => line.textContent)
  expect(lines).toEqual(['11:00 of 30:00 used', '4:20 saved in silence'])
})

it('shows nothing if nothing is counted', async () => {
  const { element } = await stage(stories.Uncounted)
  await new Promise(requestAnimationFrame)
  expect(element.textContent).toBe('')
})

it('4.1.3: the time of an open stream goes on, and is in no live region', async () => {
  const { element } = await stage(stories.Counting)
  const shown = element.querySelector('p')?.textContent
  await expect.poll(() => element.querySelector('p')?.textContent).not.toBe(shown)
  expect(element.querySelector('[role=status]')?.textContent).toBe('')
  const counting = element.querySelector('[role=meter]')
  expect(counting?.getAttribute('aria-valuetext')).toBe(element.querySelector('p')?.textContent)
  expect(element.querySelector('[aria-live] [role=meter], [role=status] [role=meter]')).toBeNull()
})

it('3.1.1: the day is in the language of the page', async () => {
  const { element } = await stage(stories.German)
  expect(element.textContent).toMatch(/New minutes come \w+(tag|woch)\b/)
})

it('3.3.1: a failure says what is wrong, with an id for support', async () => {
  const { element } = await stage(stories.Failed)
  expect(await readAloud(element)).toEqual([
    'main',
    'region, Minutes today',
    'heading, Minutes today, level 3',
    'status',
    'alert',
    'Sign in to use this.',
    'end of alert',
    'paragraph',
    'Id for support:',
    'code',
    element.querySelector('code')?.textContent,
    'end of code',
    'button, Copy',
    'end of paragraph',
    'button, Try again',
    'end of region, Minutes today',
    'end of main',
  ])
})

it('says that the id is not copied if the browser refuses', async () => {
  const { element } = await stage(stories.Failed)
  vi.spyOn(navigator.clipboard, 'writeText').mockRejectedValue(new Error('denied'))
  button(element, 'Copy').click()
  await expect.poll(() => button(element, 'Not copied. Select it.')).toBeTruthy()
})

it('2.1.1: with the keyboard alone, the id is copied, and it is tried again', async () => {
  const { element, voice } = await stage(stories.Failed)
  const write = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue()
  await tabInto(element)
  // When the window gets the focus, an expired login is asked again, and the id is another one.
  const pressed = async () => {
    await press('Enter')
    return document.activeElement?.textContent
  }
  await expect.poll(pressed).toBe('Copied')
  const id = element.querySelector('code')?.textContent
  expect(id).toMatch(/^[\w.:-]+$/)
  expect(write.mock.lastCall).toEqual([id])
  voice.user = 'ada'
  await press('Tab', 'Enter')
  await expect.poll(() => element.querySelector('p')?.textContent).toBe('0:00 of 30:00 used')
  expect(element.querySelector('[role=alert]')).toBeNull()
  // 2.4.3: the button is gone, and the focus is not.
  expect(document.activeElement).toBe(element.querySelector('section'))
})

it('keeps what is known when a later request fails', async () => {
  const { element } = await stage(stories.FailedLater)
  expect(element.textContent).toContain('11:00 of 30:00 used')
  expect(element.querySelector('[role=alert]')?.textContent).toBe('Sign in to use this.')
})

describe('without a network', () => {
  const OFFLINE = 'You are offline. This continues when you are back online.'
  const statusOf = (element: HTMLElement) => element.querySelector('[role=status]')?.textContent
  const goOffline = () => onlineManager.setOnline(false)
  const goOnline = () => onlineManager.setOnline(true)
  afterEach(goOnline)

  it('says so, and goes on', async () => {
    goOffline()
    const { element } = await stage({ ...stories.Enough, play: async () => {} })
    await expect.poll(() => statusOf(element)).toBe(OFFLINE)
    goOnline()
    await expect.poll(() => element.textContent).toContain('0:00 of 30:00 used')
    expect(statusOf(element)).toBe('')
  })

  it('keeps what is known, and has no button that does nothing', async () => {
    const { element, voice } = await stage(stories.FailedLater)
    voice.user = 'ada'
    goOffline()
    element.querySelector<HTMLElement>('.failure > button')?.click()
    await expect.poll(() => statusOf(element)).toBe(OFFLINE)
    expect(element.textContent).toContain('11:00 of 30:00 used')
    expect(element.querySelector('.failure')).toBeNull()
    goOnline()
    await expect.poll(() => statusOf(element)).toBe('')
  })
})
