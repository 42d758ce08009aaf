import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { startRawService, startService, startStack } from '@stagepass/testing'
import { describe, expect, it } from 'vitest'
import { everyValue, runDoctorOn, runWithWire, verdictsOf } from './doctor.test.kit.js'
import { DAY_MS, type ForeignService, type Row, rowsOf, startForeign } from './services.test.kit.js'

const runOn = (service: ForeignService, wire: object | undefined, argv: readonly string[] = []) => {
  const { environment } = service
  const secrets = [environment.VOICE_API_KEY ?? '', environment.VOICE_MEETINGS_TOKEN ?? '']
  return runWithWire(undefined, wire, { argv, environment, secrets })
}

describe.concurrent('a service that nests its answers, with numeric ids and cursors and epoch times', () => {
  /**
   * Every response is `{ code, message, data }`. Unknown parameters are ignored. A page has at least five
   * meetings.
   */
  const startNested = (rows: readonly Row[] = rowsOf(45)) => {
    const wrap = (data: unknown) => ({ body: { code: 0, message: 'Success', data } })
    const format = (row: Row, query: URLSearchParams) => {
      const whole = {
        id: row.id,
        title: row.title,
        started_at: row.startMs / 1_000,
        duration: row.seconds,
        status: 'done',
        source: null,
        tags: row.labels.map((id) => ({ id })),
        ownership: row.owner === 'me' ? 'own' : 'guest',
        participants: [],
      }
      const names =
        query.get('only')?.split(',') ?? Object.keys(whole).filter((name) => name !== 'participants')
      return Object.fromEntries(
        Object.entries(whole).filter(([name]) => name === 'id' || names.includes(name)),
      )
    }
    return startForeign((path, query) => {
      if (path === '/v1/labels') return wrap({ labels: [{ id: 'l-weekly' }, { id: 'l-customer' }] })
      const one = /^\/v1\/meeting\/(\d+)$/.exec(path)
      if (one) {
        const row = rows.find(({ id }) => id === Number(one[1]))
        return row && wrap({ meeting: format(row, query) })
      }
      if (path !== '/v1/meetings/search') return undefined
      const time = (name: string, otherwise: number) => Date.parse(query.get(name) ?? '') || otherwise
      const found = rows
        .filter(({ title }) => title.toLowerCase().includes((query.get('text') ?? '').toLowerCase()))
        .filter(({ startMs }) => startMs >= time('since', 0) && startMs <= time('until', Infinity))
        .filter(({ labels }) => !query.has('label') || labels.includes(query.get('label') ?? ''))
        .filter(({ owner }) => owner === ({ mine: 'me', shared: 'other' }[query.get('who') ?? ''] ?? owner))
      const key = query.get('by') === 'duration' ? 'seconds' : 'startMs'
      const sorted = found.toSorted((a, b) => (query.get('dir') === 'up' ? a[key] - b[key] : b[key] - a[key]))
      const size = Math.max(5, Number(query.get('per_page') ?? 20))
      const from = Number(query.get('offset') ?? 0)
      const next = from + size < sorted.length ? from + size : ''
      const list = sorted.slice(from, from + size).map((row) => format(row, query))
      return wrap({ list, paging: { next, all: sorted.length } })
    })
  }

  const WIRE = {
    listPath: '/v1/meetings/search',
    meetingPath: '/v1/meeting/{id}',
    tagsPath: '/v1/labels',
    items: 'data.list',
    cursor: 'data.paging.next',
    total: 'data.paging.all',
    meeting: 'data.meeting',
    tags: 'data.labels',
    params: {
      limit: 'per_page',
      cursor: 'offset',
      ownership: 'who',
      sort_by: 'by',
      order: 'dir',
      q: 'text',
      from: 'since',
      to: 'until',
      tags: 'label',
      fields: 'only',
    },
    order: { newest: 'down', oldest: 'up' },
    ownershipWords: { mine: ['own'], shared: ['guest'] },
  }

  it('with its wire: every value is proven', async () => {
    await using service = await startNested()
    const run = await runOn(service, WIRE, ['--strict'])
    expect(verdictsOf(run)).toEqual(everyValue('proven'))
    expect(run.report.checks.filter(({ status }) => status === 'fail')).toEqual([])
    expect(run.exitCode).toBe(0)
  })

  it('with its wire: the BFF reads it', async () => {
    await using service = await startNested()
    const { VOICE_MEETINGS_TOKEN: credential = '' } = service.environment
    await using stack = await startStack({
      bff: {
        authorize: () => ({ user: 'ada', meetings: { credential, ownership: 'mine' } }),
        meetings: { baseUrl: service.url, wire: WIRE },
      },
    })
    const read = async (path: string) => (await (await stack.fetch(path)).json()) as Record<string, never>
    const page = await read('/meetings?limit=20&fields=title,started_at')
    expect(page).toMatchObject({ next_cursor: '20', total: 30 })
    expect(page.meetings?.[0]).toEqual({
      id: '8999',
      title: 'Budget number 1',
      started_at: '2026-02-27T00:00:00.000Z',
    })
    expect(await read(`/meetings?limit=20&cursor=${page.next_cursor}`)).toMatchObject({ next_cursor: null })
    expect(await read('/meetings/8999?fields=started_at')).toEqual({
      id: '8999',
      started_at: '2026-02-27T00:00:00.000Z',
    })
    expect(await read('/tags')).toMatchObject({ tags: [{ id: 'l-weekly' }, { id: 'l-customer' }] })
  })

  it('with the defaults: the path is contradicted, and nothing else is claimed', async () => {
    await using service = await startNested()
    const run = await runOn(service, undefined)
    expect(verdictsOf(run)).toEqual({
      ...everyValue('not provable'),
      list: 'contradicted',
      tags: 'contradicted',
    })
    expect(run.check('list').seen).toBe('/meetings has nothing at that path (404).')
    expect(run.check('list').advice).toContain('set listPath')
    expect(run.check('params.limit').seen).toBe('Not checked, because it needs "list".')
    expect(run.exitCode).toBe(1)
  })

  it('with only its paths: the forms of the responses are printed, without values', async () => {
    await using service = await startNested()
    const { listPath, tagsPath, meetingPath } = WIRE
    const run = await runOn(service, { listPath, tagsPath, meetingPath })
    expect(run.check('list')).toMatchObject({ status: 'contradicted' })
    expect(run.check('list').seen).toContain(
      '{ code: number, message: text, data: { list: [{ id: number, title: text, started_at: number, duration: number, status: text, source: null, tags: […], ownership: text }], paging: { next: number, all: number } } }',
    )
    expect(run.check('tags').seen).toContain('data: { labels: [{ id: text }] }')
    expect(run.output).not.toContain('Roadmap')
    expect(run.output).not.toContain('l-weekly')
  })

  it('with default names of parameters, which it ignores: each is contradicted, with the finding', async () => {
    await using service = await startNested()
    const { params: _names, order: _words, ownershipWords: _own, ...answers } = WIRE
    const run = await runOn(service, answers)
    const ofParams = 'limit cursor ownership sort_by order q from to tags fields'.split(' ')
    expect(verdictsOf(run)).toEqual({
      ...everyValue('proven'),
      ...Object.fromEntries(ofParams.map((name) => [`params.${name}`, 'contradicted'])),
    })
    expect(run.check('params.limit').seen).toBe(
      'limit=3 gave 20 meetings, the same as without it. It must be a shorter page.',
    )
    expect(run.check('params.to').seen).toContain('the same as without it')
    expect(run.check('params.cursor').advice).toContain('set params.cursor')
    expect(run.exitCode).toBe(1)
  })

  it('with bounds that have no effect, the bounds are contradicted and the page size is proven', async () => {
    await using service = await startNested()
    const params = { ...WIRE.params, from: 'started_after', to: 'started_before' }
    const run = await runOn(service, { ...WIRE, params })
    expect(verdictsOf(run)).toEqual({
      ...everyValue('proven'),
      'params.from': 'contradicted',
      'params.to': 'contradicted',
    })
  })

  it('with the words of the sort order exchanged, the word is contradicted', async () => {
    await using service = await startNested()
    const run = await runOn(service, { ...WIRE, order: { newest: 'up', oldest: 'down' } })
    expect(verdictsOf(run)).toEqual({ ...everyValue('proven'), 'params.order': 'contradicted' })
    expect(run.check('params.order').advice).toContain('set params.order or order.oldest')
  })

  it('with other words of ownership, it says what to set', async () => {
    await using service = await startNested()
    const run = await runOn(service, { ...WIRE, ownershipWords: { mine: ['own'], shared: ['shared'] } })
    expect(verdictsOf(run)).toEqual({ ...everyValue('proven'), 'params.ownership': 'contradicted' })
    expect(run.check('params.ownership').advice).toContain('ownershipWords.shared')
  })

  it.each([
    [0, ['list', 'tags']],
    [1, ['list', 'tags', 'params.q', 'params.from', 'params.to', 'meeting']],
  ])(
    'with %i meetings, nothing is contradicted, and what cannot be seen is not provable',
    async (count, proven) => {
      await using service = await startNested(rowsOf(count))
      const run = await runOn(service, WIRE, ['--strict'])
      expect(Object.values(verdictsOf(run))).not.toContain('contradicted')
      for (const name of proven) expect([name, run.check(name).status]).toEqual([name, 'proven'])
      expect(run.check('params.limit')).toMatchObject({
        status: 'not provable',
        seen: `${count} meetings cannot show the effect of limit.`,
      })
      expect(run.report.ok).toBe(false)
      expect(run.exitCode).toBe(1)
    },
  )
})

