import { useVoiceSession } from '@stagepass/react/audio'
import type { ReactNode } from 'react'
import { afterEach, expect, it, vi } from 'vitest'
import { PushToTalk } from '../items/push-to-talk'
import type { Story } from '../stories/Story'
import * as stories from '../stories/push-to-talk.stories'
import { button, click, keyDown, keyUp, mouseDown, mouseUp, pointAt, tabInto } from './hands'
import { listen, press, readShort, stage } from './stage'
import { keepsTheRules } from './storyRules'

afterEach(() => vi.restoreAllMocks())

const EACH = Object.values(stories)

const wordsOf = (element: HTMLElement): string | undefined =>
  element.querySelector('[role=status]')?.textContent

async function becomes(element: HTMLElement, words: string): Promise<void> {
  await expect.poll(() => wordsOf(element)).toBe(words)
}

const isPressed = (element: HTMLElement): boolean => element.querySelector('[aria-pressed=true]') !== null

const switchOf = (element: HTMLElement): HTMLInputElement => element.querySelector('[role=switch]')!

/** A story, and what is read of it. */
const row = (story: Story, ...words: readonly string[]) => ({ title: story.title, story, words })

keepsTheRules(EACH)

const OFF = 'button, Hold to talk, Speech-to-Text, not pressed'
const ON = 'button, Hold to talk, Speech-to-Text, pressed'
const SWITCH = 'switch, Press once to talk, once to stop, not checked'

it.each([
  row(stories.Off, 'Not listening', OFF, SWITCH),
  row(stories.NotAllowed, 'The microphone is not allowed', OFF, SWITCH),
  row(stories.Connecting, 'Listening while it connects', ON, SWITCH),
  row(stories.Held, 'Listening', ON, SWITCH),
  row(stories.Waiting, 'Listening', ON, SWITCH),
  row(
    stories.Toggled,
    'Listening, press to stop',
    'button, Press to talk, Speech-to-Text, pressed',
    'switch, Press once to talk, once to stop, checked',
  ),
  row(stories.LastWords, 'Last words…', OFF, SWITCH),
  row(
    stories.Refused,
    'Failed to open the microphone: it is not allowed. Allow it in the address bar.',
    OFF,
    SWITCH,
  ),
  row(
    stories.SignedOut,
    'Sign in to talk',
    'button, Hold to talk, Speech-to-Text, disabled, not pressed',
    SWITCH,
  ),
])('1.4.1, 4.1.2: a screen reader reads the state, and what one can do: $title', async ({ story, words }) => {
  const { element } = await stage(story)
  expect(await readShort(element)).toEqual(['status', ...words])
})

it.each([' ', 'Enter'])('2.1.1: the key "%s" is held to talk', async (key) => {
  const { element, voice } = await stage(stories.Off)
  await tabInto(element)
  expect(document.activeElement).toBe(button(element, 'Hold to talk'))
  await keyDown(key)
  await becomes(element, 'Listening')
  expect([isPressed(element), voice.microphone.isOpen]).toEqual([true, true])
  await keyUp(key)
  expect(voice.microphone.isOpen).toBe(false)
  await becomes(element, 'Not listening')
  expect(isPressed(element)).toBe(false)
})

it('2.5.2: the mouse is held to talk, and its release ends it, also off the button', async () => {
  const { element, voice } = await stage(stories.Off)
  const talk = button(element, 'Hold to talk')
  for (const where of [talk, switchOf(element)]) {
    await pointAt(talk)
    await mouseDown()
    await becomes(element, 'Listening')
    await pointAt(where)
    await mouseUp()
    expect(voice.microphone.isOpen).toBe(false)
    await becomes(element, 'Not listening')
  }
  // A press that began on the button does not count on the switch.
  expect(switchOf(element).checked).toBe(false)
})

