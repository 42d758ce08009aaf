import { MEETING_FIELDS, type Unreadable } from '@stagepass/contract'
import { oddFields, respond } from '@stagepass/emulator'
import { startStack, type Stack, type StackOptions } from '@stagepass/testing'
import { virtualClock } from '@stagepass/testing/virtualClock'
import { describe, expect, it } from 'vitest'
import type { BffEvent } from '../index.js'

interface Page {
  readonly meetings: Record<string, unknown>[]
  readonly next_cursor: string | null
  readonly total?: number
}

const EVERY_FIELD = `fields=${MEETING_FIELDS.join(',')}`

const listOf = async (stack: Stack, query = ''): Promise<Page> => {
  const response = await stack.fetch(`/meetings?${query}`)
  expect(response.status).toBe(200)
  return (await response.json()) as Page
}

const unreadableIn = (stack: Stack): BffEvent[] =>
  stack.events.filter(({ type }) => type === 'meeting.unreadable')

async function withLines(options: StackOptions) {
  const lines: string[] = []
  const print = (line: string): void => void lines.push(line)
  const stack = await startStack({ ...options, bff: { logger: { warn: print, error: print } } })
  return { stack, lines }
}

/** A value of each field that cannot be read. */
const ODD = {
  title: { en: 'a secret of Ada' },
  started_at: 'tomorrow',
  duration: '63 min',
  status: true,
  source: {},
  tags: 5,
  ownership: ['owned'],
  participants: 'many',
}

describe('a value that cannot be read', () => {
  it('is null in the list, for its meeting alone', async () => {
    await using stack = await startStack({ emulator: { meetings: [{ id: 'a' }, { id: 'b', title: 'B' }] } })
    const before = await listOf(stack, `${EVERY_FIELD}&order=oldest`)
    stack.upstream.use(oddFields(ODD, { id: 'a' }))
    const { meetings } = await listOf(stack, EVERY_FIELD)
    expect(meetings.find(({ id }) => id === 'a')).toEqual({
      id: 'a',
      ...Object.fromEntries(MEETING_FIELDS.map((field) => [field, null])),
    })
    expect(meetings.find(({ id }) => id === 'b')).toEqual(before.meetings.find(({ id }) => id === 'b'))
  })

  it('is null in one meeting', async () => {
    await using stack = await startStack({ emulator: { meetings: [{ id: 'a' }] } })
    stack.upstream.use(oddFields(ODD))
    expect(await (await stack.fetch(`/meetings/a?${EVERY_FIELD}`)).json()).toEqual({
      id: 'a',
      ...Object.fromEntries(MEETING_FIELDS.map((field) => [field, null])),
    })
  })

  it('is unchanged in a field of extraFields', async () => {
    await using stack = await startStack({ emulator: { wire: { extraFields: ['notes'] } } })
    const wire = { extraFields: ['notes', 'started_at'] }
    await stack.remount({ meetings: { baseUrl: stack.upstream.meetingsUrl, wire } })
    const started_at = '2026-01-01T02:00:00+02:00'
    stack.upstream.use(oddFields({ notes: 7, started_at, title: 7 }))
    const { meetings } = await listOf(stack, 'limit=1&fields=notes,started_at,title')
    expect(meetings).toEqual([{ id: expect.any(String) as unknown, notes: 7, started_at, title: '7' }])
    expect(unreadableIn(stack)).toEqual([])
  })
})

it('reads what another service means by the same field', async () => {
  await using stack = await startStack({ emulator: { meetings: [{ id: 'a' }] } })
  stack.upstream.use(
    oddFields({ title: 7, started_at: 1_767_225_600, duration: 'PT63M', tags: 'x,y', participants: {} }),
  )
  const { meetings } = await listOf(stack, 'fields=title,started_at,duration,tags,participants')
  expect(meetings).toEqual([
    {
      id: 'a',
      title: '7',
      started_at: '2026-01-01T00:00:00.000Z',
      duration: 3_780,
      tags: ['x', 'y'],
      participants: [{}],
    },
  ])
})

