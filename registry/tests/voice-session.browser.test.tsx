import { fail, hang } from '@stagepass/emulator/browser'
import { useVoiceSession } from '@stagepass/react/audio'
import { voiceTranslation } from '@stagepass/react/codecs'
import { type ReactNode, useState } from 'react'
import { flushSync } from 'react-dom'
import { expect, it, vi } from 'vitest'
import { VoiceSession } from '../items/voice-session'
import type { Story } from '../stories/Story'
import * as stories from '../stories/voice-session.stories'
import { button, click, keyDown, keyUp, mouseDown, mouseUp, pointAt, tabInto } from './hands'
import { listen, press, readShort, stage } from './stage'
import { keepsTheRules } from './storyRules'

const TRANSLATION = voiceTranslation({ source_language: 'en-US', target_language: 'es-ES', voice: 'female' })

const EACH = Object.values(stories)

const lineOf = (element: HTMLElement): string | undefined =>
  element.querySelector('.line:not(:empty)')?.textContent

async function becomes(element: HTMLElement, words: string): Promise<void> {
  await expect.poll(() => lineOf(element)).toBe(words)
}

/** A story, and what is read of it. */
const row = (story: Story, ...words: readonly string[]) => ({ title: story.title, story, words })

keepsTheRules(EACH)

const WAITING =
  'Waiting for speech. The microphone stays on to notice it. Nothing is sent, and no minutes count.'
const START = 'button, Start, Speech-to-Text'
const AGAIN = 'button, Try again, Speech-to-Text'
const END = 'button, End, Speech-to-Text'
const PAUSE = 'button, Pause, Speech-to-Text'

it.each([
  row(stories.Idle, 'The microphone is off.', START),
  row(
    stories.NotAllowed,
    'The microphone is not allowed. Press the icon before the address of this page, and allow the microphone.',
    START,
  ),
  row(stories.Starting, 'Connecting. What you say is kept.', END),
  row(stories.Active, 'You are heard.', END, PAUSE),
  row(stories.Waiting, WAITING, END, PAUSE),
  row(stories.Paused, 'Paused. You are not heard.', END, 'button, Go on, Speech-to-Text'),
  row(stories.Taken, 'A call or another application has the microphone. You are not heard.', END, PAUSE),
  row(
    stories.Stopped,
    'The microphone has stopped. It is restarted automatically. You are not heard.',
    END,
    PAUSE,
  ),
  row(stories.Unplugged, 'The microphone is gone. Plug it in, or choose another one.', END, PAUSE),
  row(
    stories.Blocked,
    'You are heard. To hear the answer, press “Play the sound”.',
    'button, Play the sound, Speech-to-Text',
    END,
    PAUSE,
  ),
  row(
    stories.LastWords,
    'The microphone is off. Your last words are on their way.',
    'button, End now, Speech-to-Text',
  ),
  row(
    stories.SignedOut,
    'Sign in to begin.',
    'button, Sign in, Speech-to-Text',
    'button, Start, Speech-to-Text, disabled',
  ),
])('1.4.1, 4.1.2: a screen reader reads the state, and what one can do: $title', async ({ story, words }) => {
  const { element } = await stage(story)
  expect(await readShort(element)).toEqual([
    'region, Speech-to-Text',
    'heading, Speech-to-Text, level 3',
    'status',
    ...words.slice(0, 1),
    'alert',
    ...words.slice(1),
  ])
})

