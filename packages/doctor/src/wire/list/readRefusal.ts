import type { MeetingsQueryRole } from '@stagepass/contract'
import type { Params } from './createMeetingsRequests.js'

/** What the text of a 400 says about the parameters that were sent. */
export interface ReadRefusal {
  /** The parameter that it names, if it names one. */
  readonly name: string | undefined
  /** The role of that parameter, if the text lists words of one. */
  readonly role: MeetingsQueryRole | undefined
  /** The word of the other direction, if the text lists both. */
  readonly oldest: string | undefined
}

/** Words that only one role has. (Contract: "Query parameters".) */
const WORDS_OF_ROLE: readonly (readonly [MeetingsQueryRole, RegExp])[] = [
  ['order', /\bnewest\b/],
  ['sort_by', /\blast_modified\b/],
  ['ownership', /\bmine\b/],
]

/** Many services name the wrong parameter, and the words that it can have. */
export function readRefusal(text: string, sent: Params): ReadRefusal {
  const words: readonly string[] = text.slice(0, 2_000).match(/[\w.[\]-]+/g) ?? []
  const names = Object.keys(sent).filter((name) => words.includes(name))
  const name =
    names.length === 1 ? names[0] : names.find((one) => words[0] === one || text.includes(`"${one}"`))
  const role = WORDS_OF_ROLE.find(([, pattern]) => pattern.test(text))?.[0]
  const listed = /\bnewest\W{1,4}(\w{1,32})|(\w{1,32})\W{1,4}newest\b/.exec(text)
  const oldest = role === 'order' ? (listed?.[1] ?? listed?.[2]) : undefined
  const isWord = oldest !== undefined && !['or', 'and', 'of', 'be', 'is'].includes(oldest)
  return { name, role, oldest: isWord ? oldest : undefined }
}
