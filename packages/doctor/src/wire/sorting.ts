import type { Check } from '../checks/Check.js'
import { DEFAULT_MEETING_FIELDS, PAGE_SIZE } from '@stagepass/contract'
import { ok, type Outcome, warn } from '../report/Result.js'
import { DIRECTIONS, PARAMETER_NAMES } from './list/candidates.js'
import type { Params } from './list/createMeetingsRequests.js'
import { durationOf, type Item, ownershipOf, type Page, startOf } from './list/readPage.js'
import { type Direction, readRefusal } from './list/readRefusal.js'
import { FEW_ITEMS } from './meetingsList.js'
import { tagParams } from './list/tagParams.js'
import { isPage, listPage, see, type WireContext } from './WireContext.js'

type SortingRole = 'sort_by' | 'order' | 'ownership'
const ROLES = ['sort_by', 'order', 'ownership'] as const satisfies readonly SortingRole[]

const ROUNDS = 3
const LAST_ROUND = ROUNDS - 1

/** Two of the three values of `ownership` in two rounds tell eight names apart. */
const OWNERSHIP_ROUNDS = 2

/** The value of each role that each name has in each round. No two names of a role have the same values in all rounds. */
const VALUES: Readonly<Record<SortingRole, readonly string[]>> = {
  sort_by: ['date', 'duration'],
  order: ['newest', 'oldest'],
  ownership: ['all', 'mine', 'shared'],
}

interface Sorting {
  /** Names that are possible still. */
  readonly left: Record<SortingRole, readonly string[]>
  /** Has the role had an effect? Without one, the last name that is left may be no name at all. */
  readonly effects: Record<SortingRole, boolean>
  /** Words of the two directions. The first is tried. */
  readonly directions: Direction[]
}

const isSettled = ({ left, effects }: Sorting): boolean =>
  (['sort_by', 'order'] as const).every(
    (role) => left[role].length === 0 || (effects[role] && left[role].length === 1),
  )

/** One round: again after a 400 that teaches something. */
async function ask(context: WireContext, state: Sorting, round: number, more: Params): Promise<void> {
  const { left, effects, directions } = state
  const first = context.found.first as Page
  for (;;) {
    const params = paramsOf(left, round, directions[0] ?? DIRECTIONS[0])
    const result = await listPage(context, { ...params, ...more })
    if (result === 'spent') return
    if (!isPage(result)) {
      if (result.status !== 400 || !learn(state, params, result.text)) return
      continue
    }
    if ('fields' in more) noteFields(context, first, result)
    if (round === LAST_ROUND && Object.keys(more).length > 0) context.found.tagged = result
    const values = observe(first, result)
    for (const role of ROLES) {
      const value = values[role]
      if (value === undefined) continue
      if (value !== VALUES[role][0]) effects[role] = true
      left[role] = left[role].filter((name) => valueOf(role, name, round) === value)
    }
    noteWords(context, values.ownership, first, result)
    return
  }
}

/** The last round also tries the tag filter: on a whole list, the order is seen in spite of it. */
function askedWithTags({ draft, found }: WireContext): Params {
  const tags = tagParams((found.first as Page).items)
  return draft.seen.has('params.limit') && Object.keys(tags).length > 0
    ? { ...tags, [draft.params.limit]: String(PAGE_SIZE.max) }
    : {}
}

/**
 * Sort field, direction and ownership by the same three requests. The order and the words of the meetings that come show the value that
 * counted, and the values of three rounds show the name. (Assumptions: "Meetings wire", "Meeting fields".)
 */
export const sorting: Check<WireContext> = {
  name: 'meetings sorting',
  needs: ['meetings'],
  async run(context) {
    const first = context.found.first as Page
    if (first.items.length < FEW_ITEMS)
      return warn(
        'There are too few meetings to see an order.',
        'Use the credential of a person who has more meetings.',
      )
    const state: Sorting = {
      left: { sort_by: names('sort_by'), order: names('order'), ownership: names('ownership') },
      effects: { sort_by: false, order: false, ownership: false },
      directions: [...DIRECTIONS],
    }
    const { left, effects, directions } = state
    await ask(context, state, 0, { fields: FIELDS.join() })
    await ask(context, state, 1, {})
    left.ownership = left.ownership.slice(0, left.ownership.length === 1 ? 1 : 0)
    if (!isSettled(state)) await ask(context, state, 2, askedWithTags(context))
    // The filter may have left too few meetings to see an order. The bounds and the search need a request each.
    if (!isSettled(state) && context.requests.listsLeft > 2) await ask(context, state, 2, {})
    for (const role of ROLES) {
      const [name, ...more] = left[role]
      if (name !== undefined && more.length === 0 && effects[role]) see(context.draft, role, name)
    }
    if (context.draft.seen.has('params.order')) {
      Object.assign(context.draft.order, directions[0])
      context.draft.seen.add('order.oldest').add('order.newest')
    }
    return describe(context)
  },
}

const FIELDS = ['id', ...DEFAULT_MEETING_FIELDS.filter((field) => field !== 'source'), 'participants']

const names = (role: SortingRole): readonly string[] => PARAMETER_NAMES[role]