describe.concurrent('a service that refuses unknown parameters and values with 400', () => {
  /** Responses are flat. A bound covers its whole day. There is no total, and the last page has no cursor. */
  const startStrict = (names: Partial<Record<string, string>> = {}, rows: readonly Row[] = rowsOf(30)) => {
    const nameOf = (role: string) => names[role] ?? role
    const FIELDS = ['title', 'started_at', 'duration', 'status', 'source', 'tags', 'ownership']
    const refused = { status: 400, body: { error: 'bad request' } }
    return startForeign((path, query) => {
      if (path === '/tags') return { body: ['l-weekly', 'l-customer'] }
      const known =
        path === '/meetings' ? 'limit cursor ownership sort_by order q from to tags fields' : 'fields'
      if ([...query.keys()].some((name) => !known.split(' ').map(nameOf).includes(name))) return refused
      const get = (role: string) => query.get(nameOf(role)) ?? undefined
      const isWord = (role: string, ...words: string[]) => words.includes(get(role) ?? words[0] ?? '')
      if (!isWord('ownership', 'all', 'mine', 'shared') || !isWord('order', 'newest', 'oldest'))
        return refused
      if (!isWord('sort_by', 'date', 'duration', 'last_modified')) return refused
      const fields = get('fields')?.split(',') ?? FIELDS
      if (!fields.every((name) => ['id', 'participants', ...FIELDS].includes(name))) return refused
      const format = (row: Row) => {
        const whole: Record<string, unknown> = {
          title: row.title,
          started_at: new Date(row.startMs).toISOString(),
          duration: row.seconds,
          status: 'ready',
          source: 'zoom',
          tags: row.labels,
          participants: [{ email: 'a@b.example' }],
          ownership: row.owner === 'me' ? 'owned' : 'shared',
        }
        return { id: `m${row.id}`, ...Object.fromEntries(fields.map((name) => [name, whole[name]])) }
      }
      if (path !== '/meetings') {
        const row = rows.find(({ id }) => path === `/meetings/m${id}`)
        return row && { body: format(row) }
      }
      const dayOf = (ms: number) => Math.floor(ms / DAY_MS)
      const bound = (role: string, otherwise: number) => {
        const text = get(role)
        return text === undefined ? otherwise : dayOf(Date.parse(text))
      }
      const label = get('tags')
      const owner = { mine: 'me', shared: 'other' }[get('ownership') ?? '']
      const found = rows
        .filter(({ title }) => title.toLowerCase().includes(get('q') ?? ''))
        .filter(
          ({ startMs }) => dayOf(startMs) >= bound('from', 0) && dayOf(startMs) <= bound('to', Infinity),
        )
        .filter(({ labels }) => label === undefined || labels.includes(label))
        .filter((row) => owner === undefined || row.owner === owner)
      const key = get('sort_by') === 'duration' ? 'seconds' : 'startMs'
      const sorted = found.toSorted((a, b) => (get('order') === 'oldest' ? a[key] - b[key] : b[key] - a[key]))
      const start = Math.max(0, sorted.findIndex(({ id }) => `after-${id}` === get('cursor')) + 1)
      const page = sorted.slice(start, start + Number(get('limit') ?? 20))
      const isLast = start + page.length >= sorted.length
      return {
        body: { meetings: page.map(format), ...(!isLast && { next_cursor: `after-${page.at(-1)?.id}` }) },
      }
    })
  }

  it('and has exactly the default names: every value is proven, without a guess', async () => {
    await using service = await startStrict()
    const run = await runOn(service, undefined, ['--strict'])
    expect(verdictsOf(run)).toEqual(everyValue('proven'))
    expect(run.exitCode).toBe(0)
    // No other name was tried.
    const names = new Set(service.queries.flatMap((query) => [...query.keys()]))
    expect([...names].toSorted()).toEqual(
      'cursor fields from limit order ownership q sort_by tags to'.split(' '),
    )
  })

  it('and has other names for four: these are contradicted by the refusals, the others are proven', async () => {
    const params = { limit: 'page_size', from: 'start_after', to: 'start_before', fields: 'select' }
    await using service = await startStrict(params)
    const run = await runOn(service, undefined)
    expect(verdictsOf(run)).toEqual({
      ...everyValue('proven'),
      'params.limit': 'contradicted',
      'params.from': 'contradicted',
      'params.to': 'contradicted',
      'params.fields': 'contradicted',
    })
    expect(run.check('params.fields').seen).toContain('fields=title gave a refusal (400)')
    expect(run.exitCode).toBe(1)
    expect(verdictsOf(await runOn(service, { params }))).toEqual(everyValue('proven'))
  })

  it('and has another word for a sort order: either the word or the name is contradicted', async () => {
    await using service = await startStrict()
    const run = await runOn(service, { order: { oldest: 'asc' } })
    expect(verdictsOf(run)).toEqual({ ...everyValue('proven'), 'params.order': 'contradicted' })
    expect(run.check('params.order').seen).toContain('order=asc gave a refusal (400)')
  })

  it('and no meeting has a tag: the tag filter is not provable, and --strict fails', async () => {
    const rows = rowsOf(30).map((row) => ({ ...row, labels: [] }))
    await using service = await startStrict({}, rows)
    const run = await runOn(service, undefined, ['--strict'])
    expect(verdictsOf(run)).toEqual({ ...everyValue('proven'), 'params.tags': 'not provable' })
    expect(run.exitCode).toBe(1)
    expect((await runOn(service, undefined)).exitCode).toBe(0)
  })
})

