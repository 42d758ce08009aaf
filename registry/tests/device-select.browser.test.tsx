import { afterEach, expect, it, vi } from 'vitest'
import * as stories from '../stories/device-select.stories'
import { button, click, keyDown, keyUp, tabInto } from './hands'
import { listen, press, readShort, stage } from './stage'
import { keepsTheRules } from './storyRules'

afterEach(() => vi.restoreAllMocks())

const EACH = Object.values(stories)

const menu = (element: HTMLElement, label: string): HTMLSelectElement =>
  [...element.querySelectorAll('select')].find(({ labels }) => labels[0]?.textContent === label)!

const choose = (select: HTMLSelectElement, value: string): void => {
  select.value = value
  select.dispatchEvent(new Event('change', { bubbles: true }))
}

const optionsOf = (select: HTMLSelectElement): string[] => [...select.options].map(({ text }) => text)

const meterOf = (element: HTMLElement): HTMLElement => element.querySelector('[role=meter]')!

const levelOf = (element: HTMLElement): number => Number(meterOf(element).getAttribute('aria-valuenow'))

/** From now on no frame comes by itself. Returns a function that runs the frames of a time at once. */
async function holdFrames(): Promise<(durationMs: number) => void> {
  const waiting: FrameRequestCallback[] = []
  vi.spyOn(window, 'requestAnimationFrame').mockImplementation((paint) => waiting.push(paint))
  await expect.poll(() => waiting.length).toBeGreaterThan(0)
  return (durationMs) => {
    const beginMs = performance.now()
    for (let ms = 0; ms < durationMs; ms += 16) for (const paint of waiting.splice(0)) paint(beginMs + ms)
  }
}

const noteOf = (element: HTMLElement): string | undefined =>
  element.querySelector('[role=status]')?.textContent

keepsTheRules(EACH)

it('1.3.1, 4.1.2: a screen reader reads the devices, the level, and what is not as it was chosen', async () => {
  const { element } = await stage(stories.Another)
  const said = await readShort(element)
  expect(said.filter((phrase) => !phrase.startsWith('option, '))).toEqual([
    'Microphone',
    expect.stringContaining('combobox, Microphone, Headset'),
    'button, Mute, not pressed',
    'meter, Level of the microphone, min value 0, max value 100, 0',
    'status',
    'The chosen microphone cannot be used now. You are heard through Scripted microphone until it can.',
    'Loudspeaker',
    expect.stringContaining('combobox, Loudspeaker'),
    'button, Start',
  ])
})

it('shows each name in its own direction', async () => {
  const { element } = await stage(stories.Another)
  const named = (select: HTMLSelectElement) => [...select.options].filter(({ value }) => value !== '')
  const options = ['Microphone', 'Loudspeaker'].flatMap((label) => named(menu(element, label)))
  expect(options.length).toBeGreaterThan(2)
  expect(options.filter(({ dir }) => dir !== 'auto')).toEqual([])
})

it('2.4.6, 4.1.2: if a page has several, each name says for whom', async () => {
  const { element } = await stage(stories.Named)
  const named = [...element.querySelectorAll('.stagepass-device-select [aria-label]')]
  expect(named.map((one) => one.getAttribute('aria-label'))).toEqual([
    'Microphone, Speech-to-Text',
    'Mute, Speech-to-Text',
    'Level of the microphone, Speech-to-Text',
    'Loudspeaker, Speech-to-Text',
  ])
})

it('1.1.1, 4.1.2: the level is painted for the eye, and written as a number twice a second, without a render', async () => {
  const { element, voice } = await stage(stories.Speaking)
  const meter = meterOf(element)
  const runFrames = await holdFrames()
  const written = vi.spyOn(meter, 'setAttribute')
  const painted = vi.spyOn(meter.style, 'setProperty')
  runFrames(2_000)
  expect(written.mock.calls).toHaveLength(4)
  expect(painted.mock.calls.length).toBeGreaterThan(written.mock.calls.length)
  expect(meterOf(element)).toBe(meter)
  expect(voice.microphone.isOpen).toBe(true)
})

it('2.3.3: with reduced motion the level steps twice a second', async () => {
  vi.spyOn(window, 'matchMedia').mockReturnValue({ matches: true } as MediaQueryList)
  const { element } = await stage(stories.Speaking)
  const runFrames = await holdFrames()
  const painted = vi.spyOn(meterOf(element).style, 'setProperty')
  runFrames(2_000)
  expect(painted.mock.calls).toHaveLength(4)
})

