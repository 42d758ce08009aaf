import { useStream, VoiceProvider } from '@stagepass/react'
import { createTestVoice } from '@stagepass/react/testing'
import { Profiler, type ReactNode } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { renderToString } from 'react-dom/server'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Captions } from '../items/captions'
import * as stories from '../stories/captions.stories'
import { choose, hear, line } from '../stories/captions.stories'
import type { ShownStory, Story } from '../stories/Story'
import { button, keyDown, keyUp } from './hands'
import { focusRing, textContrast } from './measure'
import { listen, press, readShort, stage } from './stage'
import { keepsTheRules } from './storyRules'

beforeEach(() => localStorage.clear())
afterEach(() => vi.restoreAllMocks())

const { Nothing, Growing, Speakers, ScrolledBack, TenThousand, LargeHighContrast, TwoLanguages } = stories
const EACH = [Nothing, Growing, Speakers, ScrolledBack, LargeHighContrast, TwoLanguages]

const boxOf = (element: HTMLElement): HTMLElement => element.querySelector('[role=group]')!
const frameOf = (element: HTMLElement): HTMLElement => boxOf(element).parentElement!
const rowsOf = (element: HTMLElement): HTMLElement[] => [
  ...element.querySelectorAll<HTMLElement>('[role=listitem]'),
]
const textsOf = (element: HTMLElement): string[] => rowsOf(element).map(({ textContent }) => textContent)
const switchOf = (element: HTMLElement): HTMLInputElement => element.querySelector('[role=switch]')!
const below = (element: HTMLElement): number => {
  const { scrollHeight, clientHeight, scrollTop } = boxOf(element)
  return scrollHeight - clientHeight - scrollTop
}
const isAway = (element: HTMLElement): boolean => element.querySelector('button') !== null

keepsTheRules(EACH, {
  unfold: (element) => {
    for (const details of element.querySelectorAll('details')) details.open = true
  },
})

it('1.2.4, 3.1.2: what is said is there word by word, with its speaker and its language', async () => {
  const shown = await stage(Speakers)
  const { element } = shown
  await hear(shown, line('בוקר טוב, גם אני שומעת', { speaker: 'Noa', language: 'he', final: false }))
  await hear(shown, line('בוקר טוב, גם אני שומעת.', { speaker: 'Noa', language: 'he' }))
  expect(textsOf(element)).toEqual([
    'AdaGood morning. Can all of you hear me?',
    // The name is shown once while the same person speaks.
    'I see three of you, and wait for one more.',
    'ليلىصباح الخير، أسمعك جيدا. هل نبدأ؟',
    '健太おはようございます。はい、よく聞こえます。',
    'Noaבוקר טוב, גם אני שומעת.',
  ])
  const texts = rowsOf(element).map((row) => row.querySelector<HTMLElement>('[lang]')!)
  expect(texts.map(({ lang }) => lang)).toEqual(['en', 'en', 'ar', 'ja', 'he'])
  // Each on the side where its language begins, and its name with it.
  const directions = rowsOf(element).map((row) => getComputedStyle(row).direction)
  expect(directions).toEqual(['ltr', 'ltr', 'rtl', 'ltr', 'rtl'])
  const [name, row] = [rowsOf(element)[4]!.querySelector('bdi')!, rowsOf(element)[4]!]
  expect(row.getBoundingClientRect().right - name.getBoundingClientRect().right).toBeLessThan(20)
})

it('1.4.1: text that grows is told from the rest without colours', async () => {
  const { element } = await stage(Growing)
  const [final, growing] = rowsOf(element).slice(-2)
  expect([final!.textContent, growing!.textContent]).toEqual([
    'They are better than we had hoped.',
    'We shipped the new …',
  ])
  const borderOf = (row: HTMLElement): string => getComputedStyle(row).borderInlineStartStyle
  expect([borderOf(final!), borderOf(growing!)]).toEqual(['none', 'dotted'])
})

