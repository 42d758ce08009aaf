import { DEFAULT_MEETING_FIELDS, MEETINGS_ERRORS } from '@stagepass/contract'
import { describe, expect, it } from 'vitest'
import { errorOf, getMeetings, listIds, listMeetings, send } from '../../node/client.test.kit.js'
import { createEmulator, type Emulator } from '../../node/createEmulator.js'
import { fail } from '../faults/faults.js'
import type { MeetingInput } from '../store/rows.js'

const rows: readonly MeetingInput[] = [
  {
    id: 'm1',
    title: 'Roadmap workshop',
    created_at: '2026-03-01T10:00:00.000Z',
    started_at: '2026-03-01T09:00:00.000Z',
    updated_at: '2026-03-09T00:00:00.000Z',
    duration: 600,
    tags: ['tag-a'],
  },
  {
    id: 'm2',
    title: 'Stand-up',
    created_at: '2026-03-02T10:00:00.000Z',
    started_at: '2026-03-02T09:00:00.000Z',
    updated_at: '2026-03-02T10:00:00.000Z',
    tags: ['tag-a', 'tag-b'],
    visibility: 'shared',
  },
  {
    id: 'm3',
    title: 'Interview',
    created_at: '2026-03-03T10:00:00.000Z',
    started_at: '2026-03-03T09:00:00.000Z',
    updated_at: '2026-03-05T00:00:00.000Z',
    duration: 600,
    tags: ['tag-c'],
    participants: [{ email: 'zoe@example.com', first_name: 'Zoë', last_name: 'Marchetti' }],
    notes: { blocks: [{ children: [{ text: 'Collect feedback', assignee: 'ravi@example.com' }] }] },
    transcript: { segments: [{ text: 'xylophone' }] },
  },
  { id: 'public', visibility: 'public-link' },
  { id: 'workspace', visibility: 'workspace' },
  { id: 'busy', processing: true },
]

const start = () => createEmulator({ meetings: rows })

async function statusOf(upstream: Emulator, path: string, credential?: string): Promise<number> {
  return (await getMeetings(upstream, path, credential)).status
}

describe('Contract: "Visibility"', () => {
  it('owned and shared meetings are included, those of public links and the workspace are not', async () => {
    await using upstream = await start()
    expect(await listIds(upstream)).toEqual(['m3', 'm2', 'm1'])
    expect(await statusOf(upstream, '/meetings/public')).toBe(404)
    expect(await statusOf(upstream, '/meetings/workspace')).toBe(404)
  })

  it('a meeting is in the list only once its processing has finished; by id it is 409 until then', async () => {
    await using upstream = await start()
    const before = await getMeetings(upstream, '/meetings/busy')
    expect([before.status, errorOf(before)]).toEqual([409, 'The meeting is still being processed.'])
    upstream.meetings.update('busy', { processing: false })
    expect(await listIds(upstream)).toContain('busy')
    expect(await statusOf(upstream, '/meetings/busy')).toBe(200)
  })

  it('visible to the key holder: another holder sees others', async () => {
    await using upstream = await createEmulator()
    const own = await listIds(upstream)
    const { meetings } = await listMeetings(upstream, { limit: '100' }, upstream.credentials.other)
    expect(meetings.length).toBeGreaterThan(0)
    for (const { id } of meetings) {
      expect(own).not.toContain(id)
      expect(await statusOf(upstream, `/meetings/${id}`)).toBe(404)
    }
  })
})

