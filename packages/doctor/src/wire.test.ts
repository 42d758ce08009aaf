import { ASSUMED_MEETINGS_WIRE } from '@stagepass/contract'
import { respond, createEmulator, fail } from '@stagepass/emulator'
import { startService, startStack } from '@stagepass/testing'
import { describe, expect, it, vi } from 'vitest'
import { everyValue, runDoctorOn, runWithWire, verdictsOf } from './doctor.test.kit.js'

const OTHER = {
  listPath: '/calls',
  meetingPath: '/calls/{id}/detail',
  tagsPath: '/labels',
  params: {
    ...ASSUMED_MEETINGS_WIRE.params,
    limit: 'page_size',
    cursor: 'after',
    ownership: 'scope',
    sort_by: 'sort',
    order: 'direction',
    q: 'search',
    from: 'since',
    to: 'until',
    tags: 'labels',
    fields: 'select',
  },
  order: { newest: 'desc', oldest: 'asc' },
  ownershipWords: { mine: ['own'], shared: ['shared_with_me'] },
  items: 'data.items',
  cursor: 'data.next',
  total: 'data.count',
  meeting: 'data',
  tags: 'data.labels',
  extraFields: ['notes'],
} as const

describe.concurrent('the meetings wire', () => {
  it.each([
    ['the defaults', undefined],
    ['every part in another way', OTHER],
  ] as const)('is proven, with %s', async (_, wire) => {
    await using upstream = await createEmulator({ wire })
    const run = await runWithWire(upstream, wire, { argv: ['--strict'] })
    expect(verdictsOf(run)).toEqual(everyValue('proven'))
    expect(run.report.wire).toEqual({ ...ASSUMED_MEETINGS_WIRE, ...wire })
    expect(run.exitCode).toBe(0)
  })

  it('is proven for a service that cannot choose fields, without a question for some', async () => {
    const wire = {
      ...ASSUMED_MEETINGS_WIRE,
      listPath: '/notes',
      meetingPath: '/notes/{id}',
      maxPageSize: 30,
      fields: false,
      items: 'notes',
      cursor: 'cursor',
      more: 'hasMore',
    }
    await using upstream = await createEmulator({ wire })
    const run = await runWithWire(upstream, wire, { argv: ['--strict'] })
    const { 'params.fields': _, ...others } = everyValue('proven')
    expect(verdictsOf(run)).toEqual(others)
    expect(run.exitCode).toBe(0)
    expect(JSON.stringify(upstream.requests)).not.toContain('fields')
  })

  it('is proven for the seeds of the emulator, and never contradicted by its meetings', async () => {
    for (const seed of [1, 2]) {
      await using upstream = await createEmulator({ seed, total: seed % 2 === 0 })
      expect(verdictsOf(await runDoctorOn(upstream))).toEqual(everyValue('proven'))
    }
  })

  it('the file of --wire is the option of the BFF', async () => {
    await using stack = await startStack({ emulator: { wire: OTHER }, bff: { meetings: { wire: OTHER } } })
    const page = (await (await stack.fetch('/meetings?limit=3&ownership=mine')).json()) as {
      meetings: { ownership: string }[]
    }
    expect(page.meetings.map(({ ownership }) => ownership)).toEqual(['own', 'own', 'own'])
  })

  it.each([
    [{ params: { search: 'q' } }, '"params" in the file of --wire has an unknown key "search"'],
    [{ listPath: 'meetings' }, '"listPath" in the file of --wire is not a path'],
    [{ items: 'data..items' }, '"items" in the file of --wire is not a path in a response'],
    [{ order: { oldest: 'a&b' } }, '"order.oldest" in the file of --wire is not a name'],
    [[], 'the file of --wire is not an object'],
  ])('%j in the file is wrong use', async (wire, sentence) => {
    await using upstream = await createEmulator()
    const run = await runWithWire(upstream, wire)
    expect(run.exitCode).toBe(2)
    expect(run.errors).toContain(`Failed to read the wire: ${sentence}`)
    expect(upstream.requests).toEqual([])
  })

  it.each([
    ['/nowhere/wire.json', 'cannot be read'],
    [new URL(import.meta.url).pathname, 'is not JSON'],
  ])('the file %s is wrong use', async (file, problem) => {
    await using upstream = await createEmulator()
    const run = await runDoctorOn(upstream, { argv: ['--wire', file] })
    expect(run.exitCode).toBe(2)
    expect(run.errors).toContain(`the file of --wire ${problem}`)
  })

  it('is not proven without a credential, so --strict fails', async () => {
    await using upstream = await createEmulator()
    const environment = { VOICE_MEETINGS_TOKEN: undefined }
    expect((await runDoctorOn(upstream, { environment })).exitCode).toBe(0)
    const run = await runDoctorOn(upstream, { argv: ['--strict'], environment })
    expect(run.exitCode).toBe(1)
    expect(run.output).toContain('The wire is not proven.')
  })

  it('at most 2 requests in any second are sent', async () => {
    let sleptMs = 0
    const now = performance.now.bind(performance)
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + sleptMs)
    await using upstream = await createEmulator({ now: () => Date.now() + sleptMs })
    await runDoctorOn(upstream, { sleep: async (ms) => void (sleptMs += ms) })
    clock.mockRestore()
    const sent = upstream.requests.filter(({ path }) => path.startsWith('/v1'))
    expect(sent.length).toBeGreaterThan(10)
    expect(sent.length).toBeLessThanOrEqual(16)
    const spans = sent.slice(2).map(({ at }, index) => at - (sent[index]?.at ?? Infinity))
    expect(Math.min(...spans)).toBeGreaterThanOrEqual(1_000)
  })

  it.each([
    ['seconds', 429, () => '3', 3_000],
    ['an HTTP date', 429, (now: number) => new Date(now + 8_000).toUTCString(), 8_000],
    ['nothing', 429, undefined, 5_000],
    ['nothing', 502, undefined, 1_000],
    ['nothing', 503, undefined, 1_000],
  ])('waits and asks again if Retry-After is %s on a %i', async (_, status, retryAfter, expected) => {
    const nowMs = Date.UTC(2026, 5, 1)
    await using upstream = await createEmulator({ now: () => nowMs })
    const waits: number[] = []
    const record = async (ms: number): Promise<void> => void waits.push(ms)
    const headers = retryAfter ? { 'retry-after': retryAfter(nowMs) } : {}
    upstream.use(respond({ status, headers }, { on: 'list', times: 2 }))
    const run = await runDoctorOn(upstream, { sleep: record })
    expect(run.statuses).toMatchObject({ meetings: 'ok', list: 'proven' })
    expect(waits.filter((ms) => ms === expected)).toHaveLength(2)
  })

  it.each([
    [429, 'answers 429'],
    [502, 'answers 502'],
  ])('reports that the service answers %i three times', async (status, seen) => {
    await using upstream = await createEmulator()
    upstream.use(respond({ status }, { on: 'list' }))
    const run = await runDoctorOn(upstream)
    expect(run.check('meetings')).toMatchObject({ status: 'fail' })
    expect(run.check('meetings').seen).toContain(seen)
    expect(upstream.counts.list).toBe(3)
    expect(verdictsOf(run)).toEqual(everyValue('not provable'))
  })

  it('says nothing about a path that the service answers with 502', async () => {
    await using upstream = await createEmulator()
    upstream.use(respond({ status: 502 }, { on: 'tags' }))
    const run = await runDoctorOn(upstream)
    expect(run.check('tags')).toMatchObject({
      status: 'not provable',
      seen: '/tags answers 502.',
    })
    expect(run.exitCode).toBe(0)
  })

  it('does not wait for an hour', async () => {
    await using upstream = await createEmulator()
    upstream.use(respond({ status: 429, headers: { 'retry-after': '3600' } }, { on: 'list' }))
    await runDoctorOn(upstream)
    expect(upstream.counts.list).toBe(1)
  })

  it('says nothing about a parameter that the service answers with 502', async () => {
    await using upstream = await createEmulator({
      onRequest: ({ query }) => {
        // The next request is for sort_by.
        if ('ownership' in query) upstream.use(respond({ status: 502 }, { on: 'list', times: 3 }))
      },
    })
    const run = await runDoctorOn(upstream)
    expect(run.check('params.sort_by')).toMatchObject({
      status: 'not provable',
      seen: 'With sort_by the service answered 502.',
    })
  })

  it.each([
    ['CREDENTIAL_INVALID', 401],
    ['SCOPE_MISSING', 403],
  ] as const)('reports that the credential is refused: %s', async (code, status) => {
    await using upstream = await createEmulator()
    upstream.use(fail(code))
    const run = await runDoctorOn(upstream)
    expect(run.check('meetings').seen).toContain(`answers ${status}: the credential or the address is wrong`)
    expect(run.check('meetings').advice).toContain('VOICE_MEETINGS_TOKEN')
    expect(verdictsOf(run)).toEqual(everyValue('not provable'))
    expect(run.exitCode).toBe(1)
  })

  it('reports that the base address lacks /v1', async () => {
    await using upstream = await createEmulator()
    const environment = { VOICE_MEETINGS_URL: `${upstream.baseUrl}/api` }
    const run = await runDoctorOn(upstream, { environment })
    expect(run.check('list')).toMatchObject({ status: 'contradicted' })
    expect(run.check('list').advice).toContain('/v1')
  })

  it.each([
    ['an array', '[{"id":"a","title":"b"}]', '[{ id: text, title: text }]'],
    ['no ids', '{"meetings":[{"title":"a"}]}', '{ meetings: [{ title: text }] }'],
    ['an id that JSON rounds', '{"meetings":[{"id":9007199254740993}]}', '{ meetings: [{ id: number }] }'],
    ['a cursor that is none', '{"meetings":[],"next_cursor":{}}', '{ meetings: [], next_cursor: {} }'],
    ['names that are values', '{"ada@example.com":{"mk_ada":true}}', '{ ?: { mk_ada: boolean } }'],
  ])('prints the form of a list that the BFF cannot read: %s', async (_, body, shape) => {
    await using upstream = await createEmulator()
    await using service = await startService((_request, response) => response.end(body))
    const run = await runDoctorOn(upstream, { environment: { VOICE_MEETINGS_URL: service.url } })
    expect(run.check('list')).toMatchObject({ status: 'contradicted' })
    expect(run.check('list').seen).toContain(`The response is ${shape}.`)
    expect(run.exitCode).toBe(1)
  })

  it.each([0, 1, 3, 7])('contradicts nothing for an account with %i meetings', async (count) => {
    const meetings = Array.from({ length: count }, (_, index) => ({
      id: `m${index}`,
      title: `Weekly ${index}`,
    }))
    await using upstream = await createEmulator({ meetings })
    const run = await runDoctorOn(upstream)
    expect(run.exitCode).toBe(0)
    expect(run.check('list').status).toBe('proven')
    expect(Object.values(verdictsOf(run))).not.toContain('contradicted')
  })
})
