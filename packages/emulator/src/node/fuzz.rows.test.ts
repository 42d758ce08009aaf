import { encodeText } from '@stagepass/contract'
import * as fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import { createEmulator, type Emulator } from './createEmulator.js'
import { anyQuery, dateText, oddText, type RawReply, runs, sendTarget } from './fuzz.test.kit.js'
import { type MeetingInput, VISIBILITIES } from '../core/store/rows.js'

// A busy machine takes several times as long as the second that each of these needs.
vi.setConfig({ testTimeout: 30_000 })

const seconds = fc.double({ min: 0, noNaN: true, noDefaultInfinity: true })
const nullable = fc.option(oddText)
const block = fc.letrec<{ block: object }>((tie) => ({
  block: fc.record(
    {
      type: oddText,
      text: oddText,
      completed: fc.boolean(),
      assignee: oddText,
      due_date: oddText,
      children: fc.array(tie('block'), { maxLength: 2 }),
    },
    { requiredKeys: [] },
  ),
})).block

/** Rows that must be accepted. */
const goodFields = {
  title: nullable,
  started_at: dateText,
  duration: seconds,
  status: oddText,
  source: nullable,
  tags: fc.array(oddText, { maxLength: 3 }),
  participants: fc.array(
    fc.record({ email: nullable, first_name: nullable, last_name: nullable }, { requiredKeys: [] }),
    { maxLength: 2 },
  ),
  notes: fc.record({ blocks: fc.array(block, { maxLength: 2 }) }, { requiredKeys: [] }),
  transcript: fc.record(
    {
      language: oddText,
      speakers: fc.dictionary(oddText, fc.record({ email: nullable }, { requiredKeys: [] })),
      segments: fc.array(fc.record({ text: oddText, start: seconds }, { requiredKeys: [] })),
    },
    { requiredKeys: [] },
  ),
  created_at: dateText,
  updated_at: dateText,
  visibility: fc.constantFrom(...VISIBILITIES),
  processing: fc.boolean(),
}
const id = oddText.filter((text) => text !== '')
const goodRow = fc.record({ id, ...goodFields }, { requiredKeys: ['id'] })

/** One field of each has a random value, and sometimes a random name. */
const anything = fc.oneof(
  fc.anything({ withBigInt: true, withDate: true, withMap: true, withSparseArray: true }),
  fc.constantFrom<unknown>(undefined, null, [], {}, ['a'], 'shared', '2026-01-01', 60, -60, NaN, true),
)
const anyRow = fc
  .tuple(
    goodRow,
    fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...Object.keys(goodFields), 'id', 'holder') }, oddText),
    anything,
  )
  .map(([row, name, value]) => ({ ...row, [name]: value }))

const LIST_STATUSES = [200, 400]
const READ_STATUSES = [200, 400, 404, 409]

function read(upstream: Emulator, target: string): Promise<RawReply> {
  return sendTarget(upstream, `/v1${target}`, { authorization: `Bearer ${upstream.meetingsCredential}` })
}

function judge(reply: RawReply, statuses: readonly number[]): unknown {
  expect(statuses).toContain(reply.status)
  return JSON.parse(reply.text)
}

/** Runs every operation of the interface with the rows, and reads every page of a plain list. */
async function readAll(upstream: Emulator, rowIds: readonly string[], search: string): Promise<void> {
  judge(await read(upstream, `/meetings?${search}`), LIST_STATUSES)
  judge(await read(upstream, '/meetings?limit=100&q=a&fields=participants,title'), [200])
  judge(await read(upstream, '/tags'), [200])
  for (const rowId of rowIds) {
    const path = `/meetings/${encodeText(rowId)}`
    judge(await read(upstream, `${path}?fields=notes,transcript,participants`), READ_STATUSES)
    judge(await read(upstream, `${path}?${search}`), READ_STATUSES)
  }

  const seen: string[] = []
  for (let next: string | null = ''; next !== null;) {
    const cursor: string = next === '' ? '' : `&cursor=${encodeURIComponent(next)}`
    const page = judge(await read(upstream, `/meetings?limit=2${cursor}`), [200]) as {
      meetings: { id: string }[]
      next_cursor: string | null
    }
    seen.push(...page.meetings.map((meeting) => meeting.id))
    next = page.next_cursor
  }
  const expected = upstream.meetings
    .all()
    .filter(({ holder = 'main' }) => holder === 'main')
    .filter(({ visibility }) => visibility === 'owned' || visibility === 'shared')
    .filter(({ processing }) => !processing)
  expect(seen.toSorted()).toEqual(expected.map((row) => row.id).toSorted())
}

it('accepts every valid row, and answers every query about it with a status of the contract', async () => {
  const rows = fc.uniqueArray(goodRow, { selector: (row) => row.id, maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(rows, anyQuery, async (meetings, search) => {
      await using upstream = await createEmulator({ meetings })
      const rowIds = meetings.map((row) => row.id)
      expect(upstream.meetings.all().map((row) => row.id)).toEqual(rowIds)
      // A stored row is complete, so it may be added again unchanged.
      for (const row of upstream.meetings.all()) upstream.meetings.add(row)
      await readAll(upstream, rowIds, search)
    }),
    runs(40),
  )
})

function messageOf(act: () => void): string | undefined {
  try {
    act()
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

const REFUSAL = /^Failed to read (a|the) meeting[^]*: it is not valid\.\n✖ [^]+$/

async function judgeRefusal(message: string, row: MeetingInput): Promise<void> {
  expect(message).toMatch(REFUSAL)
  const name = typeof row.id === 'string' ? row.id : 'id'
  expect(message).toContain(name)
  await expect(createEmulator({ meetings: [row] })).rejects.toThrow(REFUSAL)
}

it('refuses any other row with its id and field, or answers every query about it', async () => {
  let [taken, refused] = [0, 0]
  await fc.assert(
    fc.asyncProperty(anyRow, anyQuery, async (given, search) => {
      const row = given as MeetingInput
      await using upstream = await createEmulator({ meetings: [{ id: '-' }] })
      const message = messageOf(() => upstream.meetings.add(row))
      if (message === undefined) taken += 1
      else {
        refused += 1
        await judgeRefusal(message, row)
      }
      const rowIds = upstream.meetings.all().map((stored) => stored.id)
      expect(rowIds).toEqual(message === undefined ? ['-', row.id] : ['-'])
      await readAll(upstream, rowIds, search)
    }),
    runs(60),
  )
  expect(taken).toBeGreaterThan(5)
  expect(refused).toBeGreaterThan(20)
})