it('a line that a lost connection has cut off does not look as if it still grew', async () => {
  const shown = await stage(Growing)
  await hear(shown, line('We shipped the new release.', { id: 'after the loss' }))
  const [cutOff, final] = rowsOf(shown.element).slice(-2)
  expect([cutOff!.textContent, final!.textContent]).toEqual([
    'We shipped the new',
    'We shipped the new release.',
  ])
  expect(cutOff!.dataset).not.toHaveProperty('growing')
})

it('1.4.3, 1.4.6: each background goes with each contrast, whatever the colours of the page', async () => {
  const { element } = await stage(Growing)
  // A page that has one theme.
  const colours = { text: '#333333', soft: '#666666', surface: '#ffffff' }
  for (const [name, colour] of Object.entries(colours))
    element.style.setProperty(`--stagepass-${name}`, colour)
  const found: string[] = []
  for (const background of ['As the page', 'White', 'Cream', 'Black']) {
    for (const contrast of ['Normal', 'High']) {
      choose(element, 'Background', background)
      choose(element, 'Contrast', contrast)
      await expect.poll(() => frameOf(element).dataset.contrast).toBe(contrast.toLowerCase())
      for (const scheme of ['light', 'dark']) {
        document.documentElement.style.colorScheme = scheme
        const least = Math.min(...rowsOf(element).map(textContrast))
        if (least < (contrast === 'High' ? 7 : 4.5))
          found.push(`${background}, ${contrast}, ${scheme}: ${least}`)
      }
    }
  }
  expect(found).toEqual([])
})

it('1.4.4: the reader chooses size and height, and sees the choice at once', async () => {
  const { element } = await stage(Growing)
  const box = boxOf(element)
  const height = box.clientHeight
  const lineHeight = rowsOf(element)[0]!.offsetHeight
  choose(element, 'Text size', 'Very large')
  await expect.poll(() => getComputedStyle(box).fontSize).toBe('32px')
  expect(box.clientHeight).toBe(2 * height)
  choose(element, 'Text size', 'Normal')
  choose(element, 'Height', '2 lines')
  await expect.poll(() => box.clientHeight).toBeCloseTo(height / 3, 0)
  // The newest line is still in sight, and the first line in sight is a whole one.
  await expect.poll(() => below(element)).toBeLessThanOrEqual(1)
  expect(box.scrollTop % lineHeight).toBeCloseTo(0, 0)
})

it('2.1.1, 2.4.3: keys scroll back, and lead to the newest line again', async () => {
  const shown = await stage(ScrolledBack)
  const { element } = shown
  button(element, 'To the newest').focus()
  await press('Tab')
  const box = boxOf(element)
  expect(document.activeElement).toBe(box)
  const { scrollTop } = box
  await press('ArrowUp')
  await expect.poll(() => box.scrollTop).toBeLessThan(scrollTop)
  // It scrolls smoothly, for a while.
  let last = scrollTop
  await expect.poll(() => last === (last = box.scrollTop), { interval: 200 }).toBe(true)
  await keyDown('Shift')
  await press('Tab')
  await keyUp('Shift')
  expect(document.activeElement).toBe(button(element, 'To the newest'))
  await press('Enter')
  await expect.poll(() => isAway(element)).toBe(false)
  await expect.poll(() => below(element)).toBeLessThanOrEqual(1)
  // The button is gone, and the focus is not.
  expect(document.activeElement).toBe(box)
  await hear(shown, line('62. It follows again.'))
  await expect.poll(() => below(element)).toBeLessThanOrEqual(1)
})

it('2.1.1, 2.4.7: keys reach all controls, and one sees where the focus is', async () => {
  const { element } = await stage(LargeHighContrast)
  switchOf(element).focus()
  await keyDown('Shift')
  await press('Tab')
  await keyUp('Shift')
  const reached: string[] = []
  for (let step = 0; step < 7; step += 1) {
    // Not once more at the end: in Firefox the focus would leave the page, for all tests that follow.
    if (step > 0) await press('Tab')
    const focused = document.activeElement as HTMLElement
    reached.push(focused.getAttribute('role') ?? focused.localName)
    for (const scheme of ['light', 'dark']) {
      document.documentElement.style.colorScheme = scheme
      expect(focusRing()).toBeGreaterThanOrEqual(3)
    }
  }
  expect(reached).toEqual(['group', 'switch', 'summary', 'select', 'select', 'select', 'select'])
})

