import type { MeetingsQueryRole, MeetingsWire } from '@stagepass/contract'
import { contradicted, notProvable, type Outcome, proven } from '../report/Result.js'
import { askForList, type MeetingsContext, MORE, type Rows, shapeOfPage } from './meetings.js'

/** The expected effect of a parameter on the list. (Contract: "Query parameters".) */
interface Question {
  /** The expected effect of the value. */
  readonly effect: string
  readonly isRight: (rows: Rows, usual: Rows, value: string, wire: MeetingsWire) => boolean
  /** True if these meetings can show the effect. Default: any meeting can. */
  readonly canShow?: (usual: Rows, wire: MeetingsWire) => boolean
  /** The value that is sent. For the order it is the word of the wire. */
  readonly value?: string
  /** Returns a value from the account's data in place of `value`. It is not printed. */
  readonly pick?: (usual: Rows) => string | undefined
  /** The setting in the advice. Default: the name of the parameter. */
  readonly settings?: string
}

const isNone: Question['isRight'] = (rows, usual) =>
  !rows.some(({ id }) => usual.some((row) => row.id === id))
const isOther: Question['isRight'] = (rows, usual) => idsOf(rows) !== idsOf(usual)

const QUESTIONS: Readonly<Record<Exclude<MeetingsQueryRole, 'cursor'>, Question>> = {
  limit: {
    value: '3',
    effect: 'a shorter page',
    canShow: (usual) => usual.length > 5,
    // A service may have a minimum page size.
    isRight: ({ length }, usual) => length > 0 && length < usual.length,
  },
  ownership: {
    value: 'shared',
    effect: 'meetings that are marked as shared',
    settings: 'params.ownership, or add the word in these meetings to ownershipWords.shared',
    canShow: (usual, wire) => !usual.every((row) => isShared(row, wire)),
    isRight: (rows, _usual, _value, wire) => rows.every((row) => isShared(row, wire)),
  },
  sort_by: {
    value: 'duration',
    effect: 'an order by duration',
    canShow: (usual) => !isSorted(usual),
    isRight: isSorted,
  },
  order: {
    effect: 'the oldest meeting first',
    settings: 'params.order or order.oldest',
    canShow: (usual) => new Set(usual.map(startOf)).size > 1,
    isRight: ([first], usual) => startOf(first) < startOf(usual[0]),
  },
  q: { effect: 'no meeting', pick: () => 'stagepassdoctornosuchword', isRight: isNone },
  from: { value: '2100-01-01T00:00:00Z', effect: 'no meeting', isRight: isNone },
  to: { value: '2000-01-01T00:00:00Z', effect: 'no meeting', isRight: isNone },
  tags: {
    effect: 'meetings with this tag only',
    pick: (usual) => usual.flatMap(tagsOf).find((tag) => !usual.every((row) => tagsOf(row).includes(tag))),
    isRight: (rows, _usual, tag) => rows.length > 0 && rows.every((row) => tagsOf(row).includes(tag)),
  },
  fields: {
    value: 'title',
    effect: 'this field and no other',
    isRight: (rows) => rows.length > 0 && rows.every((row) => 'title' in row && !('duration' in row)),
  },
}

/** Sends only one parameter, and compares the list with the usual list. */
export async function askFor(role: MeetingsQueryRole, context: MeetingsContext): Promise<Outcome> {
  if (role === 'cursor') return followCursor(context)
  const { wire } = context
  const question = QUESTIONS[role]
  const { effect, isRight, canShow, pick, settings = `params.${role}` } = question
  const { rows: usual } = await askForList(context)
  const value = pick ? pick(usual) : role === 'order' ? wire.order.oldest : question.value
  if (usual.length === 0 || value === undefined || canShow?.(usual, wire) === false)
    return notProvable(`${usual.length} meetings cannot show the effect of ${role}.`, MORE)
  const { rows, refusedBy } = await askForList(context, { [role]: value })
  const gave = refusedBy ? `a refusal (${refusedBy})` : `${rows.length} meetings`
  const seen = `${wire.params[role]}=${pick ? '…' : value} gave ${gave}`
  if (!refusedBy && isRight(rows, usual, value, wire)) return proven(`${seen}: ${effect}.`)
  const same = isOther(rows, usual, value, wire) ? '' : ', the same as without it'
  const advice = `Ask the service for its name of ${role}, and set ${settings}.`
  return contradicted(`${seen}${same}. It must be ${effect}.`, advice)
}

/** Proves the place of the cursor and its parameter together, by reading the next page. */
async function followCursor(context: MeetingsContext): Promise<Outcome> {
  const { wire } = context
  const usual = await askForList(context)
  const params = usual.cursor === null ? { limit: '3' } : {}
  const first = await askForList(context, params)
  if (first.cursor === null) {
    const seen = `A page has nothing at "${wire.cursor}". The response is ${await shapeOfPage(context, params)}.`
    return first.rows.length > 0 && first.rows.length < usual.rows.length
      ? contradicted(`${seen} More meetings follow.`, 'Set cursor to its place in this response.')
      : notProvable(`${seen} It may be the last page.`, MORE)
  }
  const { rows, refusedBy } = await askForList(context, { cursor: first.cursor, ...params })
  const seen = `"${wire.cursor}", sent as ${wire.params.cursor},`
  if (!refusedBy && rows.length > 0 && isNone(rows, first.rows, '', wire))
    return proven(`${seen} gave the next page.`)
  const gave = refusedBy ? `is refused (${refusedBy})` : 'did not give the next page'
  return contradicted(
    `${seen} ${gave}.`,
    'Ask the service how to request the next page, and set params.cursor or cursor.',
  )
}

const idsOf = (rows: Rows): string => rows.map(({ id }) => id).join()

const isShared = ({ ownership }: Rows[number], { ownershipWords }: MeetingsWire): boolean =>
  ownershipWords.shared.includes(String(ownership))

const startOf = (row: Rows[number] | undefined): number => Date.parse(String(row?.['started_at']))

function isSorted(rows: Rows): boolean {
  const lengths = rows.map(({ duration }) => Number(duration ?? NaN)).filter(Number.isFinite)
  const steps = lengths.slice(1).map((length, at) => length - (lengths[at] ?? length))
  return steps.every((step) => step <= 0) || steps.every((step) => step >= 0)
}

/** The form of a tag is not known. It may be the id, or an object with the id. (Assumptions: "Tags".) */
const tagsOf = ({ tags }: Rows[number]): string[] =>
  (Array.isArray(tags) ? tags : []).flatMap((tag: unknown) => {
    const id: unknown = Reflect.get(Object(tag), 'id') ?? tag
    return typeof id === 'string' || typeof id === 'number' ? [String(id)] : []
  })
