import { ASSUMED_MEETINGS_WIRE } from '@stagepass/contract'
import { startStack } from '@stagepass/testing'
import { expect, it } from 'vitest'

/** A wire whose names all differ from the assumed ones. (Assumptions: "Meetings wire".) */
const wire = {
  listPath: '/v9/calls',
  meetingPath: '/v9/call/{id}/view',
  tagsPath: '/v9/labels',
  params: {
    ...ASSUMED_MEETINGS_WIRE.params,
    limit: 'page_size',
    order: 'direction',
    fields: 'only',
    cursor: 'after',
  },
  order: { newest: 'desc', oldest: 'asc' },
  items: 'data.rows',
  cursor: 'data.paging.next',
  total: 'data.paging.all',
  meeting: 'data',
  tags: 'data.labels',
} as const

it('emulator and BFF use any wire that is set in both', async () => {
  await using stack = await startStack({ emulator: { wire }, bff: { meetings: { wire } } })
  const read = async (path: string) => (await (await stack.fetch(path)).json()) as Page
  const first = await read('/meetings?limit=3&order=oldest&fields=title')
  expect(first.total).toBeGreaterThan(3)
  const keys = first.meetings.map((row) => Object.keys(row).toSorted().join())
  expect(keys).toEqual(['id,title', 'id,title', 'id,title'])
  const next = await read(`/meetings?limit=3&order=oldest&fields=title&cursor=${first.next_cursor}`)
  expect(next.meetings.map(({ id }) => id)).not.toContain(first.meetings[0]?.id)
  const id = first.meetings[0]?.id ?? ''
  expect(await read(`/meetings/${id}?fields=title`)).toEqual(first.meetings[0])
  expect((await read('/tags')).tags?.length).toBeGreaterThan(0)
  const base = new URL(stack.upstream.meetingsUrl).pathname
  expect(stack.upstream.requests.map(({ path, query }) => [path, query])).toEqual([
    [`${base}/v9/calls`, { page_size: '3', direction: 'asc', only: 'title' }],
    [`${base}/v9/calls`, { page_size: '3', direction: 'asc', only: 'title', after: first.next_cursor }],
    [`${base}/v9/call/${id}/view`, { only: 'title' }],
    [`${base}/v9/labels`, {}],
  ])
})

interface Page {
  readonly meetings: readonly { readonly id: string }[]
  readonly next_cursor: string | null
  readonly total?: number
  readonly tags?: readonly string[]
}
