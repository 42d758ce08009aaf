import { type MeetingRow, MEETINGS_PARAMS, type MeetingsQueryRole, readTags } from '@stagepass/contract'
import type { Check } from '../checks/Check.js'
import { contradicted, notProvable, type Outcome, proven } from '../report/Result.js'
import { countOf, haveCommon, isSame, MORE, type Rows, startsOf, type WireContext } from './WireContext.js'

/** What a parameter must do to the list. It is asked alone. (Contract: "Query parameters".) */
interface Question {
  /** The effect that its value must have. */
  readonly effect: string
  readonly isRight: (rows: Rows, usual: Rows, value: string) => boolean
  /** Can these meetings show the effect? Default: any meeting can. */
  readonly canShow?: (usual: Rows, context: WireContext) => boolean
  /** A value that must give the usual list. */
  readonly neutral?: string
  /** A value that must give no meeting of the usual list. */
  readonly empty?: string
  /** The value. Default: the example of the row. It is not printed, because it is of the account. */
  readonly pick?: (usual: Rows, context: WireContext) => Promise<string | undefined>
}

/** Without the parameter the list is another one. */
const OTHER: Question = { effect: 'another list', isRight: (rows, usual) => !isSame(rows, usual) }
/** The value lets none of the meetings through. */
const NONE: Question = {
  effect: 'no meeting of the usual list',
  isRight: (rows, usual) => !haveCommon(rows, usual),
}

const QUESTIONS: Readonly<Partial<Record<MeetingsQueryRole, Question>>> = {
  limit: {
    effect: 'a shorter page',
    canShow: (usual) => usual.length > 3,
    // A service can have a smallest page. A difference of one can be a meeting that came or went in between.
    isRight: ({ length }, usual, size) =>
      length === Number(size) || (length > 0 && length < usual.length - 1),
  },
  ownership: {
    ...OTHER,
    neutral: 'all',
    canShow: (usual, { wire }) =>
      usual.some(({ ownership }) => !wire.ownershipWords.shared.includes(String(ownership))),
  },
  sort_by: {
    effect: 'an order by duration',
    neutral: 'date',
    canShow: (usual) => !isSorted(durationsOf(usual)),
    isRight: (rows) => isSorted(durationsOf(rows)),
  },
  order: { ...OTHER, canShow: (usual) => new Set(startsOf(usual)).size > 1 },
  q: {
    effect: 'the meeting with this word',
    empty: 'stagepassdoctornosuchword',
    pick: async (usual) => usual.flatMap(wordsOf)[0],
    isRight: (rows, _usual, word) => rows.some((row) => wordsOf(row).includes(word)),
  },
  from: { ...NONE, neutral: '2000-01-01T00:00:00Z' },
  to: { ...NONE, neutral: '2100-01-01T00:00:00Z' },
  tags: {
    effect: 'meetings with this tag only',
    async pick(usual, { ask, wire }) {
      const ids = idsOf(readTags((await ask(wire.tagsPath)).json, wire))
      // A meeting can have the names of tags, and the filter takes their ids.
      return rarest(usual, (row) => tagsOf(row).filter((tag) => ids.length === 0 || ids.includes(tag)))
    },
    isRight: (rows, _usual, tag) => rows.length > 0 && rows.every((row) => tagsOf(row).includes(tag)),
  },
  fields: {
    effect: 'this field and no other',
    isRight: (rows) => rows.length > 0 && rows.every((row) => 'title' in row && !('duration' in row)),
  },
}

/** A check for each row of the table but the cursor, which needs several pages. */
export const paramChecks: readonly Check<WireContext>[] = Object.values(MEETINGS_PARAMS)
  .filter(({ name }) => name !== 'cursor')
  .map(({ name, example }) => ({
    name: `params.${name}`,
    needs: ['items'],
    run: (context) => askFor(name, example, context),
  }))

async function askFor(role: MeetingsQueryRole, example: string, context: WireContext): Promise<Outcome> {
  const { wire, list } = context
  const { effect, isRight, neutral, empty, canShow, pick } = QUESTIONS[role] ?? OTHER
  const { rows: usual } = await list()
  const ours = role === 'order' ? wire.order.oldest : example
  const value = pick ? await pick(usual, context) : ours
  if (usual.length === 0 || value === undefined || canShow?.(usual, context) === false)
    return notProvable(`${usual.length} meetings cannot show the effect of ${role}.`, MORE)
  const page = await list({ [role]: value })
  const seen = `${wire.params[role]}=${pick ? '…' : value} gave ${countOf(page)}`
  const isRightAlone = !page.refusedBy && isRight(page.rows, usual, value)
  const isNeutral = neutral === undefined || isSame((await list({ [role]: neutral })).rows, usual)
  const isEmpty = empty === undefined || !haveCommon((await list({ [role]: empty })).rows, usual)
  if (isRightAlone && isNeutral && isEmpty) return proven(`${seen}: ${effect}.`)
  const setting = role === 'order' ? 'params.order or order.oldest' : `params.${role}`
  const advice = `Ask the service for its name of ${role}, and set ${setting}.`
  const same = isSame(page.rows, usual) ? ', the same as without it' : ''
  // Nothing is known of what the example must do.
  if (!QUESTIONS[role] && same) return notProvable(`${seen}${same}.`, advice)
  const other = isNeutral ? '' : `, and ${neutral} does not give the usual list`
  const many = isEmpty ? '' : `, and ${empty} gives meetings`
  return contradicted(`${seen}${same}${other}${many}. It must be ${effect}.`, advice)
}

/** What fewest of the meetings have, and not all of them. */
function rarest(usual: Rows, marksOf: (row: MeetingRow) => readonly string[]): string | undefined {
  const countWith = (mark: string): number => usual.filter((row) => marksOf(row).includes(mark)).length
  return usual
    .flatMap(marksOf)
    .toSorted((one, other) => countWith(one) - countWith(other))
    .find((mark) => countWith(mark) < usual.length)
}

const durationsOf = (rows: Rows): number[] =>
  rows.map(({ duration }) => Number(duration ?? NaN)).filter(Number.isFinite)

const wordsOf = ({ title }: MeetingRow): string[] =>
  typeof title === 'string' ? (title.toLowerCase().match(/\p{L}{4,}/gu) ?? []) : []

const tagsOf = ({ tags }: MeetingRow): string[] => idsOf(tags)

/** The form of a tag is not known: its id, or an object with it. (Assumptions: "Tags".) */
const idsOf = (tags: unknown): string[] =>
  (Array.isArray(tags) ? tags : []).flatMap((tag: unknown) => {
    const id: unknown = typeof tag === 'object' && tag !== null && 'id' in tag ? tag.id : tag
    return typeof id === 'string' || typeof id === 'number' ? [String(id)] : []
  })

function isSorted(numbers: readonly number[]): boolean {
  const steps = numbers.slice(1).map((number, at) => number - (numbers[at] ?? number))
  return steps.every((step) => step <= 0) || steps.every((step) => step >= 0)
}