it('1.3.1, 4.1.2: a screen reader reads speakers, lines and controls', async () => {
  const { element } = await stage(Speakers)
  const said = await readShort(element)
  // The reader of these tests does not know that what is folded is not read.
  expect(said.slice(0, said.indexOf('Appearance of the captions') + 1)).toEqual([
    'region, Captions',
    'heading, Captions, level 3',
    'group, What is said',
    'list',
    'listitem, level 1, position 1, set size 5',
    'Ada',
    'Good morning. Can all of you hear me?',
    'listitem, level 1, position 2, set size 5',
    'I see three of you, and wait for one more.',
    'listitem, level 1, position 3, set size 5',
    'ليلى',
    'صباح الخير، أسمعك جيدا. هل نبدأ؟',
    'listitem, level 1, position 4, set size 5',
    '健太',
    'おはようございます。はい、よく聞こえます。',
    'listitem, level 1, position 5, set size 5',
    'Noa',
    'בוקר טוב, גם אני …',
    'switch, Read final lines aloud with a screen reader, not checked',
    'group',
    'Appearance of the captions',
  ])
  expect(
    said.filter((phrase) => phrase.startsWith('combobox')).map((phrase) => phrase.split(', ')[1]),
  ).toEqual(['Text size', 'Height', 'Background', 'Contrast'])
})

it('4.1.2: a screen reader finds the way to the newest line before the lines', async () => {
  const { element } = await stage(ScrolledBack)
  expect((await readShort(element)).slice(0, 4)).toEqual([
    'region, Captions',
    'heading, Captions, level 3',
    'button, To the newest',
    'group, What is said',
  ])
})

it('4.1.3: nothing is read by itself, until the switch is on: then final lines, once each', async () => {
  const shown = await stage(Growing)
  const { element } = shown
  await using reader = await listen(element)
  await hear(shown, line('We shipped the new release', { final: false }))
  await hear(shown, line('We shipped the new release.'))
  expect(await reader.said()).toEqual([])

  switchOf(element).click()
  await expect.poll(() => switchOf(element).checked).toBe(true)
  for (const grown of ['On', 'On Tuesday', 'On Tuesday, without'])
    await hear(shown, line(grown, { final: false }))
  expect(await reader.said()).toEqual([])
  await hear(shown, line('On Tuesday, without trouble.'))
  await hear(shown, line('Thank you', { final: false, speaker: 'Ben' }))
  await hear(shown, line('Thank you.', { speaker: 'Ben' }))
  await expect
    .poll(() => reader.said())
    .toEqual(['polite: On Tuesday, without trouble.', 'polite: Ben: Thank you.'])

  switchOf(element).click()
  await expect.poll(() => switchOf(element).checked).toBe(false)
  await hear(shown, line('Not read.'))
  expect((await reader.said()).filter((phrase) => phrase.includes('Not read'))).toEqual([])
})

it('follows the end while the reader is there, and does not move a reader who scrolled back', async () => {
  const shown = await stage(ScrolledBack)
  const { element } = shown
  const box = boxOf(element)
  const { scrollTop } = box
  for (let index = 62; index < 70; index += 1) await hear(shown, line(`${index}. Below.`))
  expect([box.scrollTop, isAway(element)]).toEqual([scrollTop, true])
  box.scrollTop = box.scrollHeight
  await expect.poll(() => isAway(element)).toBe(false)
  await hear(shown, line('70. A line that is long enough to be two in a narrow box. '.repeat(3)))
  await expect.poll(() => below(element)).toBeLessThanOrEqual(1)
})

it('lays out the lines in sight of ten thousand, and no others', async () => {
  const { element } = await stage(TenThousand)
  expect(rowsOf(element)).toHaveLength(10_000)
  const laidOut = (): number =>
    rowsOf(element).filter((row) => row.firstElementChild!.checkVisibility({ contentVisibilityAuto: true }))
      .length
  await expect.poll(laidOut).toBeLessThanOrEqual(200)
  expect(laidOut()).toBeGreaterThan(0)
  await expect.poll(() => below(element)).toBeLessThanOrEqual(1)
})