it('1.4.1, 2.1.1, 4.1.2: the keys mute, and words say it beside the pressed button', async () => {
  const { element } = await stage(stories.Speaking)
  const mute = button(element, 'Mute')
  await tabInto(element)
  expect(document.activeElement).toBe(menu(element, 'Microphone'))
  await press('Tab')
  expect(document.activeElement).toBe(mute)
  await press(' ')
  await expect.poll(() => mute.getAttribute('aria-pressed')).toBe('true')
  expect(element.textContent).toContain('You are not heard.')
  await press('Enter')
  await expect.poll(() => mute.getAttribute('aria-pressed')).toBe('false')
  await expect.poll(() => levelOf(element)).toBeGreaterThan(30)
})

it('2.1.1: a key that is held down mutes once', async () => {
  const { element } = await stage(stories.Speaking)
  const mute = button(element, 'Mute')
  mute.focus()
  const clicks = vi.fn()
  element.addEventListener('click', clicks)
  for (const key of ['Enter', ' ']) {
    for (let times = 0; times < 7; times += 1) await keyDown(key)
    await keyUp(key)
  }
  expect(clicks).toHaveBeenCalledTimes(2)
  await press('Enter')
  await expect.poll(() => mute.getAttribute('aria-pressed')).toBe('true')
  // Only Enter is held back: a Tab that is held down goes on. Not further: in Firefox the focus would leave
  // the page, for all tests that follow.
  for (let times = 0; times < 2; times += 1) await keyDown('Tab')
  expect(document.activeElement).not.toBe(mute)
})

it('2.5.2: the mouse mutes when it is released', async () => {
  const { element } = await stage(stories.Speaking)
  await click(button(element, 'Mute'))
  await expect.poll(() => element.textContent).toContain('You are not heard.')
})

it('4.1.3: another device than the chosen one is said once, and the menu keeps the chosen one', async () => {
  const { element, voice } = await stage(stories.Speaking)
  await using reader = await listen(element)
  const microphones = menu(element, 'Microphone')
  choose(microphones, 'Headset')
  await expect
    .poll(() => optionsOf(microphones))
    .toEqual(['System default', 'Scripted microphone', 'Headset'])
  expect(microphones.value).toBe('Headset')
  const { length } = voice.emulator.frames
  await expect.poll(() => voice.emulator.frames.length).toBeGreaterThan(length + 10)
  voice.microphone.unplug('Headset')
  const note =
    'The chosen microphone cannot be used now. You are heard through Scripted microphone until it can.'
  await expect.poll(() => noteOf(element)).toBe(note)
  expect(microphones.value).toBe('Headset')
  expect(optionsOf(microphones)).toEqual(['System default', 'Headset (not connected)', 'Scripted microphone'])
  voice.microphone.plug('Headset')
  await expect.poll(() => noteOf(element)).toBe('')
  expect(optionsOf(microphones)).toEqual(['System default', 'Scripted microphone', 'Headset'])
  choose(microphones, '')
  await expect.poll(() => microphones.value).toBe('')
  expect(await reader.said()).toEqual([`polite: ${note}`])
})

it('numbers the devices until they have names, and says when they come', async () => {
  const { element } = await stage(stories.Unnamed)
  expect(optionsOf(menu(element, 'Microphone'))).toEqual(['System default', 'Microphone 1'])
  expect(optionsOf(menu(element, 'Loudspeaker'))).toEqual(['System default', 'Loudspeaker 1'])
  expect(element.textContent).toContain('The names come when you allow the microphone.')
  button(element, 'Start').click()
  await expect
    .poll(() => optionsOf(menu(element, 'Microphone')))
    .toEqual(['System default', 'Scripted microphone'])
  expect(element.textContent).not.toContain('The names come')
})

it('plays on the loudspeaker that was chosen', async () => {
  const { element } = await stage(stories.Speaking)
  // Not in TypeScript's types.
  const context = AudioContext.prototype as unknown as { setSinkId(deviceId: string): Promise<void> }
  const chosen = vi.spyOn(context, 'setSinkId')
  choose(menu(element, 'Loudspeaker'), 'Scripted loudspeaker')
  await expect.poll(() => chosen.mock.calls).toEqual([['Scripted loudspeaker']])
})

it('has no menu of loudspeakers where the system chooses', async () => {
  const { element } = await stage(stories.NoLoudspeaker)
  expect(menu(element, 'Loudspeaker')).toBe(undefined)
})
