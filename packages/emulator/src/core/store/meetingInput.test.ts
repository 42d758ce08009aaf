import { describe, expect, it } from 'vitest'
import { getMeetings, listIds } from '../../node/client.test.kit.js'
import { createEmulator } from '../../node/createEmulator.js'
import { createRandom } from '../platform/random.js'
import type { MeetingInput, NoteBlock } from './rows.js'
import { createMeetingReader } from './createMeetingReader.js'
import { createDataSet } from './dataSet.js'

const now = () => Date.parse('2026-03-02T12:00:00.000Z')
const start = (...meetings: readonly MeetingInput[]) => createEmulator({ meetings, now })

describe('a meeting given in part', () => {
  it('is a meeting of half an hour that has just ended', async () => {
    await using upstream = await start({ id: 'm1', title: 'Roadmap' })
    const expected = {
      id: 'm1',
      title: 'Roadmap',
      started_at: '2026-03-02T11:30:00.000Z',
      duration: 1_800,
      status: 'completed',
      source: null,
      tags: [],
      participants: [],
      notes: { blocks: [] },
      transcript: { language: 'en-US', speakers: {}, segments: [] },
      created_at: '2026-03-02T12:00:00.000Z',
      updated_at: '2026-03-02T12:00:00.000Z',
      visibility: 'owned',
      processing: false,
    }
    expect(upstream.meetings.get('m1')).toStrictEqual(expected)
    expect(await listIds(upstream, { q: 'roadmap' })).toEqual(['m1'])

    upstream.clock.advance(60_000)
    upstream.meetings.add({ id: 'm2' })
    expect(upstream.meetings.get('m2')).toStrictEqual({
      ...expected,
      id: 'm2',
      title: null,
      started_at: '2026-03-02T11:31:00.000Z',
      created_at: '2026-03-02T12:01:00.000Z',
      updated_at: '2026-03-02T12:01:00.000Z',
    })
    expect(await listIds(upstream, { q: 'roadmap' })).toEqual(['m1'])
    upstream.reset()
    expect(upstream.meetings.all()).toStrictEqual([expected])
  })

  it.each<[MeetingInput, object]>([
    [
      { id: 'm', started_at: '2026-01-01T10:00:00+01:00', duration: 60 },
      { created_at: '2026-01-01T09:01:00.000Z', updated_at: '2026-01-01T09:01:00.000Z' },
    ],
    [
      { id: 'm', created_at: '2026-01-01' },
      {
        started_at: '2025-12-31T23:30:00.000Z',
        created_at: '2026-01-01',
        updated_at: '2026-01-01',
      },
    ],
    [{ id: 'm', updated_at: '2026-05-01' }, { created_at: '2026-03-02T12:00:00.000Z' }],
    [{ id: 'm', duration: Number.MAX_VALUE }, { started_at: '0000-01-01T00:00:00.000Z' }],
    [
      { id: 'm', duration: Number.MAX_VALUE, started_at: '2026-01-01' },
      { created_at: '9999-12-31T23:59:59.999Z' },
    ],
    [{ id: 'm', processing: true }, { status: 'processing' }],
    [{ id: 'm', processing: true, status: 'queued' }, { status: 'queued' }],
    [
      { id: 'm', title: undefined, tags: undefined, holder: undefined },
      { title: null, tags: [] },
    ],
    [
      { id: 'm', participants: [{ first_name: 'Ada' }] },
      { participants: [{ email: null, first_name: 'Ada', last_name: null, status: null, photo: null }] },
    ],
    [{ id: 'm', notes: {} }, { notes: { blocks: [] } }],
    [
      { id: 'm', notes: { blocks: [{ text: 'a', children: [{ completed: true }] }] } },
      {
        notes: {
          blocks: [{ type: 'paragraph', text: 'a', children: [{ type: 'paragraph', completed: true }] }],
        },
      },
    ],
    [
      { id: 'm', transcript: { speakers: { 0: { email: 'a@b' } }, segments: [{ text: 'hello' }] } },
      {
        transcript: {
          language: 'en-US',
          speakers: { 0: { email: 'a@b', first_name: null, last_name: null } },
          segments: [{ speaker: 0, text: 'hello', start: 0, end: 0 }],
        },
      },
    ],
  ])('%j', async (input, expected) => {
    await using upstream = await start(input)
    expect(upstream.meetings.get('m')).toMatchObject(expected)
    expect(await getMeetings(upstream, '/meetings/m')).toMatchObject({ status: input.processing ? 409 : 200 })
  })

  it('may hold the fields that the wire option adds', async () => {
    const summary = { lines: ['a', null, 1] }
    const rows: object[] = [{ id: 'm', summary }]
    await using upstream = await createEmulator({
      meetings: rows as MeetingInput[],
      wire: { extraFields: ['summary'] },
    })
    expect(await getMeetings(upstream, '/meetings?fields=summary')).toMatchObject({
      body: { meetings: [{ id: 'm', summary }] },
    })
    expect(() => upstream.meetings.update('m', { summary: 1n } as object)).toThrow(
      'summary of the meeting "m" is 1. Give a JSON value.',
    )
  })

  it('shares nothing with what the test gave', async () => {
    const given = { id: 'm', tags: ['a'] }
    await using upstream = await start()
    upstream.meetings.add(given)
    given.tags.push('b')
    expect(upstream.meetings.get('m')?.tags).toEqual(['a'])
    upstream.meetings.update('m', given)
    given.tags.push('c')
    expect(upstream.meetings.get('m')?.tags).toEqual(['a', 'b'])
  })
})

