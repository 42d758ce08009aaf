import { MEETINGS_ERRORS } from '@stagepass/contract'
import { createEmulator, type EmulatorOptions, fail, type MeetingRow } from '@stagepass/emulator'
import { describe, expect, it } from 'vitest'
import { ask, type Reply } from './kit.js'

type Emulator = Awaited<ReturnType<typeof createEmulator>>
const DEFAULTS = ['title', 'started_at', 'duration', 'status', 'source', 'tags', 'ownership']
const DAY = 86_400_000
const START = Date.parse('2026-01-01T12:00:00.000Z')

function row(id: string, over: Partial<MeetingRow> = {}): MeetingRow {
  return {
    id,
    title: `Title of ${id}`,
    started_at: '2026-01-01T12:00:00.000Z',
    duration: 60,
    status: 'completed',
    source: 'zoom',
    tags: [],
    participants: [],
    notes: { blocks: [] },
    transcript: { language: 'en', speakers: {}, segments: [] },
    created_at: '2026-01-01T12:00:00.000Z',
    updated_at: '2026-01-01T12:00:00.000Z',
    visibility: 'owned',
    processing: false,
    ...over,
  }
}
/** `n` meetings a day apart, m01 the oldest. */
const series = (n: number): MeetingRow[] =>
  Array.from({ length: n }, (_, i) => {
    const at = new Date(START + i * DAY).toISOString()
    return row(`m${String(i + 1).padStart(3, '0')}`, { started_at: at, created_at: at, updated_at: at })
  })

const get = (upstream: Emulator, path: string, credential: string | null = upstream.meetingsCredential) =>
  ask(upstream.meetingsUrl + path, {
    headers: { authorization: credential === null ? null : `Bearer ${credential}`, 'x-stagepass': null },
  })
const idsOf = (reply: Reply) => (reply.body.meetings as { id: string }[]).map(({ id }) => id)
const list = async (options: EmulatorOptions, query: string) => {
  await using upstream = await createEmulator(options)
  return await get(upstream, `/meetings${query}`)
}

describe('authentication', () => {
  for (const [name, header] of [
    ['missing', null],
    ['of another scheme', 'api-key x'],
    ['without a value', 'Bearer'],
    ['unknown', 'Bearer nonsense'],
  ] as const) {
    it(`a credential ${name} is refused with 401`, async () => {
      await using upstream = await createEmulator()
      for (const path of ['/meetings', '/meetings/x', '/tags']) {
        const reply = await ask(upstream.meetingsUrl + path, { headers: { authorization: header } })
        expect(reply.status).toBe(401)
      }
    })
  }
  it('the API key of the token endpoint is no credential here', async () => {
    await using upstream = await createEmulator()
    expect((await get(upstream, '/meetings', upstream.apiKey)).status).toBe(401)
  })
  it('the scope read is required', async () => {
    await using upstream = await createEmulator()
    expect((await get(upstream, '/meetings', upstream.credentials.withoutScope)).status).toBe(403)
  })
})

describe('visibility', () => {
  const meetings = [
    row('owned'),
    row('shared', { visibility: 'shared' }),
    row('link', { visibility: 'public-link' }),
    row('workspace', { visibility: 'workspace' }),
    row('busy', { processing: true }),
    row('busy-shared', { processing: true, visibility: 'shared' }),
  ]
  it('owned and shared are in the list; public link, workspace and processing are not', async () => {
    const reply = await list({ meetings }, '')
    expect(new Set(idsOf(reply))).toEqual(new Set(['owned', 'shared']))
  })
  it('meetings of another holder are not', async () => {
    await using upstream = await createEmulator()
    const mine = new Set(idsOf(await get(upstream, '/meetings?limit=100')))
    const theirs = idsOf(await get(upstream, '/meetings?limit=100', upstream.credentials.other))
    expect(theirs.length).toBeGreaterThan(0)
    expect(theirs.filter((id) => mine.has(id))).toEqual([])
  })
  for (const [filter, ids] of [
    ['all', ['owned', 'shared']],
    ['mine', ['owned']],
    ['shared', ['shared']],
  ] as const) {
    it(`ownership ${filter}`, async () => {
      const reply = await list({ meetings }, `?ownership=${filter}`)
      expect(new Set(idsOf(reply))).toEqual(new Set(ids))
    })
  }
  it('a processing meeting is 409 by id, and appears when it is done', async () => {
    await using upstream = await createEmulator({ meetings })
    expect((await get(upstream, '/meetings/busy')).status).toBe(409)
    upstream.meetings.update('busy', { processing: false })
    const reply = await get(upstream, '/meetings/busy')
    expect(reply.status).toBe(200)
    expect(reply.body.id).toBe('busy')
    expect(idsOf(await get(upstream, '/meetings'))).toContain('busy')
  })
  it('an unknown id is 404, as is one of another holder', async () => {
    await using upstream = await createEmulator({ meetings })
    expect((await get(upstream, '/meetings/nothing')).status).toBe(404)
    expect((await get(upstream, '/meetings/owned', upstream.credentials.other)).status).toBe(404)
  })
})

