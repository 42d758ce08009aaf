import type { MeetingsQueryRole } from '@stagepass/contract'
import type { Params } from './createMeetingsRequests.js'

/** What the text of a 400 says about the parameters that were sent. */
export interface ReadRefusal {
  /** The parameter that it names, if it names one. */
  readonly name: string | undefined
  /** The role of that parameter, if the text lists words of one. */
  readonly role: MeetingsQueryRole | undefined
  /** The words of the two directions, if the text lists both. */
  readonly direction: Direction | undefined
}

export interface Direction {
  readonly newest: string
  readonly oldest: string
}

/** Words that only one role has. (Contract: "Query parameters".) */
const WORDS_OF_ROLE: readonly (readonly [MeetingsQueryRole, RegExp])[] = [
  ['order', /\bnewest\b|\bdesc/],
  ['sort_by', /\blast_modified\b/],
  ['ownership', /\bmine\b/],
]

const NEWEST = /\b(?:newest|latest|desc|descending)\b/
const OLDEST = /\b(?:oldest|earliest|asc|ascending)\b/

/** Many services name the wrong parameter, and the words that it can have. */
export function readRefusal(text: string, sent: Params): ReadRefusal {
  const words: readonly string[] = text.slice(0, 2_000).match(/[\w.[\]-]+/g) ?? []
  const names = Object.keys(sent).filter((name) => words.includes(name))
  const name =
    names.length === 1 ? names[0] : names.find((one) => words[0] === one || text.includes(`"${one}"`))
  const role = WORDS_OF_ROLE.find(([, pattern]) => pattern.test(text))?.[0]
  const newest = NEWEST.exec(text)?.[0]
  const oldest = OLDEST.exec(text)?.[0]
  const direction = newest !== undefined && oldest !== undefined ? { newest, oldest } : undefined
  return { name, role, direction }
}