it('2.1.1, 2.5.2: in the other mode one press begins and one ends, by keys and by the mouse', async () => {
  const { element, voice } = await stage(stories.Off)
  switchOf(element).focus()
  await press(' ')
  const talk = button(element, 'Press to talk')
  const presses = [() => click(talk), () => press('Enter'), () => press(' ')]
  for (const pressOnce of presses) {
    talk.focus()
    await pressOnce()
    await becomes(element, 'Listening, press to stop')
    await pressOnce()
    expect(voice.microphone.isOpen).toBe(false)
    await becomes(element, 'Not listening')
  }
  // It counts when it is released on the button.
  await pointAt(talk)
  await mouseDown()
  await pointAt(switchOf(element))
  await mouseUp()
  expect([isPressed(element), voice.microphone.isOpen]).toEqual([false, false])
})

it('2.5.3: the name begins with the words on the button, and stays the same', async () => {
  const { element } = await stage(stories.Off)
  const talk = button(element, 'Hold to talk')
  const names = new Set<string | null>()
  const note = (): void => void names.add(`${talk.textContent}: ${talk.getAttribute('aria-label')}`)
  note()
  talk.focus()
  await keyDown(' ')
  await becomes(element, 'Listening')
  note()
  await keyUp(' ')
  note()
  expect([...names]).toEqual(['Hold to talk: Hold to talk, Speech-to-Text'])
})

it('4.1.3: each change is said once', async () => {
  const { element } = await stage(stories.Off)
  await using reader = await listen(element)
  button(element, 'Hold to talk').focus()
  await keyDown(' ')
  await becomes(element, 'Listening')
  await keyUp(' ')
  await becomes(element, 'Not listening')
  const said = await reader.said()
  expect(said).toEqual([...new Set(said)])
  expect(said.slice(-3)).toEqual(['polite: Listening', 'polite: Last words…', 'polite: Not listening'])
})

it('S57 the microphone is closed when the mode changes, and when the button goes', async () => {
  const shown = await stage(stories.Off)
  const { element, voice } = shown
  switchOf(element).click()
  await expect.poll(() => switchOf(element).checked).toBe(true)
  await click(button(element, 'Press to talk'))
  await becomes(element, 'Listening, press to stop')
  await click(switchOf(element))
  await becomes(element, 'Not listening')
  expect(voice.microphone.isOpen).toBe(false)
  button(element, 'Hold to talk').focus()
  await keyDown(' ')
  await becomes(element, 'Listening')
  shown.leave()
  expect(voice.microphone.isOpen).toBe(false)
})

function Two(): ReactNode {
  const session = useVoiceSession('stt')
  return (
    <>
      <PushToTalk session={session} name="Speech-to-Text" />
      <PushToTalk session={session} label="Speak" />
    </>
  )
}
const two: Story = { ...stories.Off, Show: Two }

it('keeps the choice of the reader, for each button of the page and for the next visit', async () => {
  const { element } = await stage(two)
  const modes = (): boolean[] =>
    [...element.querySelectorAll<HTMLInputElement>('[role=switch]')].map(({ checked }) => checked)
  expect(modes()).toEqual([false, false])
  switchOf(element).click()
  await expect.poll(modes).toEqual([true, true])
  const next = await stage(stories.Off)
  expect(switchOf(next.element).checked).toBe(true)
})

it.each(['getItem', 'setItem'] as const)('works where the browser keeps nothing: %s', async (method) => {
  vi.spyOn(Storage.prototype, method).mockImplementation(() => {
    throw new DOMException('no', 'SecurityError')
  })
  const { element } = await stage(stories.Off)
  switchOf(element).click()
  await expect.poll(() => switchOf(element).checked).toBe(method === 'setItem')
  expect(button(element, method === 'setItem' ? 'Press to talk' : 'Hold to talk')).toBeTruthy()
})

it('leaves the choice to a page that makes it', async () => {
  const onMode = vi.fn()
  function Given(): ReactNode {
    const session = useVoiceSession('stt')
    return (
      <>
        <PushToTalk session={session} mode="hold" onMode={onMode} />
        <PushToTalk session={session} mode="toggle" />
      </>
    )
  }
  const { element } = await stage({ ...stories.Off, Show: Given })
  expect(element.querySelectorAll('[role=switch]')).toHaveLength(1)
  switchOf(element).click()
  expect(onMode.mock.calls).toEqual([['toggle']])
  expect([switchOf(element).checked, localStorage.length]).toEqual([false, 0])
})
