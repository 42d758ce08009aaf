import type { Check } from '../checks/Check.js'
import { ok, type Outcome, warn } from '../report/Result.js'
import { PARAMETER_NAMES } from './list/candidates.js'
import type { Page } from './list/readPage.js'
import { isPage, listTolerantly, see, type WireContext } from './WireContext.js'

/** Page size and cursor: each name has another value, and the page that comes shows which of them counted. (Assumptions: "Meetings wire".) */
export const paging: Check<WireContext> = {
  name: 'meetings paging',
  needs: ['meetings'],
  async run(context) {
    const first = context.found.first as Page
    const sizes = sizesFor(first)
    const cursors = typeof first.cursor === 'string' ? [first.cursor] : []
    const [assumed = '', ...others] = PARAMETER_NAMES.cursor
    const start = cursors[0] === undefined ? {} : { [assumed]: cursors[0] }
    const page = await listTolerantly(context, { ...sizes, ...start })
    if (!isPage(page)) return describe(context)

    const name = Object.keys(sizes).find((one) => Number(sizes[one]) === page.items.length)
    if (name !== undefined) see(context.draft, 'limit', name)
    if (startsAfter(first, page)) {
      see(context.draft, 'cursor', assumed)
      return describe(context)
    }
    // This page began at the start of the list, so its cursor is another one that is known.
    const startsAt = first.items[page.items.length]?.id
    const second =
      typeof page.cursor === 'string' && startsAt !== undefined
        ? { cursor: page.cursor, startsAt }
        : undefined
    await narrowCursor(context, others, first, second)
    return describe(context)
  },
}

interface KnownCursor {
  readonly cursor: string
  /** Id of the meeting behind it. */
  readonly startsAt: string
}

/** One of two cursors, or none: each request leaves a third of the names. */
async function narrowCursor(
  context: WireContext,
  names: readonly string[],
  first: Page,
  second: KnownCursor | undefined,
): Promise<void> {
  let left = names
  while (left.length > 0) {
    // With one cursor it is half of them.
    const size = Math.ceil(left.length / (second ? 3 : 2))
    const rest = left.slice(size)
    const groups = [left.slice(0, size), second ? rest.slice(0, size) : [], second ? rest.slice(size) : rest]
    const values = [first.cursor, second?.cursor]
    const params = Object.fromEntries(
      values.flatMap((value, at) =>
        typeof value === 'string' ? (groups[at] ?? []).map((name) => [name, value]) : [],
      ),
    )
    if (Object.keys(params).length === 0) return
    const page = await listTolerantly(context, params)
    if (!isPage(page)) return
    const head = page.items[0]?.id
    const group = second && head === second.startsAt ? 1 : startsAfter(first, page) ? 0 : 2
    const [name, ...more] = groups[group] ?? []
    if (name !== undefined && more.length === 0 && group < 2) return see(context.draft, 'cursor', name)
    left = groups[group] ?? []
  }
}

/** A different, small size for each name: 1 for the default, then 2, 3 and so on. */
function sizesFor({ items }: Page): Record<string, string> {
  const names = PARAMETER_NAMES.limit.slice(0, Math.max(0, items.length - 1))
  return Object.fromEntries(names.map((name, at) => [name, String(at + 1)]))
}

function startsAfter(first: Page, { items }: Page): boolean {
  const [head] = items
  return head !== undefined && first.items.every(({ id }) => id !== head.id)
}

function describe({ draft, found }: WireContext): Outcome {
  const limit = draft.seen.has('params.limit')
  const cursor = draft.seen.has('params.cursor')
  const say = (role: string, isSeen: boolean, name: string): string =>
    isSeen ? `${role} is "${name}"` : `${role} was not found`
  const seen = `${say('The page size', limit, draft.params.limit)}, ${say('the cursor', cursor, draft.params.cursor)}.`
  if (limit && cursor) return ok(seen, 'Paste the wire below into the BFF.')
  return typeof found.first?.cursor === 'string'
    ? warn(seen, 'Ask the service for the missing name, and set it in meetings.wire.params.')
    : warn(
        seen,
        'All meetings are on one page. Use the credential of a person who has more than 20 meetings.',
      )
}
