import { describe, expect, it } from 'vitest'
import { getMeetings, listIds } from '../../node/client.test.kit.js'
import { createEmulator } from '../../node/createEmulator.js'
import { createRandom } from '../platform/random.js'
import type { MeetingInput } from './rows.js'
import { createMeetingReader } from './createMeetingReader.js'
import { createDataSet } from './dataSet.js'

const now = () => Date.parse('2026-03-02T12:00:00.000Z')
const start = (...meetings: readonly MeetingInput[]) => createEmulator({ meetings, now })

describe('a partial meeting', () => {
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

  it('keeps its place in the list, and comes first if it is added later', async () => {
    const ids = Array.from({ length: 30 }, (_, index) => `m${(index * 7) % 30}`)
    // With a clock that stands still, and with one that runs.
    for (const clock of [now, Date.now]) {
      await using upstream = await createEmulator({ meetings: ids.map((id) => ({ id })), now: clock })
      for (const id of ['b', 'a', 'c']) upstream.meetings.add({ id })
      expect(await listIds(upstream, { limit: '100' })).toEqual(['c', 'a', 'b', ...ids])
    }
  })

  it('may have the fields that the wire option adds', async () => {
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
      'the meeting "m": it is not valid.\n✖ Invalid input',
    )
  })

  it("is a copy of the test's object", async () => {
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

const WRONG: readonly [change: object, problem: string, path?: string][] = [
  [{ title: 5 }, 'expected string, received number', 'title'],
  [{ started_at: 'yesterday' }, 'Give an ISO 8601 date', 'started_at'],
  [{ started_at: '2026-02-30' }, 'Give an ISO 8601 date', 'started_at'],
  [{ duration: -1 }, 'expected number to be >=0', 'duration'],
  [{ tags: ['a', { id: 'b' }] }, 'expected string, received object', 'tags[1]'],
  [{ participants: [{ mail: 'a@b' }] }, 'Unrecognized key: "mail"', 'participants[0]'],
  [{ notes: null }, 'expected object, received null', 'notes'],
  [
    { transcript: { segments: [{ start: -1 }] } },
    'expected number to be >=0',
    'transcript.segments[0].start',
  ],
  [{ visibility: 'secret' }, 'expected one of "owned"|"shared"|"public-link"|"workspace"', 'visibility'],
  [{ ownership: 'shared' }, 'Unrecognized key: "ownership"'],
  [JSON.parse('{"__proto__":1}') as object, 'Unrecognized key: "__proto__"'],
]

const act = async (change: () => unknown): Promise<unknown> => change()

describe('an invalid meeting', () => {
  it.each(WRONG)(
    'is refused with its id and field, and changes nothing: %#',
    async (change, problem, path) => {
      const row = { id: 'm', ...change }
      const both = { title: 'after', ...change }
      await using upstream = await start({ id: 'm', title: 'before' })
      const before = structuredClone(upstream.meetings.all())
      const refusals = [
        createEmulator({ meetings: [row] }),
        act(() => upstream.meetings.add(row)),
        act(() => upstream.meetings.update('m', both)),
      ]
      for (const refused of refusals) {
        const message = await refused.then(String, String)
        expect(message).toContain('Failed to read the meeting "m": it is not valid.')
        expect(message).toContain(problem)
        expect(message.endsWith(`\n  → at ${path}`)).toBe(path !== undefined)
      }
      expect(upstream.meetings.all()).toStrictEqual(before)
    },
  )

  it.each([
    [[{ id: '' }], 'Failed to read the meeting "": it is not valid.\n✖ Too small'],
    [
      [{ title: 'b' }],
      'Failed to read a meeting: it is not valid.\n✖ Invalid input: expected string, received undefined',
    ],
    [[null], 'Failed to read a meeting: it is not valid.\n✖ Invalid input: expected object, received null'],
    [[{ id: 'a' }, { id: 'a' }], 'Failed to start the emulator: two meetings have the same id.'],
  ])('is refused if it has no usable id: %j', async (meetings, problem) => {
    await expect(createEmulator({ meetings: meetings as MeetingInput[] })).rejects.toThrow(problem)
  })

  it('is refused if its id changes', async () => {
    await using upstream = await start({ id: 'm' })
    expect(upstream.meetings.update('m', { id: 'm', title: 'a' })).toMatchObject({ title: 'a' })
    expect(() => upstream.meetings.update('m', { id: 'n' })).toThrow('"m" keeps its id')
    expect(() => upstream.meetings.update('n', { title: 'b' })).toThrow('there is no "n"')
  })
})

it('update keeps a field that is given as undefined', async () => {
  await using upstream = await start({ id: 'm', title: 'kept', holder: 'other' })
  upstream.meetings.update('m', { title: undefined, holder: undefined, source: 'zoom' })
  expect(upstream.meetings.get('m')).toMatchObject({ title: 'kept', holder: 'other', source: 'zoom' })
})

it('the built-in meetings are complete rows', () => {
  const rows = createDataSet(createRandom(1), now())
  expect(rows.map((row) => createMeetingReader([])(row, 0))).toStrictEqual(rows)
})