const cyclic: NoteBlock = { type: 'list' }
cyclic.children = [cyclic]
const deep: NoteBlock = { type: 'list' }
for (let level = 0, block = deep; level < 10_000; level += 1) {
  const child = { type: 'list' }
  block.children = [child]
  block = child
}

const WRONG: readonly [change: object, problem: string][] = [
  [{ title: 5 }, 'title of the meeting "m" is 5. Give a string or null.'],
  [{ started_at: 'yesterday' }, 'started_at of the meeting "m" is "yesterday". Give an ISO 8601 date'],
  [{ started_at: '2026-02-30' }, 'started_at of the meeting "m" is "2026-02-30".'],
  [{ started_at: '2026-03-01T09:00:00' }, 'started_at of the meeting "m" is "2026-03-01T09:00:00".'],
  [{ created_at: new Date(0) }, 'created_at of the meeting "m" is an object.'],
  [{ updated_at: 5 }, 'updated_at of the meeting "m" is 5.'],
  [{ duration: -1 }, 'duration of the meeting "m" is -1. Give a number of seconds from 0.'],
  [{ duration: NaN }, 'duration of the meeting "m" is NaN.'],
  [{ duration: Infinity }, 'duration of the meeting "m" is Infinity.'],
  [{ duration: '60' }, 'duration of the meeting "m" is "60".'],
  [{ status: null }, 'status of the meeting "m" is null. Give a string.'],
  [{ source: ['zoom'] }, 'source of the meeting "m" is a list.'],
  [{ tags: 'a,b' }, 'tags of the meeting "m" is "a,b". Give a list.'],
  [{ tags: ['a', { id: 'b' }] }, 'tags.1 of the meeting "m" is an object. Give a string.'],
  [{ participants: [{ email: false }] }, 'participants.0.email of the meeting "m" is false.'],
  [{ participants: [{ mail: 'a@b' }] }, 'participants.0.mail of the meeting "m" is not a field.'],
  [{ notes: { blocks: [cyclic] } }, 'notes.blocks.0.children.0 of the meeting "m" holds itself.'],
  [{ notes: { blocks: [deep] } }, 'of the meeting "m" is nested deeper than 100 levels.'],
  [{ notes: null }, 'notes of the meeting "m" is null. Give an object.'],
  [{ transcript: { segments: [{ start: -1 }] } }, 'transcript.segments.0.start of the meeting "m" is -1.'],
  [{ transcript: { speakers: [] } }, 'transcript.speakers of the meeting "m" is a list.'],
  [
    { visibility: 'secret' },
    'visibility of the meeting "m" is "secret". Choose one of owned, shared, public-link, workspace.',
  ],
  [{ processing: 1 }, 'processing of the meeting "m" is 1. Give true or false.'],
  [{ holder: 5 }, 'holder of the meeting "m" is 5.'],
  [{ ownership: 'shared' }, 'ownership of the meeting "m" is not a field. Fields are id, title,'],
  [JSON.parse('{"__proto__":1}') as object, '__proto__ of the meeting "m" is not a field.'],
]

describe('a meeting that cannot be right', () => {
  it.each(WRONG)('is refused with its id and field, and changes nothing: %#', async (change, problem) => {
    const row = { id: 'm', ...change }
    const starting = createEmulator({ meetings: [row] })
    await expect(starting).rejects.toThrow(/^Failed to start the emulator: /)
    await expect(starting).rejects.toThrow(problem)

    await using upstream = await start({ id: 'm', title: 'before' })
    const before = structuredClone(upstream.meetings.all())
    expect(() => upstream.meetings.add(row)).toThrow(/^Failed to add a row to meetings: /)
    expect(() => upstream.meetings.add(row)).toThrow(problem)
    const both = { title: 'after', ...change }
    expect(() => upstream.meetings.update('m', both)).toThrow(/^Failed to update a row of meetings: /)
    expect(() => upstream.meetings.update('m', both)).toThrow(problem)
    expect(upstream.meetings.all()).toStrictEqual(before)
  })

  it.each([
    [[{ id: '' }], 'id of meetings[0] is "". Give a string that is not empty.'],
    [[{ id: 'a' }, { title: 'b' }], 'id of meetings[1] is missing. Give a string.'],
    [[{ id: 7 }], 'id of meetings[0] is 7. Give a string.'],
    [[null], 'meetings[0] is null. Give an object.'],
    [[{ id: 'a' }, { id: 'a' }], 'id of meetings[1] is "a", which an earlier row has.'],
    [{ id: 'a' }, 'meetings is an object. Give a list of rows.'],
  ])('is refused with its place if it has no usable id: %j', async (meetings, problem) => {
    await expect(createEmulator({ meetings: meetings as MeetingInput[] })).rejects.toThrow(
      `Failed to start the emulator: ${problem}`,
    )
  })

  it('is one whose id changes', async () => {
    await using upstream = await start({ id: 'm' })
    expect(upstream.meetings.update('m', { id: 'm', title: 'a' })).toMatchObject({ title: 'a' })
    expect(() => upstream.meetings.update('m', { id: 'n' })).toThrow('id of the meeting "m" is "n"')
    expect(() => upstream.meetings.update('n', { title: 'b' })).toThrow('there is no "n"')
  })
})

it('update keeps a field that is given as undefined', async () => {
  await using upstream = await start({ id: 'm', title: 'kept', holder: 'other' })
  upstream.meetings.update('m', { title: undefined, holder: undefined, source: 'zoom' })
  expect(upstream.meetings.get('m')).toMatchObject({ title: 'kept', holder: 'other', source: 'zoom' })
})

it('the ready-made meetings are complete rows', () => {
  const rows = createDataSet(createRandom(1), now())
  expect(createMeetingReader({ now, extraFields: [] }).initial(rows)).toStrictEqual(rows)
})
