import { type MeetingRow, type MeetingsQueryRole, readTags } from '@stagepass/contract'
import type { Check } from '../checks/Check.js'
import { contradicted, notProvable, type Outcome, proven } from '../report/Result.js'
import { haveCommon, MORE, type Page, type Rows, type WireContext } from './WireContext.js'

type Values = readonly [one: string, other: string] | undefined

/** A parameter is asked alone, with two values whose effects differ. (Contract: "Query parameters".) */
interface Experiment {
  readonly role: MeetingsQueryRole
  /** What the role is to a person. */
  readonly what: string
  /** The two values. `undefined`: with these meetings no two values have different effects. */
  values(all: Rows, context: WireContext): Values | Promise<Values>
  /** How the values are printed, if they are of the account's meetings. */
  readonly shown?: readonly [string, string]
  /** The effects that the values must have. */
  readonly effect: string
  /** What the two values gave, and the list without the parameter. */
  isRight(one: Rows, other: Rows, all: Rows, value: string): boolean
  /**
   * May one of the values be refused? It then gave nothing: a service that ignores a parameter refuses none
   * of its values.
   */
  readonly mayRefuse?: boolean
}

/** What no title and no tag has. */
const NONSENSE = 'stagepassdoctornosuchword'

/** A bound may stand for its whole day, in any time zone. (Assumptions: "Bounds".) */
const MARGIN_MS = 2 * 86_400_000

const BOUNDS = {
  shown: ['(before all)', '(behind all)'],
  values(all: Rows): Values {
    const starts = startsOf(all)
    if (starts.length === 0) return undefined
    const [first, last] = [Math.min(...starts), Math.max(...starts, Date.now())]
    return [new Date(first - MARGIN_MS).toISOString(), new Date(last + MARGIN_MS).toISOString()]
  },
} as const

const EXPERIMENTS: readonly Experiment[] = [
  {
    role: 'limit',
    what: 'the page size',
    values: (all) => (all.length > 3 ? ['3', '7'] : undefined),
    effect: 'shorter pages',
    // A service can have a smallest page. A difference of one can be a meeting that came or went in between.
    isRight: ({ length: small }, { length: large }, { length: usual }) =>
      small < usual && (small < large || (small === large && small < usual - 1)),
  },
  {
    role: 'ownership',
    what: 'the ownership filter',
    values: (all) => (all.length > 0 ? ['mine', 'shared'] : undefined),
    effect: 'different meetings',
    isRight: (mine, shared) => !isSame(mine, shared) && !haveCommon(mine, shared),
  },
  {
    role: 'sort_by',
    what: 'the sort field',
    values: (all) => (isSorted(durationsOf(all)) ? undefined : ['date', 'duration']),
    effect: 'the usual order and that of the durations',
    isRight: (date, duration, all) => isSame(date, all) && isSorted(durationsOf(duration)),
  },
  {
    role: 'order',
    what: 'the sort direction',
    values: (all, { wire: { order } }) =>
      new Set(startsOf(all)).size > 1 ? [order.newest, order.oldest] : undefined,
    effect: 'different answers',
    isRight: (newest, oldest) => !isSame(newest, oldest),
    mayRefuse: true,
  },
  {
    role: 'q',
    what: 'the search',
    values: (all) => rarest(all.flatMap(wordsOf)),
    shown: ['(a word of a title)', '(no word)'],
    effect: 'the meeting with that title and others',
    isRight: (found, none, _all, word) =>
      found.some((row) => wordsOf(row).includes(word)) && !isSame(found, none),
    mayRefuse: true,
  },
  {
    role: 'from',
    what: 'the start bound',
    ...BOUNDS,
    effect: 'the usual list and nothing of it',
    isRight: (before, behind, all) => isSame(before, all) && !haveCommon(behind, all),
  },
  {
    role: 'to',
    what: 'the end bound',
    ...BOUNDS,
    effect: 'nothing of the usual list and all of it',
    isRight: (before, behind, all) => !haveCommon(before, all) && isSame(behind, all),
  },
  {
    role: 'tags',
    what: 'the tag filter',
    async values(all, { ask, wire }) {
      const ids = readTags((await ask(wire.tagsPath)).json, wire)?.flatMap(idsOfTag) ?? []
      // A meeting can have the names of tags, and the filter takes their ids.
      return rarest(all.flatMap(tagsOf).filter((tag) => ids.length === 0 || ids.includes(tag)))
    },
    shown: ['(a tag of a meeting)', '(no tag)'],
    effect: 'meetings with that tag and none',
    isRight: (tagged, none, _all, tag) =>
      tagged.length > 0 && none.length === 0 && tagged.every((row) => tagsOf(row).includes(tag)),
    mayRefuse: true,
  },
  {
    role: 'fields',
    what: 'the field selection',
    values: (all) => (all.length > 0 ? ['title', 'participants'] : undefined),
    effect: 'this field and no other',
    isRight: (titles, people) =>
      titles.length > 0 &&
      titles.every((row) => 'title' in row && !('duration' in row)) &&
      people.every((row) => !('title' in row)),
  },
]

