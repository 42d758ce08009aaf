import { BffError } from '../base/BffError.js'
import type { Clock } from '../base/platform.js'
import { pause } from '../request/pause.js'

interface Row {
  readonly id: string
}

interface RowsPage<TRow> {
  readonly meetings: readonly TRow[]
  readonly next_cursor: string | null
}

const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 60_000
/** After more failures in a row the list ends with the last one. */
const MOST_FAILURES = 10
/**
 * So many pages in a row may bring nothing new, as the service may search page by page. Then it gives new
 * cursors for ever, and a list that ended would look complete.
 */
const MOST_USELESS = 1_000

/**
 * Reads a list page by page, and waits when there is no room: as long as the error says, or longer after each
 * failure. A row is given once, even if the list shifts between two pages.
 */
export async function* allMeetings<TRow extends Row>(
  readPage: (cursor: string | null) => Promise<RowsPage<TRow>>,
  clock: Clock,
  // Not a constant of the module: Cloudflare Workers make no signal before the first request.
  signal = new AbortController().signal,
): AsyncGenerator<TRow, void, undefined> {
  const given = new Set<string>()
  const used = new Set<string | null>()
  let cursor: string | null = null
  let failures = 0
  let useless = 0
  // A cursor that was used before leads in a circle.
  while (!used.has(cursor)) {
    let page: RowsPage<TRow>
    try {
      page = await readPage(cursor)
    } catch (error) {
      if (!mayWait(error) || failures === MOST_FAILURES) throw error
      const longerMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** failures)
      failures += 1
      await pause(Math.max(error.retryAfterMs ?? 0, longerMs), clock, signal)
      continue
    }
    failures = 0
    used.add(cursor)
    useless = page.meetings.some(({ id }) => !given.has(id)) ? 0 : useless + 1
    if (useless === MOST_USELESS) throw new BffError('UPSTREAM_MALFORMED')
    for (const meeting of page.meetings) {
      if (given.has(meeting.id)) continue
      given.add(meeting.id)
      yield meeting
    }
    if (page.next_cursor === null) return
    cursor = page.next_cursor
  }
}

/** A BFF that closes does not open again. */
const mayWait = (error: unknown): error is BffError =>
  error instanceof BffError && error.retryable && error.code !== 'SHUTTING_DOWN'
