import { type MeetingRow, MEETINGS_PARAMS, type MeetingsQueryRole } from '@stagepass/contract'
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
  /** The value. Default: the example of the row. It is not printed, because it is of the account. */
  readonly pick?: (usual: Rows) => string | undefined
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
    isRight: (rows, usual) => rows.length > 0 && rows.length < usual.length,
  },
  ownership: {
    ...OTHER,
    canShow: (usual, { wire }) =>
      usual.some(({ ownership }) => !wire.ownershipWords.shared.includes(String(ownership))),
  },
  sort_by: {
    effect: 'an order by duration',
    canShow: (usual) => !isSorted(durationsOf(usual)),
    isRight: (rows) => isSorted(durationsOf(rows)),
  },
  order: { ...OTHER, canShow: (usual) => new Set(startsOf(usual)).size > 1 },
  q: NONE,
  from: NONE,
  to: NONE,
  tags: {
    effect: 'meetings with this tag only',
    // A tag that does not exist may be refused, which says nothing of the name.
    pick: (usual) => usual.flatMap(tagsOf).find((tag) => !usual.every((row) => tagsOf(row).includes(tag))),
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
  const { effect, isRight, canShow, pick } = QUESTIONS[role] ?? OTHER
  const { rows: usual } = await list()
  const ours = role === 'order' ? wire.order.oldest : example
  const value = pick ? pick(usual) : ours
  if (usual.length === 0 || value === undefined || canShow?.(usual, context) === false)
    return notProvable(`${usual.length} meetings cannot show the effect of ${role}.`, MORE)
  const page = await list({ [role]: value })
  const seen = `${wire.params[role]}=${pick ? '…' : value} gave ${countOf(page)}`
  if (!page.refusedBy && isRight(page.rows, usual, value)) return proven(`${seen}: ${effect}.`)
  const same = isSame(page.rows, usual) ? ', the same as without it' : ''
  const setting = role === 'order' ? 'params.order or order.oldest' : `params.${role}`
  return contradicted(
    `${seen}${same}. It must be ${effect}.`,
    `Ask the service for its name of ${role}, and set ${setting}.`,
  )
}

const durationsOf = (rows: Rows): number[] =>
  rows.map(({ duration }) => Number(duration ?? NaN)).filter(Number.isFinite)

/** The form of a tag is not known: its id, or an object with it. (Assumptions: "Tags".) */
const tagsOf = ({ tags }: MeetingRow): string[] =>
  (Array.isArray(tags) ? tags : []).flatMap((tag: unknown) => {
    const id: unknown = typeof tag === 'object' && tag !== null && 'id' in tag ? tag.id : tag
    return typeof id === 'string' || typeof id === 'number' ? [String(id)] : []
  })

function isSorted(numbers: readonly number[]): boolean {
  const steps = numbers.slice(1).map((number, at) => number - (numbers[at] ?? number))
  return steps.every((step) => step <= 0) || steps.every((step) => step >= 0)
}