describe('a meeting that cannot be read', () => {
  it('costs no other, no total and no later page', async () => {
    const meetings = ['a', 'b', 'c', 'd'].map((id) => ({ id }))
    await using stack = await startStack({ emulator: { meetings, total: true } })
    stack.upstream.use(oddFields({ id: undefined }, { id: 'b' }))
    const first = await listOf(stack, 'limit=3')
    expect(first.meetings.map(({ id }) => id)).toEqual(['a', 'c'])
    expect(first.total).toBe(4)
    const cursor = encodeURIComponent(first.next_cursor ?? '')
    const second = await listOf(stack, `limit=3&cursor=${cursor}`)
    expect(second.meetings.map(({ id }) => id)).toEqual(['d'])
    expect(unreadableIn(stack)).toEqual([
      { type: 'meeting.unreadable', field: 'id', kind: 'missing', count: 1 },
    ])
  })

  it('makes the page an error if no other is on it: an empty list would say that there are none', async () => {
    const { stack, lines } = await withLines({ emulator: { meetings: [{ id: 'a' }, { id: 'b' }] } })
    await using _ = stack
    stack.upstream.use(oddFields({ id: 1.5 }))
    const response = await stack.fetch('/meetings')
    expect([response.status, await response.json()]).toMatchObject([
      502,
      { error_code: 'UPSTREAM_MALFORMED' },
    ])
    expect(lines).toEqual([
      expect.stringContaining(
        'UPSTREAM_MALFORMED: In the response, `meetings` is a list in which nothing has an id that can be used, but must be a list of meetings. If the service has it at another place, set `meetings.wire.items`.',
      ),
    ])
  })

  it('so does a tag, but a list with nothing in it is empty', async () => {
    await using stack = await startStack({ emulator: { meetings: [] } })
    expect(await listOf(stack)).toMatchObject({ meetings: [] })
    stack.upstream.use(respond({ status: 200, body: '[{"name":"Sales"}]' }, { on: 'tags' }))
    expect((await stack.fetch('/tags')).status).toBe(502)
  })

  it.each(['2026/11/28', 'a?b', 'a#b', '..;a', '..%2Fusers', 'x'.repeat(257), 'a\\b'])(
    'is left out if no request could open it: %j',
    async (id) => {
      await using stack = await startStack({ emulator: { meetings: [{ id: 'a' }, { id: 'b' }] } })
      stack.upstream.use(oddFields({ id }, { id: 'b' }))
      expect((await listOf(stack)).meetings.map((meeting) => meeting['id'])).toEqual(['a'])
      expect(unreadableIn(stack)).toEqual([
        { type: 'meeting.unreadable', field: 'id', kind: 'text', count: 1 },
      ])
      expect((await stack.fetch(`/meetings/${encodeURIComponent(id)}`)).status).toBe(400)
    },
  )

  it.each(['2026-11-28', 'a b', 'ü', '100%', 'x'.repeat(256), 'a;b=c', 'a.b', '"'])(
    'is in the list with the id %j, and can be opened',
    async (id) => {
      await using stack = await startStack({ emulator: { meetings: [{ id }] } })
      expect((await listOf(stack)).meetings.map((meeting) => meeting['id'])).toEqual([id])
      expect(await (await stack.fetch(`/meetings/${encodeURIComponent(id)}`)).json()).toMatchObject({ id })
    },
  )

  it('is not there if it is requested alone', async () => {
    await using stack = await startStack({ emulator: { meetings: [{ id: 'a' }] } })
    stack.upstream.use(oddFields({ id: {} }))
    expect((await stack.fetch('/meetings/a')).status).toBe(502)
  })
})

