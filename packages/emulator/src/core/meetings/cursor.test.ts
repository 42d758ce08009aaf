import { expect, it } from 'vitest'
import { getMeetings, listIds, listMeetings } from '../../node/client.test.kit.js'
import { createEmulator, type Emulator } from '../../node/createEmulator.js'

const day = (number: number): string => `2026-03-${String(number).padStart(2, '0')}T10:00:00.000Z`
const rows = Array.from({ length: 10 }, (_, index) => ({
  id: `m${index + 1}`.padStart(3, '_'),
  created_at: day(index + 1),
  duration: 60 * (index % 3),
}))
const start = () => createEmulator({ meetings: rows })

async function pageFrom(upstream: Emulator, cursor: string | null, query = {}): Promise<string[]> {
  return listIds(upstream, { ...query, cursor: cursor ?? '' })
}

async function statusOf(
  upstream: Emulator,
  cursor: string,
  query = {},
  credential = upstream.meetingsCredential,
) {
  const search = new URLSearchParams({ ...query, cursor })
  return (await getMeetings(upstream, `/meetings?${search}`, credential)).status
}

it('continues after the last meeting when newer ones were added', async () => {
  await using upstream = await start()
  const first = await listMeetings(upstream, { limit: '4' })
  upstream.meetings.add({ id: 'new', created_at: day(20) })
  expect(await pageFrom(upstream, first.next_cursor)).toEqual(['_m6', '_m5', '_m4', '_m3', '_m2', '_m1'])
})

it('skips nothing when meetings of previous pages were removed, even the last one', async () => {
  await using upstream = await start()
  const first = await listMeetings(upstream, { limit: '4' })
  for (const { id } of first.meetings) upstream.meetings.remove(id)
  expect(await pageFrom(upstream, first.next_cursor)).toEqual(['_m6', '_m5', '_m4', '_m3', '_m2', '_m1'])
})

it('works for meetings with equal sort keys', async () => {
  await using upstream = await start()
  const whole = await listIds(upstream, { sort_by: 'duration' })
  const ids: string[] = []
  let cursor: string | null = null
  do {
    const query: Record<string, string> = { sort_by: 'duration', limit: '1', ...(cursor ? { cursor } : {}) }
    const page = await listMeetings(upstream, query)
    ids.push(...page.meetings.map(({ id }) => id))
    cursor = page.next_cursor
  } while (cursor)
  expect(ids).toEqual(whole)
})

it('is valid with another page size and other fields', async () => {
  await using upstream = await start()
  const { next_cursor } = await listMeetings(upstream, { limit: '4' })
  expect(await pageFrom(upstream, next_cursor, { limit: '2', fields: 'title' })).toEqual(['_m6', '_m5'])
})

it.each([
  { sort_by: 'duration' },
  { order: 'oldest' },
  { ownership: 'mine' },
  { q: 'x' },
  { from: day(1) },
  { to: day(9) },
  { tags: 'tag-a' },
])('is refused with another filter or order: %j', async (query) => {
  await using upstream = await start()
  const { next_cursor } = await listMeetings(upstream, { limit: '4' })
  expect(await statusOf(upstream, next_cursor ?? '', query)).toBe(400)
})

it("is refused with another holder's credential", async () => {
  await using upstream = await start()
  const { next_cursor } = await listMeetings(upstream, { limit: '4' })
  expect(await statusOf(upstream, next_cursor ?? '', {}, upstream.credentials.second)).toBe(200)
  expect(await statusOf(upstream, next_cursor ?? '', {}, upstream.credentials.other)).toBe(400)
})

it('is refused if it was not made by this emulator, or was changed', async () => {
  await using upstream = await start()
  const { next_cursor } = await listMeetings(upstream, { limit: '4' })
  const cursor = next_cursor ?? ''
  const changed = [`${cursor}A`, `A${cursor}`, cursor.slice(0, -1)]
  for (const wrong of ['', 'x', '_m6', '{"id":1}', '%00', 'e30', ...changed]) {
    expect(await statusOf(upstream, wrong)).toBe(400)
  }
})

it('is missing at the end with endOfList, and total is missing with total: false', async () => {
  await using upstream = await createEmulator({ meetings: rows, endOfList: 'missing', total: false })
  const last = await getMeetings(upstream, '/meetings?limit=10')
  expect(Object.keys(last.body as object)).toEqual(['meetings'])
  const first = await getMeetings(upstream, '/meetings?limit=9')
  expect(Object.keys(first.body as object)).toEqual(['meetings', 'next_cursor'])
})