/** The props that React keeps for each row: another object after the row has rendered again. */
const rendersOf = (element: HTMLElement): unknown[] =>
  rowsOf(element)
    .map((row) => Object.entries(row).find(([key]) => key.startsWith('__reactProps$')))
    .map((entry) => entry?.[1])

it('renders the row that changed and no other, and nothing for a message without a text', async () => {
  const onRender = vi.fn()
  const shown = await stage({
    ...Growing,
    Show: () => (
      <Profiler id="captions" onRender={onRender}>
        <Growing.Show />
      </Profiler>
    ),
  })
  const { element, voice } = shown
  const before = rendersOf(element)
  expect(before.filter(Boolean)).toHaveLength(4)
  await hear(shown, line('We shipped the new release', { final: false }))
  const after = rendersOf(element)
  expect(after.map((props, index) => props === before[index])).toEqual([true, true, true, false])

  const renders = onRender.mock.calls.length
  voice.emulator.sockets[0]!.send('null')
  await hear(shown, line('We shipped the new release at last', { final: false }))
  expect(onRender.mock.calls.length).toBe(renders + 1)
})

function Two(): ReactNode {
  const stream = useStream('stt')
  return (
    <>
      <Captions stream={stream} />
      <Captions stream={stream} label="Translation" />
    </>
  )
}
const two: Story = { title: 'Two captions', Show: Two }

const sizes = ({ element }: Pick<ShownStory, 'element'>): string[] =>
  [...element.querySelectorAll<HTMLElement>('[role=group]')].map(({ style }) => style.fontSize)

it('keeps the choices of the reader, for all captions of the page, other tabs and the next visit', async () => {
  const shown = await stage(two)
  expect(sizes(shown)).toEqual(['1em', '1em'])
  choose(shown.element, 'Text size', 'Large')
  choose(shown.element, 'Contrast', 'High')
  await expect.poll(() => sizes(shown)).toEqual(['1.5em', '1.5em'])
  shown.leave()
  shown.element.remove()

  const next = await stage(two)
  expect(sizes(next)).toEqual(['1.5em', '1.5em'])
  expect(frameOf(next.element).dataset.contrast).toBe('high')
  // As another tab does.
  localStorage.setItem('stagepass-captions', 'size=2em&contrast=&toString=1')
  window.dispatchEvent(new StorageEvent('storage', { key: 'stagepass-captions' }))
  await expect.poll(() => sizes(next)).toEqual(['2em', '2em'])
})

it.each(['getItem', 'setItem'] as const)('works where the browser keeps nothing: %s', async (method) => {
  vi.spyOn(Storage.prototype, method).mockImplementation(() => {
    throw new DOMException('no', 'SecurityError')
  })
  const { element } = await stage(Growing)
  expect(sizes({ element })).toEqual(['1em'])
  if (method === 'getItem') return
  choose(element, 'Text size', 'Large')
  await expect.poll(() => sizes({ element })).toEqual(['1.5em'])
  choose(element, 'Height', '2 lines')
  await expect.poll(() => boxOf(element).style.blockSize).toBe('2lh')
  expect(sizes({ element })).toEqual(['1.5em'])
})

it('is the same on the server and in the page, and has the choices of the reader after that', async () => {
  localStorage.setItem('stagepass-captions', 'size=2em')
  const voice = createTestVoice()
  const page = (
    <VoiceProvider client={voice.client}>
      <Two />
    </VoiceProvider>
  )
  const element = document.body.appendChild(document.createElement('main'))
  element.innerHTML = renderToString(page)
  expect(sizes({ element })).toEqual(['1em', '1em'])
  const onRecoverableError = vi.fn()
  const root = hydrateRoot(element, page, { onRecoverableError })
  await expect.poll(() => sizes({ element })).toEqual(['2em', '2em'])
  expect(onRecoverableError).not.toHaveBeenCalled()
  root.unmount()
  element.remove()
  voice.close()
})
