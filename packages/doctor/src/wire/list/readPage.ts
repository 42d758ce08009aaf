import { isObject } from '../../net/isObject.js'

/** A meeting of a list, in any form that has an id. */
export interface Item {
  readonly id: string
  readonly [field: string]: unknown
}

/** A response of the list. (Assumptions: "List envelope".) */
export interface Page {
  /** Key of the array. */
  readonly key: string
  readonly items: readonly Item[]
  /** `null` and `undefined` both mark the end of the list. */
  readonly cursor: string | null | undefined
  readonly hasTotal: boolean
}

const KEY = /^[\w.[\]-]{1,64}$/

/** The page, or why it cannot be read. */
export function readPage(json: unknown): Page | 'not-json' | 'array' | 'no-array' | 'no-ids' {
  if (Array.isArray(json)) return 'array'
  if (!isObject(json)) return 'not-json'
  const arrays = Object.entries(json).filter(([key, value]) => Array.isArray(value) && KEY.test(key))
  const [key, rows] = arrays.find(([name]) => name === 'meetings') ?? arrays[0] ?? []
  if (key === undefined || !Array.isArray(rows)) return 'no-array'
  const items = rows.filter(isItem)
  if (items.length < rows.length) return 'no-ids'
  const { next_cursor: cursor } = json
  return {
    key,
    items,
    cursor: typeof cursor === 'string' && cursor !== '' ? cursor : cursor === undefined ? undefined : null,
    hasTotal: typeof json.total === 'number',
  }
}

function isItem(value: unknown): value is Item {
  return isObject(value) && typeof value.id === 'string' && value.id !== ''
}

/** Milliseconds since the epoch; `NaN` if the item does not say when it was. */
export const startOf = ({ started_at }: Item): number =>
  typeof started_at === 'string' ? Date.parse(started_at) : Number.NaN

export const durationOf = ({ duration }: Item): number =>
  typeof duration === 'number' ? duration : Number.NaN

export const ownershipOf = ({ ownership }: Item): string | undefined =>
  typeof ownership === 'string' ? ownership : undefined

/** Identifiers of the tags. The form of an element is not known. (Assumptions: "Meeting fields".) */
export function tagsOf({ tags }: Item): string[] {
  if (!Array.isArray(tags)) return []
  return tags.flatMap((tag: unknown) => idOfTag(tag) ?? [])
}

export function idOfTag(tag: unknown): string | undefined {
  if (typeof tag === 'string') return tag
  return isObject(tag) && typeof tag.id === 'string' ? tag.id : undefined
}

/** Words of the title that are long enough to search for. */
export function wordsOf({ title }: Item): string[] {
  return typeof title === 'string' ? (title.toLowerCase().match(/\p{L}{4,}/gu) ?? []) : []
}