/** A check for each parameter but the cursor. */
export const experiments: readonly Check<WireContext>[] = EXPERIMENTS.map((experiment) => ({
  name: `params.${experiment.role}`,
  needs: ['items'],
  run: (context) => tryOut(experiment, context),
}))

async function tryOut(experiment: Experiment, context: WireContext): Promise<Outcome> {
  const { role, what, effect, mayRefuse = false } = experiment
  const { rows: all } = await context.list()
  const values = await experiment.values(all, context)
  if (!values) return notProvable(`${all.length} meetings cannot show the effect of ${what}.`, MORE)
  const one = await context.list({ [role]: values[0] })
  const other = await context.list({ [role]: values[1] })

  const name = context.wire.params[role]
  const [first, second] = experiment.shown ?? values
  const seen = `${name}=${first} gave ${countOf(one)}, and ${name}=${second} ${countOf(other)}`
  const refusals = [one, other].filter((page) => page.refusedBy).length
  const isTaken = refusals === 0 || (refusals === 1 && mayRefuse)
  if (isTaken && experiment.isRight(one.rows, other.rows, all, values[0]))
    return proven(`${seen}: ${effect}.`)
  const same = isTaken && isSame(one.rows, other.rows) ? ', the same ones' : ''
  const advice = `Ask the service for the name of ${what}, and set params.${role}.`
  return contradicted(`${seen}${same}. It must be ${effect}.`, advice)
}

/** The word of a direction: the usual order is newest first. (Contract: "Query parameters".) */
export const orderWord =
  (direction: 'newest' | 'oldest') =>
  async ({ wire, list }: WireContext): Promise<Outcome> => {
    const { rows: usual } = await list()
    const page = await list({ order: wire.order[direction] })
    const isOlder = (startsOf(page.rows)[0] ?? NaN) < (startsOf(usual)[0] ?? NaN)
    const isRight = direction === 'newest' ? isSame(page.rows, usual) : isOlder
    const seen = `"${wire.order[direction]}" gave ${countOf(page)}`
    if (isRight) return proven(`${seen}, the ${direction} first.`)
    const advice = `Ask the service for its word for ${direction} first, and set order.${direction}.`
    return contradicted(`${seen}, and not the ${direction} first.`, advice)
  }

const countOf = ({ refusedBy, rows }: Page): string =>
  refusedBy ? `a refusal (${refusedBy})` : `${rows.length} meetings`

/**
 * The same meetings in the same order. In a long list, one may have come or gone between the two requests.
 */
function isSame(one: Rows, other: Rows): boolean {
  const [ids, others] = [one.map(({ id }) => id), other.map(({ id }) => id)]
  const common = others.filter((id) => ids.includes(id))
  const inOrder = ids.filter((id) => others.includes(id)).join() === common.join()
  const tolerance = Math.min(ids.length, others.length) < 10 ? 0 : 1
  return inOrder && Math.max(ids.length, others.length) - common.length <= tolerance
}

/** What fewest of the meetings have, because its effect is the clearest; and what none has. */
function rarest(marks: readonly string[]): Values {
  const countOfMark = (mark: string): number => marks.filter((one) => one === mark).length
  const [mark] = marks.toSorted((one, other) => countOfMark(one) - countOfMark(other))
  return mark === undefined ? undefined : [mark, NONSENSE]
}

/** Milliseconds since the epoch, of the meetings that say when they were. */
const startsOf = (rows: Rows): number[] =>
  rows.map(({ started_at }) => Date.parse(String(started_at))).filter(Number.isFinite)

const durationsOf = (rows: Rows): number[] =>
  rows.map(({ duration }) => Number(duration ?? NaN)).filter(Number.isFinite)

const wordsOf = ({ title }: MeetingRow): string[] =>
  typeof title === 'string' ? (title.toLowerCase().match(/\p{L}{4,}/gu) ?? []) : []

const tagsOf = ({ tags }: MeetingRow): string[] => (Array.isArray(tags) ? tags.flatMap(idsOfTag) : [])

/** The form of a tag is not known: its id, or an object with it. (Assumptions: "Tags".) */
function idsOfTag(tag: unknown): string[] {
  const id: unknown = typeof tag === 'object' && tag !== null && 'id' in tag ? tag.id : tag
  return typeof id === 'string' || typeof id === 'number' ? [String(id)] : []
}

function isSorted(numbers: readonly number[]): boolean {
  const steps = numbers.slice(1).map((number, at) => number - (numbers[at] ?? number))
  return steps.every((step) => step <= 0) || steps.every((step) => step >= 0)
}