it.each([
  row(
    stories.Refused,
    'The microphone is not allowed. Press the icon before the address of this page, allow the microphone, and try again.',
    AGAIN,
  ),
  row(
    stories.MinutesGone,
    'Your minutes are used up, or too few to begin. There are new ones when the next day or month begins.',
    AGAIN,
  ),
  row(
    stories.CompanyMinutesGone,
    'The minutes of your company are used up. You cannot change that here: ask who manages this service in your company.',
    AGAIN,
  ),
  row(
    stories.SignInOver,
    'Your sign-in has ended. Sign in again to go on.',
    'button, Sign in again, Speech-to-Text',
    AGAIN,
  ),
  row(
    stories.Failed,
    'The prepaid credit is used up. Ask the operator of this site to check its voice service account.',
    'Id for support:',
    'code',
    '00000000-0000-4000-8000-000000000001',
    'button, Copy, Speech-to-Text',
    AGAIN,
  ),
])('3.3.1, 3.3.3: a screen reader reads what is wrong, and what to do: $title', async ({ story, words }) => {
  const { element } = await stage(story)
  expect(await readShort(element)).toEqual([
    'region, Speech-to-Text',
    'heading, Speech-to-Text, level 3',
    'status',
    'alert',
    ...words,
  ])
})

it('2.1.1: the keys start, pause and end, and the focus stays where it is', async () => {
  const { element, voice } = await stage(stories.Idle)
  const main = button(element, 'Start')
  await tabInto(element)
  expect(document.activeElement).toBe(main)
  await press('Enter')
  await becomes(element, 'You are heard.')
  expect([document.activeElement, main.textContent]).toEqual([main, 'End'])
  const pause = button(element, 'Pause')
  pause.focus()
  await press(' ')
  await becomes(element, 'Paused. You are not heard.')
  expect([document.activeElement, pause.textContent]).toEqual([pause, 'Go on'])
  await press(' ')
  await becomes(element, 'You are heard.')
  main.focus()
  await press('Enter')
  await becomes(element, 'The microphone is off.')
  expect([document.activeElement, main.textContent]).toEqual([main, 'Start'])
  expect(voice.microphone.isOpen).toBe(false)
})

it('2.1.1: a key that is held down starts once, and pauses once', async () => {
  const { element } = await stage(stories.Idle)
  button(element, 'Start').focus()
  for (let times = 0; times < 7; times += 1) await keyDown('Enter')
  await keyUp('Enter')
  await becomes(element, 'You are heard.')
  const pause = button(element, 'Pause')
  pause.focus()
  for (let times = 0; times < 6; times += 1) await keyDown('Enter')
  await becomes(element, 'Paused. You are not heard.')
  expect(pause.textContent).toBe('Go on')
})

it('2.5.2: a press that is taken off the button does nothing', async () => {
  const { element, voice } = await stage(stories.Idle)
  const main = button(element, 'Start')
  await pointAt(main)
  await mouseDown()
  await pointAt(element.querySelector('h3')!)
  await mouseUp()
  main.focus()
  await keyDown(' ')
  main.blur()
  await keyUp(' ')
  expect([voice.microphone.isOpen, lineOf(element)]).toEqual([false, 'The microphone is off.'])
  await click(main)
  await becomes(element, 'You are heard.')
})

it('after an outage the seconds that are not sent yet are shown, until they are', async () => {
  const { element, voice } = await stage({
    ...stories.Active,
    Show: function Interpreter() {
      return <VoiceSession session={useVoiceSession('vt', { codec: TRANSLATION })} name="Translation" />
    },
  })
  voice.microphone.speak(new Int16Array(30 * 16_000).fill(8_000))
  const mend = voice.emulator.use(hang({ on: 'handshake' }))
  voice.emulator.sockets[0]?.drop()
  await expect.poll(() => element.textContent).toContain('6 seconds of what you said are kept.')
  mend()
  await expect.poll(() => element.textContent).toMatch(/\d seconds of what you said wait to be sent\./)
  await expect.poll(() => element.textContent).not.toContain('what you said')
})

it('4.1.3: a loss is said once; the seconds that are kept are shown, and not said', async () => {
  const { element, voice } = await stage(stories.Active)
  await using reader = await listen(element)
  voice.emulator.use(hang({ on: 'handshake' }))
  voice.emulator.sockets[0]?.drop()
  await expect.poll(() => element.textContent).toContain('3 seconds of what you said are kept.')
  await expect.poll(() => element.textContent).toContain('What you said before is lost.')
  const said = await reader.said()
  expect(said[0]).toBe('polite: The connection was closed. This page connects again by itself.')
  // On a busy machine the next try has failed meanwhile, which is another reason.
  expect(said).toEqual([...new Set(said)])
  expect(said.join()).not.toContain('kept')
  // While it is paused, nothing is said that could be kept.
  button(element, 'Pause').click()
  await expect.poll(() => element.textContent).not.toContain('kept')
})

