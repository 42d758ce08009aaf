import { DEFAULT_MEETING_FIELDS } from '@stagepass/contract'
import { describe, expect, it } from 'vitest'
import { errorOf, getMeetings, listIds, listMeetings, send } from '../../node/client.test.kit.js'
import { createEmulator } from '../../node/createEmulator.js'
import { fail } from '../faults/faults.js'
import { meetingRow } from '../store/meetingRow.test.kit.js'

const rows = [
  meetingRow('m1', {
    title: 'Roadmap workshop',
    created_at: '2026-03-01T10:00:00.000Z',
    started_at: '2026-03-01T09:00:00.000Z',
    updated_at: '2026-03-09T00:00:00.000Z',
    duration: 600,
    tags: ['tag-a'],
  }),
  meetingRow('m2', {
    title: 'Stand-up',
    created_at: '2026-03-02T10:00:00.000Z',
    started_at: '2026-03-02T09:00:00.000Z',
    updated_at: '2026-03-02T10:00:00.000Z',
    duration: 1_800,
    tags: ['tag-a', 'tag-b'],
    visibility: 'shared',
  }),
  meetingRow('m3', {
    title: 'Interview',
    created_at: '2026-03-03T10:00:00.000Z',
    started_at: '2026-03-03T09:00:00.000Z',
    updated_at: '2026-03-05T00:00:00.000Z',
    duration: 600,
    tags: ['tag-c'],
    participants: [
      { email: 'zoe@example.com', first_name: 'Zoë', last_name: 'Marchetti', status: null, photo: null },
    ],
    notes: {
      blocks: [
        {
          type: 'list',
          text: 'Steps',
          children: [{ type: 'todo', text: 'Collect feedback', assignee: 'ravi@example.com' }],
        },
      ],
    },
    transcript: {
      language: 'en-US',
      speakers: {},
      segments: [{ speaker: 0, text: 'xylophone', start: 0, end: 1 }],
    },
  }),
  meetingRow('public', { visibility: 'public-link' }),
  meetingRow('workspace', { visibility: 'workspace' }),
  meetingRow('busy', { processing: true }),
]

const start = () => createEmulator({ meetings: rows, limiter: 'sliding' })

