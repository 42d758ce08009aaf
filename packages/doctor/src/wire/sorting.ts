import type { Check } from '../checks/Check.js'
import { DEFAULT_MEETING_FIELDS } from '@stagepass/contract'
import { ok, type Outcome, warn } from '../report/Result.js'
import { OLDEST_WORDS, PARAMETER_NAMES } from './candidates.js'
import type { Params } from './createMeetingsRequests.js'
import { durationOf, type Item, ownershipOf, type Page, startOf } from './readPage.js'
import { readRefusal } from './readRefusal.js'
import { FEW_ITEMS } from './meetingsList.js'
import { isPage, listPage, see, type WireContext } from './WireContext.js'

type SortingRole = 'sort_by' | 'order' | 'ownership'
const ROLES = ['sort_by', 'order', 'ownership'] as const satisfies readonly SortingRole[]

const ROUNDS = 3

/** The value of each role that each name has in each round. No two names of a role have the same values in all rounds. */
const VALUES: Readonly<Record<SortingRole, readonly string[]>> = {
  sort_by: ['date', 'duration'],
  order: ['newest', 'oldest'],
  ownership: ['all', 'mine', 'shared'],
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
    const left: Record<SortingRole, readonly string[]> = {
      sort_by: names('sort_by'),
      order: names('order'),
      ownership: names('ownership'),
    }
    const effects: Record<SortingRole, boolean> = { sort_by: false, order: false, ownership: false }
    const words = [...OLDEST_WORDS]
    for (let round = 0; round < ROUNDS;) {
      const params = paramsOf(left, round, words[0] ?? 'oldest')
      const result = await listPage(context, { ...params, ...(round === 0 && { fields: FIELDS.join() }) })
      if (result === 'spent') break
      if (!isPage(result)) {
        if (result.status !== 400 || !learn(context, left, words, params, result.text)) break
        continue
      }
      if (round === 0) noteFields(context, first, result)
      const values = observe(first, result, words[0] ?? 'oldest')
      for (const role of ROLES) {
        const value = values[role]
        if (value === undefined) continue
        if (value !== VALUES[role][0]) effects[role] = true
        left[role] = left[role].filter((name) => (params[name] ?? VALUES[role][0]) === value)
      }
      noteWords(context, values.ownership, first, result)
      if (ROLES.every((role) => effects[role] && left[role].length === 1)) break
      round += 1
    }
    for (const role of ROLES) {
      const [name, ...more] = left[role]
      if (name !== undefined && more.length === 0 && effects[role]) see(context.draft, role, name)
    }
    if (context.draft.seen.has('params.order')) {
      context.draft.order.oldest = words[0] ?? 'oldest'
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
  const last = values.length ** ROUNDS - 1
  const number = last - 1 - PARAMETER_NAMES[role].indexOf(name)
  const code = number < 1 ? last : number
  return values[Math.floor(code / values.length ** round) % values.length] ?? ''
}

function paramsOf(
  left: Readonly<Record<SortingRole, readonly string[]>>,
  round: number,
  oldest: string,
): Params {
  const pairs = ROLES.flatMap((role) =>
    left[role].map((name) => {
      const value = valueOf(role, name, round)
      return [name, value === 'oldest' ? oldest : value] as const
    }),
  )
  return Object.fromEntries(pairs)
}

/** Makes the next request a better one after a 400. False if there is nothing to change. */
function learn(
  { found }: WireContext,
  left: Record<SortingRole, readonly string[]>,
  words: string[],
  params: Params,
  text: string,
): boolean {
  const { name, role, oldest } = readRefusal(text, params)
  if (oldest !== undefined && oldest !== words[0]) {
    words.unshift(oldest)
    if (name !== undefined) left.order = [name]
    return true
  }
  if (name !== undefined) {
    const isOf = (one: SortingRole): boolean => left[one].includes(name)
    const owner = ROLES.find(isOf)
    if (owner === undefined || owner === role) return words.shift() !== undefined && words.length > 0
    left[owner] = left[owner].filter((other) => other !== name)
    if (role === 'sort_by' || role === 'order' || role === 'ownership') left[role] = [name]
    found.refused.add(name)
    return true
  }
  // It says nothing. The word of the direction is the one that is least sure.
  words.shift()
  return words.length > 0
}

/** The values that counted, as far as the meetings show them. */
function observe(first: Page, { items }: Page, oldest: string): Partial<Record<SortingRole, string>> {
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
      order: isReversed ? oldest : 'newest',
    }),
    ...ownershipSeen(first, items),
  }
}

function isSorted(numbers: readonly number[]): boolean {
  return numbers.every((number, at) => at === 0 || number >= (numbers[at - 1] ?? number))
}

function ownershipSeen(first: Page, items: readonly Item[]): { ownership?: string } {
  if (new Set(first.items.map(ownershipOf)).size < 2 || items.length < 3) return {}
  const [word, ...more] = new Set(items.map(ownershipOf))
  if (word === undefined || more.length > 0) return { ownership: 'all' }
  return { ownership: /shar/i.test(word) ? 'shared' : 'mine' }
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