it('4.1.3: the first wait for speech is said; later ones are shown, and not said', async () => {
  const { element, voice } = await stage({ ...stories.Idle, Show: stories.Waiting.Show })
  await using reader = await listen(element)
  await click(button(element, 'Start'))
  await becomes(element, WAITING)
  for (let times = 0; times < 2; times += 1) {
    voice.microphone.speak(new Int16Array(16_000).fill(5_000))
    await becomes(element, 'You are heard.')
    await becomes(element, WAITING)
  }
  // What changes it otherwise is said, and so is what comes after it.
  await click(button(element, 'Pause'))
  await becomes(element, 'Paused. You are not heard.')
  await click(button(element, 'Go on'))
  await becomes(element, WAITING)
  const said = await reader.said()
  expect(said.slice(said.indexOf('polite: You are heard.'))).toEqual([
    'polite: You are heard.',
    `polite: ${WAITING}`,
    'polite: Paused. You are not heard.',
    `polite: ${WAITING}`,
  ])
})

it('counts down to the next try, and tries at once on a press', async () => {
  const { element, voice } = await stage(stories.Active)
  await using reader = await listen(element)
  const stop = voice.emulator.use(fail('concurrency_limit_exceeded', { times: Infinity }))
  voice.emulator.sockets[0]?.drop()
  // The waits grow until one is long enough to be counted down.
  await expect.poll(() => element.textContent).toMatch(/The next try is in [3-9] s\./)
  stop()
  button(element, 'Try now').focus()
  button(element, 'Try now').click()
  await becomes(element, 'You are heard.')
  expect(element.textContent).not.toMatch(/next try|Try now/)
  // 2.4.3: the button is gone, and the focus is not.
  expect(document.activeElement).toBe(element.querySelector('section'))
  expect((await reader.said()).join()).not.toContain('next try')
})

it('counts a pause of minutes, as a server may ask for it, in minutes', async () => {
  const { element } = await stage({
    ...stories.Reconnecting,
    Show: function Paused() {
      const session = useVoiceSession('stt')
      const [retryAt] = useState(() => new Date(Date.now() + 4.5 * 60_000))
      const stream = { ...session.stream, retryAt } as typeof session.stream
      return <VoiceSession session={{ ...session, stream }} name="Speech-to-Text" />
    },
  })
  await expect.poll(() => element.textContent).toContain('The next try is in 5 min.')
})

it('4.1.3: an error interrupts, and is said once', async () => {
  const { element, voice } = await stage(stories.Idle)
  await using reader = await listen(element)
  voice.microphone.refuse()
  button(element, 'Start').click()
  await expect.poll(() => button(element, 'Try again')).toBeTruthy()
  expect((await reader.said()).filter((phrase) => phrase.startsWith('assertive'))).toEqual([
    expect.stringContaining('assertive: The microphone is not allowed.'),
  ])
  // The person has allowed it.
  button(element, 'Try again').click()
  await becomes(element, 'You are heard.')
  expect(element.querySelector('[role=alert]')!.textContent).toBe('')
})

it('4.1.3: what came of copying is said, and stands on the button', async () => {
  const copying = vi.spyOn(navigator.clipboard, 'writeText').mockRejectedValueOnce(new Error('no'))
  const { element } = await stage(stories.Failed)
  await using reader = await listen(element)
  button(element, 'Copy').click()
  await becomes(element, 'Not copied. Select it.')
  copying.mockResolvedValueOnce()
  button(element, 'Not copied. Select it.').click()
  await becomes(element, 'Copied')
  expect(button(element, 'Copied').getAttribute('aria-label')).toBe('Copied, Speech-to-Text')
  expect(copying).toHaveBeenLastCalledWith('00000000-0000-4000-8000-000000000001')
  expect(await reader.said()).toEqual(['polite: Not copied. Select it.', 'polite: Copied'])
})