describe('an id beyond 2^53', () => {
  it('keeps its digits in lists, tags, and as a cursor, and leads to its meeting', async () => {
    await using stack = await startStack({
      emulator: { meetings: [{ id: 'a' }, { id: '9007199254740995' }] },
    })
    stack.upstream.use(oddFields({ id: 9_007_199_254_740_993n, tags: [9_007_199_254_740_997n] }, { id: 'a' }))
    const { meetings } = await listOf(stack, 'fields=tags')
    expect(meetings).toEqual([
      { id: '9007199254740993', tags: ['9007199254740997'] },
      { id: '9007199254740995', tags: [] },
    ])
    const one = await stack.fetch('/meetings/9007199254740995?fields=title')
    expect(await one.json()).toEqual({ id: '9007199254740995', title: null })
    const answers = {
      '/meetings?q=1': '{"meetings":[],"next_cursor":18446744073709551615}',
      '/tags': '[{"id":9223372036854775807,"name":"Sales"}]',
    }
    const read: unknown[] = []
    for (const [path, body] of Object.entries(answers)) {
      stack.upstream.use(respond({ status: 200, body }, { times: 1 }))
      read.push(await (await stack.fetch(path)).json())
    }
    expect(read).toEqual([
      { meetings: [], next_cursor: '18446744073709551615' },
      { tags: [{ id: '9223372036854775807', name: 'Sales' }] },
    ])
    expect(unreadableIn(stack)).toEqual([])
  })
})

describe('a forced ownership', () => {
  it.each([undefined, null, {}, ['owned'], true, 'shared'])(
    'does not show a meeting with %j',
    async (ownership) => {
      const meetings = [{ id: 'a' }, { id: 'b' }]
      await using stack = await startStack({ emulator: { meetings, total: true } })
      const { meetingsCredential: credential } = stack.upstream
      stack.grant = { user: 'ada', meetings: { credential, ownership: 'mine' } }
      expect(await listOf(stack)).toMatchObject({ total: 2 })
      stack.upstream.use(oddFields({ ownership }, { id: 'a' }))
      const page = await listOf(stack, 'q=')
      const other = await listOf(stack, 'limit=10')
      expect([page, other].map(({ meetings: rows }) => rows.length)).toEqual([2, 1])
      expect(other.total).toBeUndefined()
      expect((await stack.fetch('/meetings/a')).status).toBe(404)
      expect((await stack.fetch('/meetings/b')).status).toBe(200)
    },
  )

  it('gives no total if a meeting cannot be read, because it may be that of another', async () => {
    await using stack = await startStack({ emulator: { meetings: [{ id: 'a' }, { id: 'b' }], total: true } })
    const { meetingsCredential: credential } = stack.upstream
    stack.grant = { user: 'ada', meetings: { credential, ownership: 'mine' } }
    stack.upstream.use(oddFields({ id: undefined }, { id: 'a' }))
    const page = await listOf(stack)
    expect(page.meetings).toHaveLength(1)
    expect(page).not.toHaveProperty('total')
  })
})

it('reads a total in a text, and goes without one that is none', async () => {
  await using stack = await startStack()
  const page = (body: object) =>
    stack.upstream.use(respond({ status: 200, body: { meetings: [], ...body } }, { times: 1 }))
  page({ total: '45', next_cursor: 7 })
  expect(await listOf(stack, 'q=1')).toEqual({ meetings: [], next_cursor: '7', total: 45 })
  page({ total: 'many', next_cursor: {} })
  expect(await listOf(stack, 'q=2')).toEqual({ meetings: [], next_cursor: null })
  expect(unreadableIn(stack)).toMatchObject([
    { field: 'next_cursor', kind: 'object' },
    { field: 'total', kind: 'text' },
  ])
})