describe('Contract: "Query parameters"', () => {
  it('page size: default 20, maximum 100', async () => {
    await using upstream = await createEmulator()
    expect((await listMeetings(upstream)).meetings).toHaveLength(20)
    expect((await listMeetings(upstream, { limit: '1' })).meetings).toHaveLength(1)
    const { meetings, total } = await listMeetings(upstream, { limit: '100' })
    expect(meetings).toHaveLength(Math.min(100, total ?? 0))
    for (const limit of ['0', '101', '-1', '1.5', 'ten', '', '1e1', '٣']) {
      expect(await statusOf(upstream, `/meetings?limit=${encodeURIComponent(limit)}`)).toBe(400)
    }
  })

  it('ownership filter: all (owned plus shared, default), mine (owned only), shared (shared only)', async () => {
    await using upstream = await start()
    expect(await listIds(upstream, { ownership: 'all' })).toEqual(await listIds(upstream))
    expect(await listIds(upstream, { ownership: 'mine' })).toEqual(['m3', 'm1'])
    expect(await listIds(upstream, { ownership: 'shared' })).toEqual(['m2'])
    expect(await statusOf(upstream, '/meetings?ownership=owned')).toBe(400)
    const { meetings } = await listMeetings(upstream, { fields: 'ownership' })
    expect(meetings.map(({ ownership }) => ownership)).toEqual(['owned', 'shared', 'owned'])
  })

  it('sort field: date (created date, default), duration, last_modified (last updated)', async () => {
    await using upstream = await start()
    expect(await listIds(upstream, { sort_by: 'date' })).toEqual(['m3', 'm2', 'm1'])
    expect(await listIds(upstream)).toEqual(['m3', 'm2', 'm1'])
    expect(await listIds(upstream, { sort_by: 'duration' })).toEqual(['m2', 'm3', 'm1'])
    expect(await listIds(upstream, { sort_by: 'last_modified' })).toEqual(['m1', 'm3', 'm2'])
    expect(await statusOf(upstream, '/meetings?sort_by=title')).toBe(400)
  })

  it('sort direction: newest by default; oldest is its reverse, ties included', async () => {
    await using upstream = await start()
    for (const sort_by of ['date', 'duration', 'last_modified']) {
      const newest = await listIds(upstream, { sort_by, order: 'newest' })
      expect(await listIds(upstream, { sort_by })).toEqual(newest)
      expect(await listIds(upstream, { sort_by, order: 'oldest' })).toEqual(newest.toReversed())
    }
    expect(await statusOf(upstream, '/meetings?order=desc')).toBe(400)
  })

  it.each([
    ['title', 'ROADMAP', ['m1']],
    ['part of a title', 'work', ['m1']],
    ["a participant's first name, without its accent", 'zoe', ['m3']],
    ["a participant's last name", 'marchetti', ['m3']],
    ["a participant's address", 'zoe@example', ['m3']],
    ['notes, deep inside', 'collect', ['m3']],
    ['an assignee in the notes', 'ravi', ['m3']],
    ['all of several words', 'interview feedback', ['m3']],
    ['words of two meetings', 'interview roadmap', []],
    ['transcript text, which is not searched', 'xylophone', []],
  ])('search: %s', async (_where, q, ids) => {
    await using upstream = await start()
    expect(await listIds(upstream, { q })).toEqual(ids)
  })

  it.each([
    [{ from: '2026-03-02T09:00:00.000Z' }, ['m3', 'm2']],
    [{ from: '2026-03-02T10:00:00+01:00' }, ['m3', 'm2']],
    [{ from: '2026-03-02T09:00:00.001Z' }, ['m3']],
    [{ from: '2026-03-02' }, ['m3', 'm2']],
    [{ to: '2026-03-02T09:00:00.000Z' }, ['m2', 'm1']],
    [{ to: '2026-03-02T08:59:59.999Z' }, ['m1']],
    [{ to: '2026-03-02' }, ['m2', 'm1']],
    [{ from: '2026-03-02T00:00:00Z', to: '2026-03-02T23:59:59Z' }, ['m2']],
  ])('start and end bound: ISO 8601, both included: %j', async (query, ids) => {
    await using upstream = await start()
    expect(await listIds(upstream, query)).toEqual(ids)
  })

  it.each(['yesterday', '1772445600', '2026-03-02 09:00', '2026-13-01', '2026-03-02T09:00:00', ''])(
    'a bound that is not an ISO 8601 date-time is refused: %s',
    async (bound) => {
      await using upstream = await start()
      for (const name of ['from', 'to']) {
        expect(await statusOf(upstream, `/meetings?${name}=${encodeURIComponent(bound)}`)).toBe(400)
      }
    },
  )

  it('tag filter: comma-separated tag identifiers (obtained from GET /tags)', async () => {
    await using upstream = await start()
    expect(await listIds(upstream, { tags: 'tag-a' })).toEqual(['m2', 'm1'])
    expect(await listIds(upstream, { tags: 'tag-b,tag-c' })).toEqual(['m3', 'm2'])
    expect(await listIds(upstream, { tags: 'tag-none' })).toEqual([])
    expect(await getMeetings(upstream, '/tags')).toMatchObject({
      status: 200,
      body: { tags: [{ id: 'tag-a', name: 'A' }, { id: 'tag-b' }, { id: 'tag-c' }] },
    })
  })

  it('fields: comma-separated names; id is always included; the default set when omitted', async () => {
    await using upstream = await start()
    const keysFor = async (query: Record<string, string>) =>
      Object.keys((await listMeetings(upstream, query)).meetings[0] ?? {})
    expect(await keysFor({})).toEqual(['id', ...DEFAULT_MEETING_FIELDS])
    expect(await keysFor({ fields: 'title,participants' })).toEqual(['id', 'title', 'participants'])
    expect(await keysFor({ fields: 'id' })).toEqual(['id'])
    expect(await keysFor({ fields: [...DEFAULT_MEETING_FIELDS, 'participants'].join(',') })).toHaveLength(9)
  })
})