describe('page size', () => {
  it('is 20 by default', async () => {
    const reply = await list({ meetings: series(30) }, '')
    expect(idsOf(reply)).toHaveLength(20)
  })
  it('is at most 100', async () => {
    await using upstream = await createEmulator({ meetings: series(120) })
    expect(idsOf(await get(upstream, '/meetings?limit=100'))).toHaveLength(100)
    const over = await get(upstream, '/meetings?limit=101')
    expect(over.status === 400 || idsOf(over).length <= 100).toBe(true)
  })
  it('of 1 gives one', async () => {
    expect(idsOf(await list({ meetings: series(3) }, '?limit=1'))).toEqual(['m003'])
  })
})

describe('cursor', () => {
  const walk = async (upstream: Emulator, query: string, between?: (page: number) => void) => {
    const ids: string[] = []
    let cursor: string | null = null
    for (let page = 0; page < 100; page++) {
      const reply = await get(
        upstream,
        `/meetings?${query}${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
      )
      expect(reply.status).toBe(200)
      ids.push(...idsOf(reply))
      cursor = (reply.body.next_cursor as string | null | undefined) ?? null
      if (cursor === null) return ids
      between?.(page)
    }
    throw new Error('the list has no end')
  }
  for (const query of [
    'limit=7',
    'limit=7&order=oldest',
    'limit=7&sort_by=duration',
    'limit=7&sort_by=last_modified&order=oldest',
  ]) {
    it(`${query}: every meeting once, in order, to the end`, async () => {
      await using upstream = await createEmulator({ meetings: series(23), limiter: 'sliding' })
      const ids = await walk(upstream, query)
      expect(ids).toHaveLength(23)
      expect(new Set(ids).size).toBe(23)
    })
  }
  it('is stable while meetings are added in front', async () => {
    await using upstream = await createEmulator({ meetings: series(20) })
    const ids = await walk(upstream, 'limit=6', (page) => {
      const at = new Date(START + (100 + page) * DAY).toISOString()
      upstream.meetings.add(row(`new${page}`, { created_at: at, started_at: at }))
    })
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.filter((id) => id.startsWith('m'))).toHaveLength(20)
  })
  it('is stable while meetings are removed, the last one shown too', async () => {
    await using upstream = await createEmulator({ meetings: series(20) })
    const ids = await walk(upstream, 'limit=5', (page) => {
      if (page === 0) {
        upstream.meetings.remove('m016')
        upstream.meetings.remove('m020')
        upstream.meetings.remove('m015')
      }
    })
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.filter((id) => id !== 'm015')).toEqual(
      series(20)
        .map(({ id }) => id)
        .filter((id) => id !== 'm015')
        .toReversed(),
    )
  })
  it('that is nonsense is refused or is the start, never a crash', async () => {
    for (const cursor of ['nonsense', '%00', '-1', 'null', 'x'.repeat(2_000)]) {
      const reply = await list({ meetings: series(3) }, `?cursor=${cursor}`)
      expect([200, 400]).toContain(reply.status)
    }
  })
  it('the end is null by default, missing where told', async () => {
    expect((await list({ meetings: series(1) }, '')).body.next_cursor).toBe(null)
    expect((await list({ meetings: series(1), endOfList: 'missing' }, '')).body).not.toHaveProperty(
      'next_cursor',
    )
  })
  it('of exactly one full page ends there', async () => {
    const reply = await list({ meetings: series(20) }, '?limit=20')
    expect(reply.body.next_cursor).toBe(null)
  })
})

describe('sorting', () => {
  const meetings = [
    row('a', {
      created_at: '2026-01-01T00:00:00.000Z',
      duration: 300,
      updated_at: '2026-02-02T00:00:00.000Z',
    }),
    row('b', {
      created_at: '2026-01-02T00:00:00.000Z',
      duration: 100,
      updated_at: '2026-02-03T00:00:00.000Z',
    }),
    row('c', {
      created_at: '2026-01-03T00:00:00.000Z',
      duration: 200,
      updated_at: '2026-02-01T00:00:00.000Z',
    }),
  ]
  for (const [query, ids] of [
    ['', ['c', 'b', 'a']],
    ['?sort_by=date', ['c', 'b', 'a']],
    ['?sort_by=date&order=newest', ['c', 'b', 'a']],
    ['?sort_by=date&order=oldest', ['a', 'b', 'c']],
    ['?sort_by=duration', ['a', 'c', 'b']],
    ['?sort_by=duration&order=oldest', ['b', 'c', 'a']],
    ['?sort_by=last_modified', ['b', 'a', 'c']],
    ['?sort_by=last_modified&order=oldest', ['c', 'a', 'b']],
  ] as const) {
    it(`${query || 'default'} gives ${ids.join()}`, async () => {
      expect(idsOf(await list({ meetings }, query))).toEqual(ids)
    })
  }
})

describe('search', () => {
  const meetings = [
    row('title', { title: 'The Roadmap of spring' }),
    row('notes', { notes: { blocks: [{ type: 'text', text: 'about the roadmap' }] } }),
    row('nested', {
      notes: { blocks: [{ type: 'list', children: [{ type: 'item', text: 'roadmap, again' }] }] },
    }),
    row('participant', {
      participants: [
        { email: 'x@roadmap.example', first_name: 'Ro', last_name: 'Ad', status: null, photo: null },
      ],
    }),
    row('name', {
      participants: [{ email: null, first_name: 'Roadmap', last_name: null, status: null, photo: null }],
    }),
    row('transcript', {
      transcript: {
        language: 'en',
        speakers: {},
        segments: [{ speaker: 0, text: 'the roadmap in words', start: 0, end: 1 }],
      },
    }),
    row('untitled', { title: null }),
  ]
  it('covers titles, notes and participants, and not transcripts', async () => {
    const reply = await list({ meetings }, '?q=roadmap')
    expect(new Set(idsOf(reply))).toEqual(new Set(['title', 'notes', 'nested', 'participant', 'name']))
  })
  it('without a hit gives nothing and the end', async () => {
    const reply = await list({ meetings }, '?q=zeppelin')
    expect(idsOf(reply)).toEqual([])
    expect(reply.body.next_cursor ?? null).toBe(null)
  })
})

describe('bounds', () => {
  const meetings = series(5)
  for (const [query, ids] of [
    ['from=2026-01-03T12:00:00.000Z', ['m005', 'm004', 'm003']],
    ['from=2026-01-03T12:00:00.001Z', ['m005', 'm004']],
    ['to=2026-01-03T12:00:00.000Z', ['m003', 'm002', 'm001']],
    ['to=2026-01-03T11:59:59.999Z', ['m002', 'm001']],
    ['from=2026-01-02T12:00:00Z&to=2026-01-04T12:00:00Z', ['m004', 'm003', 'm002']],
    ['from=2026-01-03T14:00:00%2B02:00&to=2026-01-03T07:00:00-05:00', ['m003']],
  ] as const) {
    it(`${query} gives ${ids.join()}, the bound itself included`, async () => {
      expect(idsOf(await list({ meetings }, `?${query}`))).toEqual(ids)
    })
  }
})

describe('tags', () => {
  it('filter by comma-separated identifiers of GET /tags', async () => {
    await using upstream = await createEmulator()
    const tags = (await get(upstream, '/tags')).body.tags as unknown[]
    expect(tags.length).toBeGreaterThan(1)
    const identifier = (tag: unknown): string =>
      typeof tag === 'string' ? tag : String((tag as { id: unknown }).id)
    const one = identifier(tags[0])
    const only = (await get(upstream, `/meetings?limit=100&tags=${encodeURIComponent(one)}`)).body
      .meetings as { tags: unknown[] }[]
    expect(only.length).toBeGreaterThan(0)
    for (const meeting of only) expect(meeting.tags.map(identifier)).toContain(one)
    const none = await get(upstream, '/meetings?tags=no-such-tag')
    expect(idsOf(none)).toEqual([])
  })
  it('GET /tags as a bare array where told', async () => {
    await using upstream = await createEmulator({ tagsShape: 'array' })
    expect(JSON.parse((await get(upstream, '/tags')).text)).toBeInstanceOf(Array)
  })
})

describe('fields', () => {
  const meetings = [
    row('m', {
      participants: [{ email: 'a@b.example', first_name: 'A', last_name: 'B', status: null, photo: null }],
    }),
  ]
  const keys = async (query: string) => {
    const reply = await list({ meetings }, query)
    return Object.keys((reply.body.meetings as object[])[0] ?? {}).toSorted()
  }
  it('omitted: id and the default set, without participants', async () => {
    expect(await keys('')).toEqual(['id', ...DEFAULTS].toSorted())
  })
  it('selects, and always gives id', async () => {
    expect(await keys('?fields=title')).toEqual(['id', 'title'])
    expect(await keys('?fields=title,participants')).toEqual(['id', 'participants', 'title'])
    expect(await keys('?fields=id')).toEqual(['id'])
    for (const field of [...DEFAULTS, 'participants'])
      expect(await keys(`?fields=${field}`)).toEqual(['id', field].toSorted())
  })
  for (const fields of [
    'nonsense',
    'title,nonsense',
    'Title',
    '__proto__',
    'constructor',
    'holder',
    'visibility',
  ]) {
    it(`${fields} is 400`, async () => {
      expect((await list({ meetings }, `?fields=${fields}`)).status).toBe(400)
      await using upstream = await createEmulator({ meetings })
      expect((await get(upstream, `/meetings/m?fields=${fields}`)).status).toBe(400)
    })
  }
  it('select of one meeting too; transcript and notes by name', async () => {
    await using upstream = await createEmulator({ meetings })
    expect(Object.keys((await get(upstream, '/meetings/m')).body).toSorted()).toEqual(
      ['id', ...DEFAULTS].toSorted(),
    )
    expect(Object.keys((await get(upstream, '/meetings/m?fields=transcript,notes')).body).toSorted()).toEqual(
      ['id', 'notes', 'transcript'],
    )
  })
  it('ownership is owned or shared, not the words of the filter', async () => {
    const reply = await list(
      { meetings: [row('o'), row('s', { visibility: 'shared', created_at: '2025-01-01T00:00:00.000Z' })] },
      '?fields=ownership',
    )
    expect(reply.body.meetings).toEqual([
      { id: 'o', ownership: 'owned' },
      { id: 's', ownership: 'shared' },
    ])
  })
})

describe('wrong values', () => {
  for (const query of [
    'ownership=owned',
    'sort_by=title',
    'order=asc',
    'from=yesterday',
    'limit=0',
    'limit=x',
  ]) {
    it(`${query} is a client error`, async () => {
      const reply = await list({ meetings: series(2) }, `?${query}`)
      expect(reply.status).toBe(400)
    })
  }
})

describe('rate limit', () => {
  const limiters = ['sliding', 'fixed', 'bucket', 'strict'] as const
  const T0 = 1_700_000_000_000 - (1_700_000_000_000 % 5_000)
  const fire = async (upstream: Emulator, n: number, credential?: string) => {
    let passed = 0
    for (let i = 0; i < n; i++) {
      const { status } = await get(upstream, '/meetings?limit=1', credential)
      expect([200, 429]).toContain(status)
      if (status === 200) passed++
    }
    return passed
  }
  for (const limiter of limiters) {
    it(`${limiter}: at once, ${limiter === 'strict' ? 5 : 25} pass and the rest is 429`, async () => {
      await using upstream = await createEmulator({ limiter, now: () => T0, meetings: series(2) })
      expect(await fire(upstream, 30)).toBe(limiter === 'strict' ? 5 : 25)
    })
  }
  it('sliding: the 26th passes 5 s after the first', async () => {
    await using upstream = await createEmulator({ limiter: 'sliding', now: () => T0, meetings: series(2) })
    expect(await fire(upstream, 1)).toBe(1)
    upstream.clock.advance(4_000)
    expect(await fire(upstream, 30)).toBe(24)
    upstream.clock.advance(1_001)
    expect(await fire(upstream, 5)).toBe(1)
  })
  it('fixed: a new window gives 25 again', async () => {
    await using upstream = await createEmulator({ limiter: 'fixed', now: () => T0, meetings: series(2) })
    upstream.clock.advance(4_900)
    expect(await fire(upstream, 30)).toBe(25)
    upstream.clock.advance(100)
    expect(await fire(upstream, 30)).toBe(25)
  })
  it('bucket: refills by 5 a second', async () => {
    await using upstream = await createEmulator({ limiter: 'bucket', now: () => T0, meetings: series(2) })
    expect(await fire(upstream, 30)).toBe(25)
    upstream.clock.advance(1_000)
    expect(await fire(upstream, 30)).toBe(5)
  })
  it('strict: 5 a second', async () => {
    await using upstream = await createEmulator({ limiter: 'strict', now: () => T0, meetings: series(2) })
    let passed = 0
    for (let second = 0; second < 5; second++) {
      passed += await fire(upstream, 6)
      upstream.clock.advance(1_001)
    }
    expect(passed).toBe(25)
  })
  it('is counted per account over all its credentials', async () => {
    await using upstream = await createEmulator({ now: () => T0 })
    expect(await fire(upstream, 13)).toBe(13)
    expect(await fire(upstream, 20, upstream.credentials.second)).toBe(12)
    expect(await fire(upstream, 30, upstream.credentials.other)).toBe(25)
  })
  it('refused requests count where told', async () => {
    await using upstream = await createEmulator({
      now: () => T0,
      limiterCountsRefused: true,
      meetings: series(2),
    })
    await fire(upstream, 25)
    upstream.clock.advance(3_000)
    await fire(upstream, 25)
    upstream.clock.advance(2_001)
    expect(await fire(upstream, 5)).toBe(0)
  })
  it('carries Retry-After only where told', async () => {
    for (const retryAfter of [false, true]) {
      await using upstream = await createEmulator({ now: () => T0, retryAfter, meetings: series(1) })
      await fire(upstream, 25)
      const reply = await get(upstream, '/meetings')
      expect(reply.status).toBe(429)
      expect(reply.headers['retry-after'] !== undefined).toBe(retryAfter)
    }
  })
})

describe('faults', () => {
  for (const [code, { status }] of Object.entries(MEETINGS_ERRORS)) {
    it(`${code} is reached with ${status}`, async () => {
      await using upstream = await createEmulator({ meetings: series(1) })
      upstream.use(fail(code as keyof typeof MEETINGS_ERRORS, { times: 1 }))
      const path = status === 404 || status === 409 ? '/meetings/m001' : '/meetings'
      const reply = await get(upstream, path)
      expect(reply.status).toBe(status)
      expect(reply.body.error).toEqual(expect.any(String))
      expect((await get(upstream, path)).status).toBe(200)
    })
  }
})

it('reset restores everything', async () => {
  await using upstream = await createEmulator({ meetings: series(3), now: () => START })
  upstream.use(fail('CREDENTIAL_INVALID'))
  upstream.meetings.remove('m001')
  upstream.clock.advance(1_000)
  await get(upstream, '/meetings')
  upstream.reset()
  expect(upstream.requests).toHaveLength(0)
  expect(upstream.clock.now()).toBe(START)
  expect(idsOf(await get(upstream, '/meetings'))).toEqual(['m003', 'm002', 'm001'])
})

it('the ready-made data set is deterministic, large and believable', async () => {
  const all = async () => {
    await using upstream = await createEmulator({ seed: 1, now: () => START })
    return upstream.meetings.all()
  }
  const [first, second] = [await all(), await all()]
  expect(first).toEqual(second)
  expect(first.length).toBeGreaterThanOrEqual(100)
  expect(new Set(first.map(({ title }) => title)).size).toBeGreaterThan(20)
  expect(first.some(({ processing }) => processing)).toBe(true)
  expect(new Set(first.map(({ visibility }) => visibility)).size).toBe(4)
})

describe('production', () => {
  const environment = (more: object = {}) => ({ NODE_ENV: 'production', ...more })
  it('is refused unless told twice', async () => {
    await expect(createEmulator({ environment: environment() })).rejects.toThrow(/production/)
    await expect(createEmulator({ environment: environment(), allowProduction: true })).rejects.toThrow(
      /production/,
    )
    await expect(
      createEmulator({ environment: environment({ STAGEPASS_EMULATOR_IN_PRODUCTION: '1' }) }),
    ).rejects.toThrow(/production/)
    await using upstream = await createEmulator({
      environment: environment({ STAGEPASS_EMULATOR_IN_PRODUCTION: '1' }),
      allowProduction: true,
    })
    expect(upstream.baseUrl).toMatch(/^http/)
  })
})