/** The digits of the name's number, in the base of the role's values. Number 0 would be no value at all, so they begin with the last. */
function valueOf(role: SortingRole, name: string, round: number): string {
  const values = VALUES[role]
  const last = values.length ** (role === 'ownership' ? OWNERSHIP_ROUNDS : ROUNDS) - 1
  const number = last - 1 - PARAMETER_NAMES[role].indexOf(name)
  const code = number < 1 ? last : number
  return values[Math.floor(code / values.length ** round) % values.length] ?? ''
}

function paramsOf(
  left: Readonly<Record<SortingRole, readonly string[]>>,
  round: number,
  direction: Direction,
): Params {
  const pairs = ROLES.flatMap((role) =>
    left[role].map((name) => {
      const value = valueOf(role, name, round)
      return [name, value === 'oldest' || value === 'newest' ? direction[value] : value] as const
    }),
  )
  return Object.fromEntries(pairs)
}

/** Makes the next request a better one after a 400. False if there is nothing to change. */
function learn({ left, directions }: Sorting, params: Params, text: string): boolean {
  const { name, role, direction } = readRefusal(text, params)
  if (direction !== undefined && !isSame(direction, directions[0])) {
    directions.unshift(direction)
    if (name !== undefined) left.order = [name]
    return true
  }
  const owner = ROLES.find((one) => name !== undefined && left[one].includes(name))
  if (name !== undefined && owner !== undefined && owner !== role) {
    left[owner] = left[owner].filter((other) => other !== name)
    if (role === 'sort_by' || role === 'order' || role === 'ownership') left[role] = [name]
    return true
  }
  // It says nothing. The words of the direction are the least sure.
  directions.shift()
  return directions.length > 0
}

const isSame = (one: Direction, other: Direction | undefined): boolean =>
  one.newest === other?.newest && one.oldest === other.oldest

/** The values that counted, as far as the meetings show them. */
function observe(first: Page, { items }: Page): Partial<Record<SortingRole, string>> {
  const durations = items.map(durationOf)
  const falling = isSorted(durations.map((duration) => -duration))
  const rising = isSorted(durations)
  const enough = items.length >= FEW_ITEMS && new Set(durations).size >= 3
  const byDuration = falling || rising
  const starts = items.map(startOf)
  const climbs = starts.filter((start, at) => at > 0 && start > (starts[at - 1] ?? start)).length
  const isReversed = byDuration ? rising : climbs > (items.length - 1) / 2
  return {
    ...(enough && {
      sort_by: byDuration ? 'duration' : 'date',
      order: isReversed ? 'oldest' : 'newest',
    }),
    ...ownershipSeen(first, items),
  }
}

function isSorted(numbers: readonly number[]): boolean {
  return numbers.every((number, at) => at === 0 || number >= (numbers[at - 1] ?? number))
}

/** The words of the field are not those of the filter. Others say too little. (Assumptions: "Meeting fields".) */
const WORDS_OF_FILTER = [
  ['shared', /shar|guest|invit/i],
  ['mine', /own|mine|^my|host|creat/i],
] as const

function ownershipSeen(first: Page, items: readonly Item[]): { ownership?: string } {
  if (new Set(first.items.map(ownershipOf)).size < 2 || items.length < 3) return {}
  const [word, ...more] = new Set(items.map(ownershipOf))
  if (word === undefined || more.length > 0) return { ownership: 'all' }
  const value = WORDS_OF_FILTER.find(([, pattern]) => pattern.test(word))?.[0]
  return value === undefined ? {} : { ownership: value }
}

/** The words of the field, from the meetings that the filter left. */
function noteWords(
  { draft, redactor }: WireContext,
  value: string | undefined,
  first: Page,
  { items }: Page,
): void {
  if (value !== 'mine' && value !== 'shared') return
  const word = ownershipOf(items[0] as Item) ?? ''
  const others = [...new Set(first.items.map(ownershipOf))].filter((one) => one !== undefined && one !== word)
  const isPlain = (text: string | undefined): text is string =>
    text !== undefined && /^[\w.-]{1,64}$/.test(text) && redactor.isSafe(text)
  if (!isPlain(word) || !others.every(isPlain)) return
  draft.ownershipWords[value] = [word]
  draft.ownershipWords[value === 'mine' ? 'shared' : 'mine'] = others
  draft.seen.add('ownershipWords.mine').add('ownershipWords.shared')
}

/** `source` was not asked for, and `participants` is never sent unless it is. (Contract: "Meeting".) */
function noteFields({ draft }: WireContext, first: Page, { items }: Page): void {
  const had = first.items.some((item) => 'source' in item)
  if (had && items.length > 0 && items.every((item) => !('source' in item))) draft.seen.add('params.fields')
}

function describe({ draft }: WireContext): Outcome {
  const say = (role: SortingRole | 'fields', title: string): string =>
    draft.seen.has(`params.${role}`) ? `${title} is "${draft.params[role]}"` : `${title} was not found`
  const parts = [
    say('sort_by', 'the sort field'),
    say('order', 'the direction'),
    say('ownership', 'the ownership filter'),
    say('fields', 'the field selection'),
  ]
  const text = parts.join(', ')
  const seen = `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
  return text.includes('was not found')
    ? warn(seen, 'Ask the service for the missing name, and set it in meetings.wire.params.')
    : ok(seen, 'Paste the wire below into the BFF.')
}
