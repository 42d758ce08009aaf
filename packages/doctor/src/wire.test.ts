import { ASSUMED_MEETINGS_WIRE } from '@stagepass/contract'
import { answer, createEmulator, fail } from '@stagepass/emulator'
import { startService, startStack } from '@stagepass/testing'
import { describe, expect, it } from 'vitest'
import { runDoctorOn } from './doctor.test.kit.js'
import { runDoctor } from './runDoctor.js'
import { createRedactor } from './report/createRedactor.js'
import { nodePlatform } from './net/Platform.js'

/** Without the waits between requests; one test below looks at them. */
const platform = { sleep: async () => undefined }

const { params: PARAMS } = ASSUMED_MEETINGS_WIRE

const SHUFFLED = {
  listPath: '/calls',
  meetingPath: '/calls/{id}',
  tagsPath: '/labels',
  params: {
    ...PARAMS,
    limit: 'page_size',
    cursor: 'starting_after',
    ownership: 'scope',
    sort_by: 'order_by',
    order: 'direction',
    q: 'search',
    from: 'since',
    to: 'until',
    tags: 'labels',
  },
  order: { newest: 'newest', oldest: 'asc' },
  ownershipWords: { mine: ['own'], shared: ['shared_with_me'] },
  items: 'data',
} as const

/** The directions have other words too. */
const OTHER = {
  ...SHUFFLED,
  meetingPath: '/calls/{id}/detail',
  params: {
    ...PARAMS,
    limit: 'per_page',
    cursor: 'after',
    ownership: 'owner',
    sort_by: 'sort',
    order: 'direction',
    q: 'query',
    from: 'start',
    to: 'end',
    tags: 'labels',
  },
  order: { newest: 'desc', oldest: 'asc' },
} as const

/** Each role has a name that is another role's candidate, or the last of its own. */
const CROSSED = {
  ...SHUFFLED,
  listPath: '/recordings',
  meetingPath: '/meetings/{id}',
  tagsPath: '/tags',
  params: {
    ...PARAMS,
    limit: 'first',
    cursor: 'page',
    ownership: 'view',
    sort_by: 'order',
    order: 'sort',
    q: 'keywords',
    from: 'after_date',
    to: 'date_to',
    tags: 'tagIds',
  },
  order: { newest: 'newest', oldest: 'oldest' },
} as const

