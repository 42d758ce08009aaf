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

/* What the contract says of the list is in test/service, which runs on the emulator too. This is the rest. */

describe('Contract: "Visibility"', () => {
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
  it('sort field: last_modified (last updated), and equal durations by date', async () => {
    await using upstream = await start()
    expect(await listIds(upstream, { sort_by: 'duration' })).toEqual(['m2', 'm3', 'm1'])
    expect(await listIds(upstream, { sort_by: 'last_modified' })).toEqual(['m1', 'm3', 'm2'])
  })

  it.each([
    ...['0', '101', '-1', '1.5', 'ten', '', '1e1', '٣'].map((limit) => ['limit', limit]),
    ['ownership', 'owned'],
    ['sort_by', 'title'],
    ['order', 'desc'],
  ])('the %s "%s" is refused', async (name, value) => {
    await using upstream = await start()
    expect(await statusOf(upstream, `/meetings?${name}=${encodeURIComponent(value)}`)).toBe(400)
  })

  it('a repeated parameter is refused, and an unknown one ignored', async () => {
    await using upstream = await start()
    expect(await statusOf(upstream, '/meetings?limit=1&limit=2')).toBe(400)
    expect(await statusOf(upstream, '/meetings?page=2&__proto__=1')).toBe(200)
  })

  it.each([
    ['part of a title', 'work', ['m1']],
    ["a participant's first name, without its accent", 'zoe', ['m3']],
    ["a participant's last name", 'marchetti', ['m3']],
    ["a participant's address", 'zoe@example', ['m3']],
    ['notes, deep inside', 'collect', ['m3']],
    ['an assignee in the notes', 'ravi', ['m3']],
    ['all of several words', 'interview feedback', ['m3']],
    ['words of two meetings', 'interview roadmap', []],
  ])('search: %s', async (_where, q, ids) => {
    await using upstream = await start()
    expect(await listIds(upstream, { q })).toEqual(ids)
  })

  it.each([
    [{ from: '2026-03-02T10:00:00+01:00' }, ['m3', 'm2']],
    [{ from: '2026-03-02T09:00:00.001Z' }, ['m3']],
    [{ from: '2026-03-02' }, ['m3', 'm2']],
    [{ to: '2026-03-02T08:59:59.999Z' }, ['m1']],
    [{ to: '2026-03-02' }, ['m2', 'm1']],
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
})

describe('Contract: "One meeting"', () => {
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
