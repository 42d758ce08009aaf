import { expect, it } from 'vitest'
import { errorOf, getMeetings, listIds, listMeetings } from '../../node/client.test.kit.js'
import type { Emulator } from '../../node/Emulator.js'
import { createEmulator } from '../../node/createEmulator.js'
import { meetingRow } from '../store/meetingRow.test.kit.js'

const day = (number: number): string => `2026-03-${String(number).padStart(2, '0')}T10:00:00.000Z`
const rows = Array.from({ length: 10 }, (_, index) =>
  meetingRow(`m${index + 1}`.padStart(3, '_'), { created_at: day(index + 1), duration: 60 * (index % 3) }),
)
const start = () => createEmulator({ meetings: rows })

async function pageFrom(
  upstream: Emulator,
  cursor: string | null,
  query: Record<string, string> = {},
): Promise<string[]> {
  return listIds(upstream, { ...query, cursor: cursor ?? '' })
}

it('goes on behind the last meeting when newer ones have come', async () => {
  await using upstream = await start()
  const first = await listMeetings(upstream, { limit: '4' })
  upstream.meetings.add(meetingRow('new', { created_at: day(20) }))
  expect(await pageFrom(upstream, first.next_cursor)).toEqual(['_m6', '_m5', '_m4', '_m3', '_m2', '_m1'])
})

it('skips nothing when meetings of the pages before are gone, the last one too', async () => {
  await using upstream = await start()
  const first = await listMeetings(upstream, { limit: '4' })
  for (const { id } of first.meetings) upstream.meetings.remove(id)
  expect(await pageFrom(upstream, first.next_cursor)).toEqual(['_m6', '_m5', '_m4', '_m3', '_m2', '_m1'])
})

it('holds for meetings of equal sort keys', async () => {
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

it('may go with another page size and other fields', async () => {
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
  const search = new URLSearchParams({ ...query, cursor: next_cursor ?? '' })
  const reply = await getMeetings(upstream, `/meetings?${search}`)
  expect(reply.status).toBe(400)
  expect(errorOf(reply)).toMatch('cursor')
})

it("is refused with another holder's credential", async () => {
  await using upstream = await start()
  const { next_cursor } = await listMeetings(upstream, { limit: '4' })
  const path = `/meetings?cursor=${next_cursor}`
  expect(await getMeetings(upstream, path, upstream.credentials.second)).toMatchObject({ status: 200 })
  expect(await getMeetings(upstream, path, upstream.credentials.other)).toMatchObject({ status: 400 })
})

it('is refused where it was not made here, or was changed', async () => {
  await using upstream = await start()
  const { next_cursor } = await listMeetings(upstream, { limit: '4' })
  const cursor = next_cursor ?? ''
  for (const wrong of [
    '',
    'x',
    '_m6',
    `${cursor}A`,
    `A${cursor}`,
    cursor.slice(0, -1),
    '{"id":1}',
    '%00',
    'e30',
  ]) {
    expect(await getMeetings(upstream, `/meetings?cursor=${encodeURIComponent(wrong)}`)).toMatchObject({
      status: 400,
    })
  }
})

it('is missing at the end under endOfList, and total under total: false', async () => {
  await using upstream = await createEmulator({ meetings: rows, endOfList: 'missing', total: false })
  const last = await getMeetings(upstream, '/meetings?limit=10')
  expect(Object.keys(last.body as object)).toEqual(['meetings'])
  const first = await getMeetings(upstream, '/meetings?limit=9')
  expect(Object.keys(first.body as object)).toEqual(['meetings', 'next_cursor'])
})