describe.concurrent('the meetings wire', () => {
  it.each([
    ['the default', ASSUMED_MEETINGS_WIRE, 'null'],
    ['a shuffled', SHUFFLED, 'missing'],
    ['another shuffled', OTHER, 'missing'],
  ] as const)('finds %s wire', async (_, wire, endOfList) => {
    await using upstream = await createEmulator({ wire, endOfList, total: endOfList === 'null' })
    const run = await runDoctorOn(upstream, { platform })
    expect(run.report.checks.filter(({ status }) => status !== 'ok').map(({ name }) => name)).toEqual([
      'expiry',
    ])
    expect(run.report.wire?.assumed).toEqual([])
    const { extraFields: _none, ...expected } = { ...ASSUMED_MEETINGS_WIRE, ...wire }
    const { mine, shared } = expected.ownershipWords
    expect(run.report.wire?.wire).toEqual({
      ...expected,
      // The default knows a second word.
      ownershipWords: { mine: mine.slice(0, 1), shared },
    })
    expect(run.check('meetings errors').seen).toContain(endOfList)
    expect(upstream.counts.list).toBeLessThanOrEqual(10)
    expect(run.exitCode).toBe(0)
  })

  it('what it prints can be pasted: the BFF then reads the shuffled wire', async () => {
    await using stack = await startStack({ emulator: { wire: SHUFFLED } })
    const run = await runDoctorOn(stack.upstream, { argv: [], platform })
    const text = /^meetings: (\{[\s\S]*?^\})/m.exec(run.output)?.[1] ?? ''
    // It is a literal of this program's own output.
    // oxlint-disable-next-line typescript/no-implied-eval
    const { wire } = new Function(`return ${text}`)() as { wire: object }
    stack.upstream.reset()
    await stack.remount({ meetings: { wire } })
    const oldest = await stack.fetch('/meetings?limit=3&order=oldest&ownership=mine')
    expect(oldest.status).toBe(200)
    const page = (await oldest.json()) as { meetings: { ownership: string }[]; next_cursor: string }
    expect(page.meetings.map(({ ownership }) => ownership)).toEqual(['own', 'own', 'own'])
    const next = await stack.fetch(`/meetings?limit=3&order=oldest&ownership=mine&cursor=${page.next_cursor}`)
    expect(next.status).toBe(200)
    expect(stack.upstream.requests[0]?.query).toMatchObject({
      page_size: '3',
      direction: 'asc',
      scope: 'mine',
    })
  })

  it.each([1, 2, 3, 4, 5])(
    'never claims to have seen a name that is wrong, with other meetings (seed %i)',
    async (seed) => {
      await using upstream = await createEmulator({ wire: CROSSED, seed })
      const run = await runDoctorOn(upstream, { platform })
      const found = run.report.wire?.wire.params as Record<string, string>
      const seen = (run.report.wire?.seen ?? [])
        .filter((path) => path.startsWith('params.'))
        .map((path) => path.slice(7))
      for (const role of seen)
        expect([role, found[role]]).toEqual([role, CROSSED.params[role as keyof typeof PARAMS]])
      expect(seen).toEqual(expect.arrayContaining(['limit', 'cursor', 'from', 'to']))
      expect(upstream.counts.list).toBeLessThanOrEqual(10)
      for (const path of run.report.wire?.assumed ?? []) expect(run.report.wire?.seen).not.toContain(path)
    },
  )

  it('says what stays assumed if no name is known', async () => {
    const params = Object.fromEntries(
      Object.keys(PARAMS).map((role) => [role, `x_${role}_x`]),
    ) as typeof PARAMS
    await using upstream = await createEmulator({ wire: { params } })
    const run = await runDoctorOn(upstream, { platform })
    expect(run.report.wire?.seen).toEqual(['listPath', 'meetingPath', 'tagsPath', 'items'])
    expect(run.statuses).toMatchObject({
      meetings: 'ok',
      'meetings paging': 'warn',
      'meetings sorting': 'warn',
    })
    expect(run.check('meetings paging').advice).toContain('meetings.wire.params')
    expect(run.report.wire?.wire.params).toEqual(PARAMS)
    expect(run.exitCode).toBe(0)
  })

  it('finds the cursor if the page size has a name that is not known', async () => {
    const params = { ...PARAMS, limit: 'x_limit_x', cursor: 'starting_after' }
    await using upstream = await createEmulator({ wire: { params } })
    const run = await runDoctorOn(upstream, { platform })
    expect(run.report.wire?.wire.params).toMatchObject({ cursor: 'starting_after' })
    expect(run.report.wire?.seen).toContain('params.cursor')
    expect(run.report.wire?.assumed).toContain('params.limit')
    expect(upstream.counts.list).toBeLessThanOrEqual(10)
  })

  it('does not take the last name that is left for one that was seen', async () => {
    const params = { ...PARAMS, sort_by: 'x_sort_x', order: 'x_order_x' }
    let sorted = 0
    await using upstream = await createEmulator({
      wire: { params },
      onRequest({ query }) {
        sorted += Number('sort_by' in query)
        // The third round, which would tell that no name counts.
        if (sorted === 2) upstream.use(answer({ status: 500 }, { on: 'list' }))
      },
    })
    const run = await runDoctorOn(upstream, { platform })
    expect(sorted).toBeGreaterThanOrEqual(2)
    expect(run.report.wire?.assumed).toEqual(expect.arrayContaining(['params.sort_by', 'params.order']))
    expect(run.report.wire?.seen).toContain('params.ownership')
  })

  it('sends at most 10 list requests, and at most 2 of all in any second', async () => {
    await using upstream = await createEmulator({ wire: SHUFFLED })
    await runDoctorOn(upstream)
    const sent = upstream.requests.filter(({ path }) => path.startsWith('/v1'))
    expect(sent.filter(({ path }) => path === '/v1/calls').length).toBeLessThanOrEqual(10)
    expect(sent.length).toBeGreaterThan(10)
    const spans = sent.slice(2).map(({ at }, index) => at - (sent[index]?.at ?? Infinity))
    expect(Math.min(...spans)).toBeGreaterThanOrEqual(1_000)
  })

  it('waits once after a 429, and gives up after the next', async () => {
    await using upstream = await createEmulator({ retryAfter: true })
    const waits: number[] = []
    const sleep = async (ms: number): Promise<void> => void waits.push(ms)
    upstream.use(answer({ status: 429, headers: { 'retry-after': '3' } }, { on: 'list', times: 1 }))
    expect((await runDoctorOn(upstream, { platform: { sleep } })).statuses.meetings).toBe('ok')
    expect(waits).toContain(3_000)

    upstream.use(fail('RATE_LIMIT_EXCEEDED'))
    const run = await runDoctorOn(upstream, { platform })
    expect(run.check('meetings')).toMatchObject({ status: 'fail' })
    expect(run.check('meetings').seen).toContain('rate limit')
  })

  it.each([
    ['CREDENTIAL_INVALID', '(401)'],
    ['SCOPE_MISSING', '(403)'],
  ] as const)('tells that the credential is refused: %s', async (code, status) => {
    await using upstream = await createEmulator()
    upstream.use(fail(code))
    const run = await runDoctorOn(upstream, { platform })
    expect(run.check('meetings').seen).toContain(status)
    expect(run.check('meetings').advice).toContain('VOICE_MEETINGS_TOKEN')
    expect(run.statuses).toMatchObject({
      meetings: 'fail',
      'meetings paging': 'skipped',
      'tag list': 'skipped',
    })
    expect(run.report).not.toHaveProperty('wire')
    expect(run.exitCode).toBe(1)
  })

  it('tells that the base address lacks its /v1', async () => {
    await using upstream = await createEmulator()
    const run = await runDoctorOn(upstream, {
      environment: { VOICE_MEETINGS_URL: `${upstream.baseUrl}/api` },
      platform,
    })
    expect(run.check('meetings')).toMatchObject({ status: 'fail' })
    expect(run.check('meetings').advice).toContain('/v1')
  })

  it.each([0, 1, 3, 7])('works with an account that has %i meetings', async (count) => {
    const meetings = Array.from({ length: count }, (_, index) => ({
      id: `m${index}`,
      title: `Weekly number ${index}`,
    }))
    await using upstream = await createEmulator({ meetings })
    const run = await runDoctorOn(upstream, { platform })
    expect(run.exitCode).toBe(0)
    expect(run.check('meetings').seen).toContain(`${count} meetings`)
    expect(run.report.wire?.seen).toEqual(expect.arrayContaining(['listPath', 'items']))
  })

  it.each([
    ['an array', '[{"id":"a"}]', 'is an array'],
    ['no array', '{"data":{"meetings":[]}}', 'without an array'],
    ['no ids', '{"meetings":[{"title":"a"}]}', 'without an id'],
    ['not JSON', '<html>', 'not a JSON object'],
  ])('fails for a list that the BFF cannot read: %s', async (_, body, seen) => {
    await using upstream = await createEmulator()
    await using service = await startService((_request, response) => response.end(body))
    const run = await runDoctorOn(upstream, { environment: { VOICE_MEETINGS_URL: service.url }, platform })
    expect(run.check('meetings')).toMatchObject({
      status: 'fail',
      seen: expect.stringContaining(seen) as string,
    })
    expect(run.exitCode).toBe(1)
  })
})

it('can be called from a program', async () => {
  await using upstream = await createEmulator()
  const service = {
    apiKey: upstream.apiKey,
    baseUrl: new URL(upstream.baseUrl),
    streamingUrl: new URL(upstream.streamingUrl),
    meetingsUrl: new URL(upstream.meetingsUrl),
    meetingsToken: upstream.meetingsCredential,
  }
  const report = await runDoctor(
    { type: 'service', service, expiry: false },
    {
      redactor: createRedactor(),
      signal: new AbortController().signal,
      limits: { settleMs: 150 },
      platform: { ...nodePlatform, ...platform },
    },
  )
  expect(report.ok).toBe(true)
})