describe('Contract: "Visibility"', () => {
  it('1. included: meetings the key holder owns, and meetings shared with the key holder', async () => {
    await using upstream = await start()
    expect(await listIds(upstream)).toEqual(['m3', 'm2', 'm1'])
  })

  it('2. excluded: meetings reached by public link, and workspace-wide meetings', async () => {
    await using upstream = await start()
    const ids = await listIds(upstream)
    expect(ids).not.toContain('public')
    expect(ids).not.toContain('workspace')
    expect(await getMeetings(upstream, '/meetings/public')).toMatchObject({ status: 404 })
    expect(await getMeetings(upstream, '/meetings/workspace')).toMatchObject({ status: 404 })
  })

  it('3. included only when processing has finished', async () => {
    await using upstream = await start()
    expect(await listIds(upstream)).not.toContain('busy')
  })

  it('visible to the key holder: another holder sees others', async () => {
    await using upstream = await createEmulator()
    const own = await listIds(upstream)
    const { meetings } = await listMeetings(upstream, { limit: '100' }, upstream.credentials.other)
    expect(meetings.length).toBeGreaterThan(0)
    for (const { id } of meetings) {
      expect(own).not.toContain(id)
      expect(await getMeetings(upstream, `/meetings/${id}`)).toMatchObject({ status: 404 })
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
      expect(await getMeetings(upstream, `/meetings?limit=${encodeURIComponent(limit)}`)).toMatchObject({
        status: 400,
      })
    }
  })

  it('cursor: the next_cursor of a previous response, page by page to the end', async () => {
    await using upstream = await createEmulator()
    const { total } = await listMeetings(upstream, { limit: '1' })
    const ids: string[] = []
    let cursor: string | null = null
    do {
      const page = await listMeetings(upstream, { limit: '7', ...(cursor ? { cursor } : {}) })
      ids.push(...page.meetings.map(({ id }) => id))
      cursor = page.next_cursor
      upstream.clock.advance(1_000)
    } while (cursor !== null)
    expect(ids).toEqual([...new Set(ids)])
    expect(ids).toHaveLength(total ?? 0)
  })

  it('ownership filter: all (owned plus shared, default), mine (owned only), shared (shared only)', async () => {
    await using upstream = await start()
    expect(await listIds(upstream, { ownership: 'all' })).toEqual(await listIds(upstream))
    expect(await listIds(upstream, { ownership: 'mine' })).toEqual(['m3', 'm1'])
    expect(await listIds(upstream, { ownership: 'shared' })).toEqual(['m2'])
    expect(await getMeetings(upstream, '/meetings?ownership=owned')).toMatchObject({ status: 400 })
    const { meetings } = await listMeetings(upstream, { fields: 'ownership' })
    expect(meetings.map(({ ownership }) => ownership)).toEqual(['owned', 'shared', 'owned'])
  })

  it('sort field: date (created date, default), duration, last_modified (last updated)', async () => {
    await using upstream = await start()
    expect(await listIds(upstream, { sort_by: 'date' })).toEqual(['m3', 'm2', 'm1'])
    expect(await listIds(upstream)).toEqual(['m3', 'm2', 'm1'])
    expect(await listIds(upstream, { sort_by: 'duration' })).toEqual(['m2', 'm3', 'm1'])
    expect(await listIds(upstream, { sort_by: 'last_modified' })).toEqual(['m1', 'm3', 'm2'])
    expect(await getMeetings(upstream, '/meetings?sort_by=title')).toMatchObject({ status: 400 })
  })

  it('sort direction: newest by default; oldest is its reverse, ties included', async () => {
    await using upstream = await start()
    for (const sort_by of ['date', 'duration', 'last_modified']) {
      const newest = await listIds(upstream, { sort_by, order: 'newest' })
      expect(await listIds(upstream, { sort_by })).toEqual(newest)
      expect(await listIds(upstream, { sort_by, order: 'oldest' })).toEqual(newest.toReversed())
    }
    expect(await getMeetings(upstream, '/meetings?order=desc')).toMatchObject({ status: 400 })
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

  it('start bound: ISO 8601, at or after it', async () => {
    await using upstream = await start()
    expect(await listIds(upstream, { from: '2026-03-02T09:00:00.000Z' })).toEqual(['m3', 'm2'])
    expect(await listIds(upstream, { from: '2026-03-02T10:00:00+01:00' })).toEqual(['m3', 'm2'])
    expect(await listIds(upstream, { from: '2026-03-02T09:00:00.001Z' })).toEqual(['m3'])
    expect(await listIds(upstream, { from: '2026-03-02' })).toEqual(['m3', 'm2'])
  })

  it('end bound: ISO 8601, at or before it', async () => {
    await using upstream = await start()
    expect(await listIds(upstream, { to: '2026-03-02T09:00:00.000Z' })).toEqual(['m2', 'm1'])
    expect(await listIds(upstream, { to: '2026-03-02T08:59:59.999Z' })).toEqual(['m1'])
    expect(await listIds(upstream, { to: '2026-03-02' })).toEqual(['m2', 'm1'])
    expect(await listIds(upstream, { from: '2026-03-02T00:00:00Z', to: '2026-03-02T23:59:59Z' })).toEqual([
      'm2',
    ])
  })

  it.each(['yesterday', '1772445600', '2026-03-02 09:00', '2026-13-01', '2026-03-02T09:00:00', ''])(
    'a bound that is no ISO 8601 date-time is refused: %s',
    async (bound) => {
      await using upstream = await start()
      expect(await getMeetings(upstream, `/meetings?from=${encodeURIComponent(bound)}`)).toMatchObject({
        status: 400,
      })
      expect(await getMeetings(upstream, `/meetings?to=${encodeURIComponent(bound)}`)).toMatchObject({
        status: 400,
      })
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
      participants: rows[2]?.participants,
      transcript: rows[2]?.transcript,
      notes: rows[2]?.notes,
    })
    expect(await getMeetings(upstream, '/meetings/%6D3')).toMatchObject({ status: 200, body: { id: 'm3' } })
    expect(await getMeetings(upstream, '/meetings/none')).toMatchObject({ status: 404 })
  })
})

describe('Contract: "Bearer credential"', () => {
  it('credential type: bearer; the API key of the token endpoint is none', async () => {
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
  it.each([
    'titel',
    'TITLE',
    'title,',
    ',',
    'transcript',
    'notes',
    'visibility',
    'holder',
    'constructor',
    '__proto__',
  ])('400: an invalid name in the field-selection parameter (%s)', async (fields) => {
    await using upstream = await start()
    const reply = await getMeetings(upstream, `/meetings?fields=${fields}`)
    expect(reply.status).toBe(400)
    expect(errorOf(reply)).toMatch('is not a field')
  })

  it('400: an invalid name in the field-selection parameter of a single meeting', async () => {
    await using upstream = await start()
    expect(await getMeetings(upstream, '/meetings/m1?fields=title,nope')).toMatchObject({ status: 400 })
  })

  it('429: the rate limit is exceeded', async () => {
    await using upstream = await createEmulator({ meetings: rows, now: () => 0 })
    for (let request = 0; request < 25; request += 1) await listMeetings(upstream)
    const reply = await getMeetings(upstream, '/meetings')
    expect(reply.status).toBe(429)
    expect(errorOf(reply)).toBe('The rate limit is exceeded.')
  })

  it('GET /meetings/{id} returns 409 for a meeting still processing', async () => {
    await using upstream = await start()
    expect(await getMeetings(upstream, '/meetings/busy')).toMatchObject({ status: 409 })
  })

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
    expect(reply.status).toBe(status)
    errorOf(reply)
    expect(await getMeetings(upstream, path)).toMatchObject({ status: 200 })
  })
})