it('tags have an id and a name each, and one without an id costs no other', async () => {
  await using stack = await startStack()
  const tags = ['sales', { id: 7, name: {}, color: 'red' }, { name: 'no id' }, null]
  stack.upstream.use(respond({ status: 200, body: { tags } }))
  expect(await (await stack.fetch('/tags')).json()).toEqual({
    tags: [
      { id: 'sales', name: 'sales' },
      { id: '7', name: '7', color: 'red' },
    ],
  })
  expect(unreadableIn(stack)).toEqual([
    { type: 'meeting.unreadable', field: 'tags', kind: 'object', count: 2 },
  ])
})

describe('the event meeting.unreadable', () => {
  const setUp = async () => {
    const clock = virtualClock()
    const lines: string[] = []
    const logger = { warn: (line: string) => lines.push(line), error: (line: string) => lines.push(line) }
    const stack = await startStack({
      emulator: { meetings: [{ id: 'a' }, { id: 'b' }] },
      bff: { logger, meetings: { cacheMs: 0 }, platform: { clock } },
    })
    return { clock, lines, stack, [Symbol.asyncDispose]: () => stack.close() }
  }

  it('names field and kind, at most once a minute for each, with the count since the last one', async () => {
    await using test = await setUp()
    const { stack, clock } = test
    stack.upstream.use(oddFields({ duration: '63 min', source: {} }, { on: 'list' }))
    const counts = () =>
      unreadableIn(stack).map((event) => event.type === 'meeting.unreadable' && [event.field, event.count])
    await listOf(stack)
    expect(counts()).toEqual([
      ['duration', 2],
      ['source', 2],
    ])
    await listOf(stack)
    await clock.advance(59_000)
    await listOf(stack)
    expect(counts()).toHaveLength(2)
    stack.upstream.use(oddFields({ duration: {} }, { on: 'list', times: 1 }))
    await listOf(stack)
    // Another kind is another problem.
    expect(counts().slice(2)).toEqual([['duration', 2]])
    await clock.advance(2_000)
    await listOf(stack)
    expect(counts().slice(3)).toEqual([
      ['duration', 6],
      ['source', 8],
    ])
  })

  it('has no value, and neither has its line in the log', async () => {
    await using test = await setUp()
    test.stack.upstream.use(oddFields(ODD))
    await listOf(test.stack, EVERY_FIELD)
    const text = JSON.stringify([unreadableIn(test.stack), test.lines])
    for (const value of ['secret', 'Ada', '63 min', 'tomorrow', 'many']) expect(text).not.toContain(value)
    expect(test.lines).toHaveLength(MEETING_FIELDS.length)
  })

  it('is a line of at most 300 characters that says what came and what to do', async () => {
    await using test = await setUp()
    const { stack, lines } = test
    const kinds = ['boolean', 'number', 'text', 'list', 'object', 'null', 'missing'] as const
    const values = { boolean: true, number: -1.5, text: '?', list: [[]], object: {}, null: null }
    for (const kind of kinds) {
      const { [kind as 'text']: value } = values
      const rows = [
        { id: 'z', ...Object.fromEntries(MEETING_FIELDS.map((field) => [field, value])) },
        { id: value },
      ]
      const body = { meetings: rows, next_cursor: value, total: value }
      stack.upstream.use(respond({ status: 200, body }, { times: 1 }))
      await listOf(stack, `${EVERY_FIELD}&q=${kind}`)
      await test.clock.advance(5_000)
    }
    const seen = new Set(unreadableIn(stack).map((event) => (event as unknown as Unreadable).field))
    expect([...seen].toSorted()).toEqual([...MEETING_FIELDS, 'id', 'next_cursor', 'total'].toSorted())
    for (const line of lines) {
      expect(line).toMatch(
        /^\[stagepass\] meeting\.unreadable: The meetings interface sent (?:an? \w+|true or false|null|nothing) as "\w+", .+"meetings\.wire\.\w+"/,
      )
      expect(line.length).toBeLessThanOrEqual(300)
    }
    expect(lines.length).toBe(unreadableIn(stack).length)
  })
})
