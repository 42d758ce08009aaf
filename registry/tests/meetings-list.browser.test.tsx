import { oddFields } from '@stagepass/emulator/browser'
import { meetingsOptions, VoiceProvider } from '@stagepass/react'
import { onlineManager, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { hydrateRoot } from 'react-dom/client'
import { renderToString } from 'react-dom/server'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { MeetingsList } from '../items/meetings-list'
import * as stories from '../stories/meetings-list.stories'
import type { Story } from '../stories/Story'
import { button, keyDown, tabInto } from './hands'
import { focusRing } from './measure'
import { listen, press, readShort, stage } from './stage'
import { keepsTheRules } from './storyRules'

const rowsOf = (element: HTMLElement) => [...element.querySelectorAll<HTMLElement>('h4 > button')]

const statusOf = (element: HTMLElement) => element.querySelector('form + [role=status]')?.textContent

const control = (element: HTMLElement, name: string) =>
  element.querySelector<HTMLInputElement>(`[name=${name}]`) ?? expect.fail(`There is no control ${name}.`)

const focused = () => document.activeElement?.textContent

/** Two meetings, so that all of it can be read aloud. */
const Two: Story = { ...stories.Listed, voice: { meetings: stories.Listed.voice?.meetings?.slice(0, 2) } }

keepsTheRules(Object.values(stories), {
  // A row has no boundary: the lines and the arrow say where it is.
  isAllowed: (misfit, element) =>
    rowsOf(element).some(
      ({ textContent }) => misfit.startsWith('1.4.11') && misfit.includes(`${textContent} has`),
    ),
})

/** The words of a screen reader from here on, with dates that are the same in each time zone and engine. */
async function readFrom(element: HTMLElement, first: RegExp): Promise<string[]> {
  const spoken = await readShort(element)
  return spoken
    .slice(spoken.findIndex((phrase) => first.test(phrase)))
    .map((phrase) => phrase.replaceAll(/\w{3} \d+, 2026, [\d:]+\s[AP]M/g, 'DATE'))
}

it('1.3.1: a screen reader says what can be chosen, and what there is', async () => {
  const { element } = await stage(Two)
  // The tags come with a request of their own.
  await expect.poll(() => element.querySelector('[name=tags]')).not.toBeNull()
  expect(await readFrom(element, /^region/)).toMatchInlineSnapshot(`
    [
      "region, Meetings",
      "heading, Meetings, level 3",
      "button, Refresh",
      "search, Meetings",
      "Search",
      "searchbox, Search",
      "Order",
      "combobox, Order, newest, has popup listbox, not expanded",
      "option, Newest, newest, not selected, position 1, set size 5",
      "option, Oldest, oldest, not selected, position 2, set size 5",
      "option, Longest, longest, not selected, position 3, set size 5",
      "option, Shortest, shortest, not selected, position 4, set size 5",
      "option, Edited, edited, not selected, position 5, set size 5",
      "Whose",
      "combobox, Whose, all, has popup listbox, not expanded",
      "option, All, all, not selected, position 1, set size 3",
      "option, Yours, mine, not selected, position 2, set size 3",
      "option, Shared with you, shared, not selected, position 3, set size 3",
      "From",
      "From",
      "To",
      "To",
      "Tag",
      "combobox, Tag, has popup listbox, not expanded",
      "option, Any, not selected, position 1, set size 3",
      "option, Design, tag-design, not selected, position 2, set size 3",
      "option, Product, tag-product, not selected, position 3, set size 3",
      "button, Clear filters",
      "status",
      "2 of 2 meetings",
      "list, not busy",
      "listitem, level 1, position 1, set size 2",
      "heading, Roadmap 1 DATE · 15 min, level 4",
      "button, Roadmap 1 DATE · 15 min, not expanded",
      "DATE · 15 min",
      "listitem, level 1, position 2, set size 2",
      "heading, Design review 2 DATE · 25 min · Shared, level 4",
      "button, Design review 2 DATE · 25 min · Shared, not expanded",
      "DATE · 25 min · Shared",
    ]
  `)
})

it('1.3.1: a screen reader says what an open meeting holds', async () => {
  const { element } = await stage({ ...Two, ...(stories.Open.play && { play: stories.Open.play }) })
  expect(await readFrom(element, /^listitem/)).toMatchInlineSnapshot(`
    [
      "listitem, level 1, position 1, set size 2",
      "heading, Roadmap 1 DATE · 15 min, level 4",
      "button, Roadmap 1 DATE · 15 min, expanded",
      "DATE · 15 min",
      "Source:",
      "Zoom",
      "People:",
      "Ada Lovelace",
      ",",
      "ben@example.com",
      "Tags:",
      "Product",
      "button, Load again",
      "listitem, level 1, position 2, set size 2",
      "heading, Design review 2 DATE · 25 min · Shared, level 4",
      "button, Design review 2 DATE · 25 min · Shared, not expanded",
      "DATE · 25 min · Shared",
    ]
  `)
})

it('1.3.1: a screen reader says that a meeting is still processed', async () => {
  const { element } = await stage({
    ...stories.Processing,
    voice: { meetings: [{ id: 'new', processing: true }] },
    play: ({ element }) => vi.waitFor(() => expect(element.textContent).toContain('still')),
  })
  await expect.poll(() => element.textContent).not.toContain('Loading')
  expect(await readFrom(element, /^listitem/)).toMatchInlineSnapshot(`
    [
      "listitem, level 1, position 1, set size 1",
      "heading, Meeting, level 4",
      "button, Meeting, expanded",
      "status",
      "This meeting is still being processed. Try again in a moment.",
      "button, Look again",
    ]
  `)
})

/** Presses Tab until this has the focus. */
async function tabTo(target: HTMLElement): Promise<void> {
  // Without a focus in the page, Tab may leave it.
  if (document.activeElement === document.body) await tabInto(target.closest('main')!)
  for (let step = 0; document.activeElement !== target; step += 1) {
    if (step > 60) throw new Error('The focus does not come there.')
    await press('Tab')
  }
}

it('2.1.1, 2.4.3: with the keyboard alone, one searches, filters, opens and closes', async () => {
  const { element } = await stage(stories.Listed)
  await tabTo(control(element, 'search'))
  await press(...Array.from('design'))
  await expect.poll(() => statusOf(element)).toBe('8 of 8 meetings')
  await tabTo(control(element, 'ownership'))
  // A letter chooses the entry that begins with it.
  await press('S')
  await expect.poll(() => statusOf(element)).toBe('4 of 4 meetings')
  const [row = expect.fail('There is no row.')] = rowsOf(element)
  await tabTo(row)
  await press('Enter')
  expect(row.getAttribute('aria-expanded')).toBe('true')
  await expect.poll(() => element.querySelector('li')?.textContent).toContain('Ada Lovelace, ben@example.com')
  expect(document.activeElement).toBe(row)
  await press('Tab')
  expect(focused()).toBe('Load again')
  row.focus()
  await press(' ')
  expect(row.getAttribute('aria-expanded')).toBe('false')
  expect(element.querySelector('li')?.textContent).not.toContain('Load again')
  expect(document.activeElement).toBe(row)
})

it('2.1.1: a key that is held down opens a meeting once', async () => {
  const { element } = await stage(stories.Listed)
  await expect.poll(() => rowsOf(element)).toHaveLength(20)
  const [row = expect.fail('There is no row.')] = rowsOf(element)
  row.focus()
  for (let times = 0; times < 6; times += 1) await keyDown('Enter')
  expect(row.getAttribute('aria-expanded')).toBe('true')
})

it('2.4.3: the focus goes on to the first row that a press has loaded', async () => {
  const { element } = await stage(stories.Listed)
  await expect.poll(() => rowsOf(element)).toHaveLength(20)
  const more = button(element, 'Load more')
  // The focus scrolls to the end, so a page may come on its own before the press.
  let before = 0
  more.addEventListener('click', () => (before = rowsOf(element).length), { capture: true })
  more.focus()
  await press('Enter')
  await expect.poll(() => before && rowsOf(element).length > before).toBe(true)
  expect(document.activeElement).toBe(rowsOf(element)[before])
})

it('2.4.3: the focus stays on what clears, refreshes and loads again', async () => {
  const { element } = await stage(stories.NoMatch)
  await tabTo(button(element, 'Clear filters'))
  await press('Enter')
  await expect.poll(() => statusOf(element)).toBe('20 of 45 meetings')
  expect(control(element, 'search').value).toBe('')
  expect(focused()).toBe('Clear filters')
  button(element, 'Refresh').focus()
  await press('Enter')
  await expect.poll(() => focused()).toBe('Refresh')
  rowsOf(element)[0]?.click()
  await expect.poll(() => element.textContent).toContain('Load again')
  button(element, 'Load again').focus()
  await press('Enter')
  await expect.poll(() => focused()).toBe('Load again')
})

it('4.1.3: a screen reader hears how many there are, and that they are on their way', async () => {
  const { element } = await stage(stories.Listed)
  await using reader = await listen(element)
  control(element, 'search').focus()
  await press('z')
  await expect.poll(reader.said).toEqual(['polite: Loading…', 'polite: No meeting matches.'])
  button(element, 'Clear filters').click()
  await expect.poll(async () => (await reader.said()).at(-1)).toBe('polite: 20 of 45 meetings')
})

it('4.1.3: an empty list says so', async () => {
  const { element } = await stage(stories.NoMeetings)
  expect(statusOf(element)).toBe('There are no meetings yet.')
})

it('3.3.1: days that make no sense are said in words, and the list stays', async () => {
  const { element, voice } = await stage(stories.WrongDays)
  const [from, to] = [control(element, 'from'), control(element, 'to')]
  const problem = element.querySelector('[role=alert]')
  expect(problem?.textContent).toBe('“From” must not be after “To”.')
  for (const day of [from, to])
    expect([day.getAttribute('aria-describedby'), day.getAttribute('aria-invalid')]).toEqual([
      problem?.id,
      'true',
    ])
  expect([from.max, to.min]).toEqual(['2026-01-10', '2026-01-20'])
  expect(to.max >= '2026-11-26').toBe(true)
  // From the 20th on, up to the 30th.
  await expect.poll(() => statusOf(element)).toBe('11 of 11 meetings')
  expect(voice.emulator.requests.filter(({ query }) => 'to' in query)).toEqual([])
})

it('3.3.1: a day in the future is said in other words', async () => {
  const { element } = await stage(stories.FutureDay)
  expect(element.querySelector('[role=alert]')?.textContent).toBe('No day may be in the future.')
})

it('3.3.1: a failure has an id for support, which is copied, and a button that tries again', async () => {
  const { element } = await stage(stories.Failed)
  const write = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue()
  expect(element.querySelector('[role=alert]')?.textContent).toContain('refused the meetings credential')
  expect(element.querySelector('code')?.textContent).toBe('4711c0de-0000-4000-8000-00000000ada1')
  await tabTo(button(element, 'Copy the id for support'))
  await press('Enter')
  await expect.poll(focused).toBe('Copied')
  expect(write.mock.calls).toEqual([['4711c0de-0000-4000-8000-00000000ada1']])
  await press('Tab')
  expect(focused()).toBe('Try again')
  await press('Enter')
  await expect.poll(() => rowsOf(element)).toHaveLength(20)
  expect(document.activeElement).toBe(rowsOf(element)[0])
  expect(element.querySelector('.failure')).toBeNull()
})

it.each([
  ['refuses', () => vi.spyOn(navigator.clipboard, 'writeText').mockRejectedValue(new Error('denied'))],
  ['has no clipboard', () => vi.spyOn(navigator, 'clipboard', 'get').mockReturnValue(undefined as never)],
])('says that the id is not copied if the browser %s', async (_, prevent) => {
  const { element } = await stage(stories.Failed)
  prevent()
  button(element, 'Copy the id for support').click()
  await expect.poll(() => button(element, 'Not copied. Select it.')).toBeTruthy()
})

it('keeps the rows when a later page is refused, and does not repeat it: a press loads the list again', async () => {
  const { element } = await stage(stories.FailedLater)
  expect(rowsOf(element)).toHaveLength(20)
  button(element, 'Load the list again').click()
  await expect.poll(() => element.querySelector('[role=alert]')).toBeNull()
  expect(rowsOf(element).length).toBeGreaterThanOrEqual(20)
})

it('keeps the rows when a refresh fails, and refreshes again', async () => {
  const { element, voice } = await stage(stories.NotRefreshed)
  expect(rowsOf(element)).toHaveLength(20)
  voice.user = 'ada'
  voice.emulator.meetings.add({ id: 'fresh', title: 'Just now' })
  button(element, 'Refresh').click()
  await expect.poll(() => rowsOf(element)[0]?.textContent).toContain('Just now')
  await expect.poll(() => element.querySelector('[role=alert]')).toBeNull()
})

it('shows a meeting that is still processed when it is ready', async () => {
  const { element, voice } = await stage(stories.Processing)
  const [row] = rowsOf(element)
  expect(row?.getAttribute('aria-expanded')).toBe('true')
  expect(element.querySelector('.failure [role=status]')?.textContent).toContain('still being processed')
  voice.emulator.meetings.update('new', { processing: false })
  button(element, 'Look again').click()
  await expect.poll(() => row?.textContent).toContain('Stand-up')
  expect(element.querySelector('.failure')).toBeNull()
})

it('says of a meeting that was added later why it stands above a newer one', async () => {
  const { element } = await stage(stories.AddedLater)
  const facts = () => rowsOf(element).map((row) => row.querySelector('small')?.textContent)
  await expect
    .poll(facts)
    .toEqual([
      expect.stringMatching(/Jan 5, 2026.* · added after the one below$/),
      expect.not.stringContaining('added'),
    ])
  const sortBy = (value: string): void => {
    control(element, 'sort').value = value
    control(element, 'sort').dispatchEvent(new Event('change', { bubbles: true }))
  }
  sortBy('oldest')
  await expect
    .poll(facts)
    .toEqual([
      expect.stringMatching(/Jan 28, 2026/),
      expect.stringMatching(/Jan 5, 2026.* · added after the one above$/),
    ])
  sortBy('longest')
  await expect.poll(() => facts().join()).not.toContain('added')
})

it('says nothing of what is not known, and the other meetings stay', async () => {
  const { element } = await stage(stories.Odd)
  expect(element.querySelector('li')?.textContent).toBe('Untitled meetingLoad again')
  expect(rowsOf(element)).toHaveLength(20)
  expect(rowsOf(element)[1]?.textContent).toMatch(/Design review 2.+25 min/)
})

it('says nothing of no duration, an empty title and people without a name', async () => {
  const values = {
    title: ' ',
    started_at: null,
    duration: 0,
    source: null,
    tags: null,
    ownership: null,
    participants: [
      { first_name: null, last_name: null, email: null },
      { first_name: '', email: 'b@x.org' },
    ],
  }
  const { element } = await stage({ ...stories.Odd, voice: { ...Two.voice, faults: [oddFields(values)] } })
  await expect.poll(() => element.querySelector('li')?.textContent).toContain('People: b@x.org')
  expect(element.querySelector('li')?.textContent).toBe('Untitled meetingPeople: b@x.orgLoad again')
})

it('asks for a meeting when it is opened, and for no other', async () => {
  const { voice } = await stage(stories.Open)
  const asked = voice.emulator.requests.filter(({ path }) => path.includes('/meetings/'))
  expect(asked.map(({ path }) => path)).toEqual(['/v1/meetings/m1'])
  await stage(stories.WithNotes)
  expect(document.body.textContent).toContain('The notes of m1.')
})

it('has no control that the user may not use, and asks for nothing that it would need', async () => {
  const { element, voice } = await stage(stories.LessAllowed)
  const names = [...element.querySelectorAll('label')].map(({ firstChild }) => firstChild?.textContent)
  expect(names).toEqual(['Search', 'Order', 'From', 'To'])
  expect(voice.emulator.requests.filter(({ path }) => path.endsWith('/tags'))).toEqual([])
  expect(element.querySelector('li')?.textContent).toMatch(/^Roadmap 1.*15 minLoad again$/)
})

it('has no control for tags if there are none', async () => {
  const { element } = await stage(stories.NoMeetings)
  expect(element.querySelector('[name=tags]')).toBeNull()
})

it('narrows the list by a tag, and sorts it', async () => {
  const { element } = await stage(stories.Listed)
  await tabTo(control(element, 'sort'))
  await press('S')
  await expect.poll(() => rowsOf(element)[0]?.textContent).toContain('15 min')
  await expect.poll(() => rowsOf(element)[19]?.textContent).toContain('35 min')
  await tabTo(control(element, 'tags'))
  await press('H')
  await expect.poll(() => statusOf(element)).toBe('8 of 8 meetings')
})

it('loads a page when the end of the list comes into view', async () => {
  const { element } = await stage(stories.Listed)
  window.scrollTo(0, document.body.scrollHeight)
  await expect.poll(() => rowsOf(element).length).toBeGreaterThan(20)
  expect(rowsOf(element)).not.toContain(document.activeElement)
})

it('shows each name in its own direction, and a title that one cannot see as untitled', async () => {
  const values = {
    title: '\u2066\u200F\u200B\u3164',
    participants: [
      { first_name: '\u202Eevil', last_name: 'x' },
      { first_name: '\u200B' },
      { first_name: 'דנה', last_name: 'כהן' },
    ],
  }
  const { element } = await stage({ ...stories.Odd, voice: { ...Two.voice, faults: [oddFields(values)] } })
  const namesIn = (inside: string) =>
    [...element.querySelectorAll(`li:first-child ${inside} bdi`)].map((name) => name.textContent)
  await expect.poll(() => namesIn('p').length).toBeGreaterThan(1)
  expect(namesIn('h4')).toEqual(['Untitled meeting'])
  expect(namesIn('p')).toEqual(expect.arrayContaining(['\u202Eevil x', 'דנה כהן']))
  expect(namesIn('p')).not.toContain('\u200B')
})

it('has no date in the page of a server, which does not know the time zone, and dates after it', async () => {
  const { voice } = await stage(stories.Listed)
  const queries = new QueryClient()
  const fields = ['title', 'started_at', 'duration', 'ownership', 'tags'] as const
  await queries.prefetchInfiniteQuery(meetingsOptions(voice.client, { fields }))
  const tree = (
    <QueryClientProvider client={queries}>
      <VoiceProvider client={voice.client}>
        <MeetingsList filters={['search']} />
      </VoiceProvider>
    </QueryClientProvider>
  )
  const element = document.querySelector('main')!.appendChild(document.createElement('div'))
  element.innerHTML = renderToString(tree)
  expect(element.textContent).toContain('Roadmap 1')
  expect(element.textContent).not.toContain('2026')
  const onRecoverableError = vi.fn()
  const root = hydrateRoot(element, tree, { onRecoverableError })
  await expect.poll(() => rowsOf(element)[0]?.textContent).toContain('2026')
  expect(onRecoverableError).not.toHaveBeenCalled()
  root.unmount()
})

it('S35: is empty after a change of user', async () => {
  const { element, voice } = await stage(stories.Filtered)
  voice.client.reset()
  await expect.poll(() => statusOf(element)).toBe('20 of 45 meetings')
  expect(control(element, 'search').value).toBe('')
})

it('3.1.1: dates are in the language of the page', async () => {
  const { element } = await stage(stories.German)
  expect(rowsOf(element)[0]?.textContent).toMatch(/30\.01\.2026/)
})

it.each(['en_US.UTF-8', 'sr@latin', 'C', ''])(
  'shows dates, although the page calls its language %j',
  async (lang) => {
    const { element } = await stage({ ...stories.Listed, lang })
    expect(rowsOf(element)[0]?.textContent).toContain('2026')
  },
)

describe('without a network', () => {
  const OFFLINE = 'You are offline. This continues when you are back online.'
  const buttonsOf = (element: HTMLElement) =>
    [...element.querySelectorAll('section > button, li > div button')].map(({ textContent }) => textContent)
  const goOffline = () => onlineManager.setOnline(false)
  const goOnline = () => onlineManager.setOnline(true)
  afterEach(goOnline)

  it('a list that is opened says so, has no button that does nothing, and goes on', async () => {
    goOffline()
    const { element } = await stage({ ...stories.Listed, play: async () => {} })
    await expect.poll(() => statusOf(element)).toBe(OFFLINE)
    expect(buttonsOf(element)).toEqual([])
    goOnline()
    await expect.poll(() => statusOf(element)).toBe('20 of 45 meetings')
    expect(buttonsOf(element)).toEqual(['Refresh', 'Load more'])
  })

  it.each(['Refresh', 'Load more'])('%s says so, and is done when the network is back', async (words) => {
    const { element, voice } = await stage(stories.Listed)
    await expect.poll(() => buttonsOf(element)).toEqual(['Refresh', 'Load more'])
    goOffline()
    voice.emulator.meetings.add({ id: 'fresh', title: 'Just now' })
    button(element, words).click()
    await expect.poll(() => statusOf(element)).toBe(OFFLINE)
    expect(buttonsOf(element)).toEqual([])
    expect(rowsOf(element)).toHaveLength(20)
    goOnline()
    await expect.poll(() => rowsOf(element).length).toBeGreaterThan(20)
    expect(statusOf(element)).not.toBe(OFFLINE)
    expect(buttonsOf(element)).toContain('Refresh')
  })

  it('a meeting that is opened says so, and goes on', async () => {
    const { element } = await stage(stories.Listed)
    goOffline()
    rowsOf(element)[0]?.click()
    await expect.poll(() => element.querySelector('li')?.textContent).toContain(OFFLINE)
    expect(element.querySelector('li > div button')).toBeNull()
    goOnline()
    await expect.poll(() => element.querySelector('li')?.textContent).toContain('Ada Lovelace')
    expect(element.querySelector('li')?.textContent).not.toContain(OFFLINE)
  })
})

it('2.4.7: one sees where the focus is', async () => {
  const { element } = await stage(stories.Listed)
  for (const target of [
    button(element, 'Refresh'),
    control(element, 'search'),
    rowsOf(element)[0] ?? element,
  ]) {
    await tabTo(target)
    expect(focusRing()).toBeGreaterThanOrEqual(3)
  }
})
