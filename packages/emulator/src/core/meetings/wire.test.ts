import { ASSUMED_MEETINGS_WIRE } from '@stagepass/contract'
import { expect, it } from 'vitest'
import { getMeetings } from '../../node/client.test.kit.js'
import { createEmulator } from '../../node/createEmulator.js'

const wire = {
  listPath: '/calls',
  meetingPath: '/calls/{id}/detail',
  tagsPath: '/labels',
  params: {
    ...ASSUMED_MEETINGS_WIRE.params,
    limit: 'page_size',
    cursor: 'after',
    ownership: 'owner',
    sort_by: 'sort',
    order: 'direction',
    q: 'search',
    from: 'since',
    to: 'until',
    tags: 'labels',
    fields: 'select',
  },
  order: { newest: 'desc', oldest: 'asc' },
  items: 'items',
  extraFields: ['notes'],
}

it('follows the wire option in paths, names, words and the envelope', async () => {
  const meetings = [1, 2, 3].map((number) => ({
    id: `m${number}`,
    title: `m${number}`,
    duration: number,
    started_at: `2026-01-0${number}T00:00:00.000Z`,
    tags: [`t${number}`],
  }))
  await using upstream = await createEmulator({ meetings, wire, tagsShape: 'array' })
  const ids = async (query: string) => {
    const { body } = await getMeetings(upstream, `/calls?${query}`)
    return (body as { items: { id: string }[] }).items.map(({ id }) => id)
  }

  expect(await ids('sort=duration&direction=asc')).toEqual(['m1', 'm2', 'm3'])
  expect(await ids('sort=duration&direction=desc&page_size=1')).toEqual(['m3'])
  expect(await ids('since=2026-01-02&until=2026-01-02')).toEqual(['m2'])
  expect(await ids('labels=t1')).toEqual(['m1'])
  expect(await ids('owner=shared')).toEqual([])
  expect(await ids('search=m3')).toEqual(['m3'])
  expect(await getMeetings(upstream, '/calls?direction=newest')).toMatchObject({ status: 400 })
  expect(await getMeetings(upstream, '/calls?select=notes&page_size=1')).toMatchObject({
    body: { items: [{ notes: { blocks: [] } }], next_cursor: expect.any(String) },
  })
  expect(await getMeetings(upstream, '/calls/m1/detail')).toMatchObject({ status: 200, body: { id: 'm1' } })
  expect(await getMeetings(upstream, '/calls/m1')).toMatchObject({ status: 404 })
  expect(await getMeetings(upstream, '/labels')).toMatchObject({
    body: [{ id: 't1' }, { id: 't2' }, { id: 't3' }],
  })
  expect(await getMeetings(upstream, '/meetings')).toMatchObject({ status: 404 })
})

it('refuses a repeated parameter and ignores an unknown one', async () => {
  await using upstream = await createEmulator()
  expect(await getMeetings(upstream, '/meetings?limit=1&limit=2')).toMatchObject({ status: 400 })
  expect(await getMeetings(upstream, '/meetings?page=2&__proto__=1')).toMatchObject({ status: 200 })
})
