import type { Check } from '../checks/Check.js'
import { ok, type Outcome, warn } from '../report/Result.js'
import { PARAMETER_NAMES } from './list/candidates.js'
import { chooseMarks, possibleMarks } from './list/chooseMarks.js'
import type { Params } from './list/createMeetingsRequests.js'
import { FEW_ITEMS } from './meetingsList.js'
import { type Item, type Page, startOf, tagsOf, wordsOf } from './list/readPage.js'
import { tagParams } from './list/tagParams.js'
import { isPage, type ListResult, listTolerantly, see, type WireContext } from './WireContext.js'

const ASK = 'Ask the service for the missing name, and set it in meetings.wire.params.'
const PASTE = 'Paste the wire below into the BFF.'
const MORE = 'Use the credential of a person who has more meetings, with different dates, titles and tags.'

/** Start and end bound by one request: each name has another time, and the meetings that are missing show which counted. (Assumptions: "Bounds".) */
export const bounds: Check<WireContext> = {
  name: 'meetings bounds',
  needs: ['meetings'],
  async run(context) {
    const { draft, found } = context
    const times = [...new Set((found.first as Page).items.map(startOf))]
      .filter(Number.isFinite)
      .toSorted((a, b) => b - a)
    if (times.length < FEW_ITEMS) return warn('There are too few meetings with different dates.', MORE)
    const count = Math.floor((times.length - 1) / 2)
    // Between the meeting with this number and the next older one.
    const after = (at: number): string =>
      new Date(((times[at] as number) + (times[at + 1] as number)) / 2).toISOString()
    const to = PARAMETER_NAMES.to.slice(0, count)
    const from = PARAMETER_NAMES.from.slice(0, count)
    const params = Object.fromEntries([
      ...to.map((name, at) => [name, after(at)] as const),
      ...from.map((name, at) => [name, after(times.length - 2 - at)] as const),
    ])
    const page = await listTolerantly(context, params)
    if (isPage(page) && page.items.length > 0) {
      const positions = page.items.map((item) => times.indexOf(startOf(item)))
      const newest = Math.min(...positions.filter((at) => at >= 0))
      const endBound = to[newest - 1]
      if (endBound !== undefined) see(draft, 'to', endBound)
      const startBound = from[times.length - 2 - Math.max(...positions)]
      // An older meeting than those of the first page shows that no start bound counted.
      if (startBound !== undefined && !positions.includes(-1)) see(draft, 'from', startBound)
    }
    return describe(context, ['from', 'to'])
  },
}

/** Each name has another word of a title. */
export const search: Check<WireContext> = {
  name: 'meetings search',
  needs: ['meetings'],
  async run(context) {
    const { items } = context.found.first as Page
    const used: string[] = []
    const newWordsOf = (item: Item): string[] => wordsOf(item).filter((word) => !used.includes(word))
    for (let names = PARAMETER_NAMES.q; names.length > 0 && !context.draft.seen.has('params.q');) {
      const words = chooseMarks(items, newWordsOf, names.length)
      if (words.length === 0) break
      const params = Object.fromEntries(words.map((word, at) => [names[at] ?? '', word]))
      used.push(...words)
      names = noteNames(context, 'q', params, await listTolerantly(context, params))
    }
    return describe(context, ['q'])
  },
}

/** Each name has another tag. */
export const tagFilter: Check<WireContext> = {
  name: 'meetings tags',
  needs: ['meetings'],
  async run(context) {
    if ((context.found.first as Page).items.every((item) => tagsOf(item).length === 0))
      return warn('No meeting of the first page has a tag, so the tag filter was not tried.', MORE)
    const { first, tagged } = context.found
    const params = tagParams((first as Page).items)
    const page = tagged ?? (await listTolerantly(context, params))
    noteNames(context, 'tags', params, page)
    return describe(context, ['tags'])
  },
}

/** The names whose values can have filtered the page. Only one: it did. */
function noteNames(context: WireContext, role: 'q' | 'tags', params: Params, page: ListResult): string[] {
  const first = context.found.first as Page
  if (!isPage(page) || isSame(first, page)) return []
  // Participants and notes are searched too, so not every title has the word.
  const [marksOf, share] = role === 'q' ? ([wordsOf, 0] as const) : ([tagsOf, 1] as const)
  const marks = possibleMarks(Object.values(params), first.items, page.items, marksOf, share)
  const names = Object.keys(params).filter((name) => marks.includes(params[name] ?? ''))
  if (names.length === 1 && names[0] !== undefined) see(context.draft, role, names[0])
  return names
}

const isSame = (one: Page, other: Page): boolean =>
  one.items.map(({ id }) => id).join() === other.items.map(({ id }) => id).join()

const TITLES = {
  from: 'the start bound',
  to: 'the end bound',
  q: 'the search',
  tags: 'the tag filter',
} as const

function describe({ draft, requests }: WireContext, roles: readonly (keyof typeof TITLES)[]): Outcome {
  const missing = roles.filter((role) => !draft.seen.has(`params.${role}`))
  const parts = roles.map((role) =>
    missing.includes(role) ? `${TITLES[role]} was not found` : `${TITLES[role]} is "${draft.params[role]}"`,
  )
  const text = parts.join(', ')
  const seen = `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
  if (missing.length === 0) return ok(seen, PASTE)
  return warn(requests.listsLeft === 0 ? `${seen} All list requests of this run are used.` : seen, ASK)
}