it('goes on by itself when the microphone is plugged in, or given back', async () => {
  const { element, voice } = await stage(stories.Unplugged)
  voice.microphone.plug()
  await becomes(element, 'You are heard.')
  voice.microphone.setTaken(true)
  await expect.poll(() => lineOf(element)).toContain('has the microphone')
  voice.microphone.setTaken(false)
  await becomes(element, 'You are heard.')
})

it('goes on by itself when sound comes from the microphone again', async () => {
  const { element, voice } = await stage(stories.Stopped)
  voice.microphone.setDead(false)
  await expect.poll(() => lineOf(element)).toBe('You are heard.')
})

it('lets the sound out by a press', async () => {
  const { element, voice } = await stage(stories.Blocked)
  const { length } = voice.loudspeaker.heard()
  await click(button(element, 'Play the sound'))
  await becomes(element, 'You are heard.')
  expect(document.activeElement).toBe(element.querySelector('section'))
  await expect.poll(() => voice.loudspeaker.heard().length).toBeGreaterThan(length)
})

it('leads to the login, if the page has one', async () => {
  const onSignIn = vi.fn()
  function Show(): ReactNode {
    return <VoiceSession session={useVoiceSession('stt')} name="Speech-to-Text" onSignIn={onSignIn} />
  }
  const { element } = await stage({ ...stories.SignInOver, Show })
  button(element, 'Sign in again').click()
  expect(onSignIn).toHaveBeenCalledTimes(1)
})

it('ends at once by a second press during the last words', async () => {
  const { element, voice } = await stage(stories.LastWords)
  expect(voice.microphone.isOpen).toBe(false)
  button(element, 'End now').click()
  await becomes(element, 'The microphone is off.')
})

it('4.1.2: a screen reader reads the place in the queue, and the one button leaves it', async () => {
  const { element, voice } = await stage(stories.InTheQueue)
  expect(await readShort(element)).toEqual([
    'region, Speech-to-Text',
    'heading, Speech-to-Text, level 3',
    'status',
    'Everything is in use. You are not heard until it is your turn.',
    'status',
    'You are 1st of 1 in the queue.',
    'alert',
    'button, Leave the queue, Speech-to-Text',
  ])
  await tabInto(element)
  await press('Enter')
  await becomes(element, 'The microphone is off.')
  expect(element.querySelector('.place')).toBeNull()
  expect(document.activeElement?.textContent).toBe('Start')
  expect(voice.emulator.counts.token).toBe(1)
})

it('4.1.3: in a minute in the queue a screen reader hears the place at most every ten seconds', async () => {
  let setPlace = (_place: number): void => {}
  const { element } = await stage({
    title: 'A place that changes',
    Show: function Waiting() {
      const session = useVoiceSession('stt')
      const [place, set] = useState(60)
      setPlace = set
      const stream = {
        ...session.stream,
        status: 'queued',
        queue: { place, of: 60 },
      } as typeof session.stream
      return <VoiceSession session={{ ...session, stream, status: 'queued', error: null }} name="Waiting" />
    },
  })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  const said: string[] = []
  const region = element.querySelector('.unseen')
  for (let second = 1; second <= 60; second += 1) {
    flushSync(() => setPlace(60 - second || 1))
    flushSync(() => vi.advanceTimersByTime(1_000))
    if (said.at(-1) !== region?.textContent) said.push(region?.textContent ?? '')
  }
  vi.useRealTimers()
  expect(element.querySelector('.place')?.textContent).toBe('You are 1st of 60 in the queue.')
  expect(said).toEqual([
    'You are 60th of 60 in the queue.',
    'You are 50th of 60 in the queue.',
    'You are 40th of 60 in the queue.',
    'You are 30th of 60 in the queue.',
    'You are 20th of 60 in the queue.',
    'You are 10th of 60 in the queue.',
    'You are 1st of 60 in the queue.',
  ])
})