describe.concurrent('a service that accepts connections and never answers', () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void

  const variablesOf = (url: string) => ({
    VOICE_API_KEY: 'vk_silent_4Gy6Nc1RsV',
    VOICE_BASE_URL: url,
    VOICE_STREAMING_URL: url.replace('http', 'ws'),
    VOICE_MEETINGS_TOKEN: 'mk_silent_9Ue2Xa7FhB',
  })

  const ONLY_ADDRESSES = {
    'token address': 'fail',
    'stream address': 'fail',
    meetings: 'fail',
    key: 'skipped',
    'stream stt': 'skipped',
    list: 'not provable',
  }

  it('every address did not answer in time, even with a garbage collection', async () => {
    // Node collects the timer of `AbortSignal.timeout` inside of `AbortSignal.any` (nodejs/node#57736).
    await using service = await startRawService((socket) => socket.on('data', collectGarbage))
    const run = await runDoctorOn(undefined, {
      environment: variablesOf(service.url),
      limits: { timeoutMs: 500 },
    })
    expect(run.statuses).toMatchObject(ONLY_ADDRESSES)
    for (const name of ['token address', 'stream address', 'meetings'])
      expect(run.check(name).seen).toContain('did not answer in time')
    expect(run.exitCode).toBe(1)
  })

  it('every address sent something that is not HTTP, as a port of TLS does', async () => {
    await using service = await startRawService((socket) => {
      socket.once('data', () => socket.end(Buffer.from([21, 3, 1, 0, 2, 2, 70])))
    })
    const run = await runDoctorOn(undefined, { environment: variablesOf(service.url) })
    expect(run.statuses).toMatchObject(ONLY_ADDRESSES)
    for (const name of ['token address', 'stream address', 'meetings'])
      expect(run.check(name).seen).toContain('sent something that is not HTTP')
  })

  it('a response whose body never ends is reported as late', async () => {
    await using service = await startService((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).write('{"code":')
      collectGarbage()
    })
    const run = await runDoctorOn(undefined, {
      environment: variablesOf(service.url),
      limits: { timeoutMs: 500 },
    })
    expect(run.check('token address').seen).toContain('did not answer in time')
    expect(run.check('meetings').seen).toContain('did not answer in time')
  })

  it('a BFF that does not answer is reported in one line', async () => {
    await using service = await startRawService((socket) => socket.on('data', collectGarbage))
    const argv = ['--json', '--bff', `${service.url}/api/voice`]
    const run = await runDoctorOn(undefined, { argv, limits: { timeoutMs: 500 } })
    expect(run.check('health').seen).toContain('did not answer in time')
    expect(run.report.checks.filter(({ status }) => status === 'fail')).toHaveLength(1)
    expect(run.exitCode).toBe(1)
  })
})