describe('Contract: "List response", "One meeting", "Tags"', () => {
  it('JSON; items are meetings; the cursor for the next page is in next_cursor', async () => {
    await using upstream = await start()
    const reply = await getMeetings(upstream, '/meetings?limit=2')
    expect(reply.headers.get('content-type')).toMatch('application/json')
    expect(reply.body).toEqual({
      meetings: [expect.objectContaining({ id: 'm3' }), expect.objectContaining({ id: 'm2' })],
      next_cursor: expect.any(String),
      total: 3,
    })
    expect(await getMeetings(upstream, '/meetings?limit=3')).toMatchObject({ body: { next_cursor: null } })
  })

  it('GET /meetings/{id}: the default set, or the fields asked for, transcript and notes among them', async () => {
    await using upstream = await start()
    const plain = await getMeetings(upstream, '/meetings/m3')
    expect(Object.keys(plain.body as object)).toEqual(['id', ...DEFAULT_MEETING_FIELDS])
    const full = await getMeetings(upstream, '/meetings/m3?fields=participants,transcript,notes')
    expect(full.body).toEqual({
      id: 'm3',
      participants: [expect.objectContaining({ first_name: 'Zoë', photo: null })],
      transcript: {
        language: 'en-US',
        speakers: {},
        segments: [expect.objectContaining({ text: 'xylophone' })],
      },
      notes: { blocks: [expect.objectContaining({ type: 'paragraph' })] },
    })
    expect(await getMeetings(upstream, '/meetings/%6D3')).toMatchObject({ status: 200, body: { id: 'm3' } })
    expect(await statusOf(upstream, '/meetings/none')).toBe(404)
  })
})

describe('Contract: "Bearer credential"', () => {
  it('credential type: bearer; the API key of the token endpoint is not accepted', async () => {
    await using upstream = await start()
    for (const authorization of [
      undefined,
      '',
      'Bearer',
      'Bearer nobody',
      `api-key ${upstream.meetingsCredential}`,
      `Bearer ${upstream.apiKey}`,
    ]) {
      for (const path of ['/meetings', '/meetings/m1', '/tags']) {
        const reply = await send(
          upstream.meetingsUrl + path,
          authorization ? { headers: { authorization } } : {},
        )
        expect(reply.status).toBe(401)
        expect(errorOf(reply)).toBe('The bearer credential is missing or invalid.')
      }
    }
    const headers = { authorization: `bearer ${upstream.meetingsCredential}` }
    expect(await send(`${upstream.meetingsUrl}/meetings`, { headers })).toMatchObject({ status: 200 })
  })

  it('required scope: read', async () => {
    await using upstream = await start()
    for (const path of ['/meetings', '/meetings/m1', '/tags']) {
      const reply = await getMeetings(upstream, path, upstream.credentials.withoutScope)
      expect(reply.status).toBe(403)
      expect(errorOf(reply)).toMatch('read')
    }
  })
})

describe('Contract: "Meetings errors"', () => {
  it.each('titel TITLE title, , transcript notes visibility holder constructor __proto__'.split(' '))(
    '400: an invalid name in the field-selection parameter (%s)',
    async (fields) => {
      await using upstream = await start()
      const reply = await getMeetings(upstream, `/meetings?fields=${fields}`)
      expect(reply.status).toBe(400)
      expect(errorOf(reply)).toMatch(/^fields: |is not a field/)
      expect(await statusOf(upstream, '/meetings/m1?fields=title,nope')).toBe(400)
    },
  )

  it.each([
    ['INVALID_FIELDS', 400, '/meetings'],
    ['CREDENTIAL_INVALID', 401, '/tags'],
    ['SCOPE_MISSING', 403, '/meetings/m1'],
    ['UNKNOWN_MEETING', 404, '/meetings/m1'],
    ['STILL_PROCESSING', 409, '/meetings/m1'],
    ['RATE_LIMIT_EXCEEDED', 429, '/meetings'],
  ] as const)('%s (%i) by a fault', async (code, status, path) => {
    await using upstream = await start()
    upstream.use(fail(code, { times: 1 }))
    const reply = await getMeetings(upstream, path)
    expect([reply.status, errorOf(reply)]).toEqual([status, MEETINGS_ERRORS[code].title])
    expect(await statusOf(upstream, path)).toBe(200)
  })
})
