import { respond } from '@stagepass/emulator'
import { startStack } from '@stagepass/testing'
import { describe, expect, it } from 'vitest'
import { rawRequest } from '../../rawRequest.test.kit.js'

interface Page {
  meetings: { id: string }[]
}

it('a user with three times the weight is served three times as often while both wait', async () => {
  await using stack = await startStack()
  const { meetingsCredential: credential } = stack.upstream
  await stack.remount({
    authorize: (req) => {
      const user = String(req.headers['x-user'])
      return { user, meetings: { credential, weight: user === 'heavy' ? 3 : 1 } }
    },
  })
  const ask = (user: string, index: number) =>
    stack.fetch(`/meetings?q=${user}${index}`, { headers: { 'x-user': user } })
  // An idle account serves every request at once, so first it is made busy.
  await Promise.all(Array.from({ length: 20 }, (_, index) => ask(`earlier${index % 2}`, index)))
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, index) => [ask('heavy', index), ask('light', index)]).flat(),
  )
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
  const served = stack.upstream.requests.slice(20, 32).map(({ query }) => String(query.q))
  expect(served.filter((q) => q.startsWith('heavy')).length).toBeGreaterThanOrEqual(8)
  expect(served.filter((q) => q.startsWith('light')).length).toBeGreaterThanOrEqual(2)
})

describe('one meeting', () => {
  it('has its default fields, the requested fields, and extra fields if the wire has them', async () => {
    await using stack = await startStack({ emulator: { wire: { extraFields: ['transcript', 'notes'] } } })
    const { meetings } = (await (await stack.fetch('/meetings?limit=1')).json()) as Page
    const id = meetings[0]?.id ?? ''
    const read = async (query = '') => (await (await stack.fetch(`/meetings/${id}${query}`)).json()) as object
    expect(Object.keys(await read())).toHaveLength(8)
    expect(Object.keys(await read('?fields=participants')).toSorted()).toEqual(['id', 'participants'])
    expect(await read('?fields=transcript')).toMatchObject({ status: 400, field: 'fields' })
    expect(await read('?limit=1')).toMatchObject({ status: 400, field: 'limit' })
    await stack.remount({
      meetings: { baseUrl: stack.upstream.meetingsUrl, wire: { extraFields: ['transcript'] } },
    })
    expect(Object.keys(await read('?fields=transcript')).toSorted()).toEqual(['id', 'transcript'])
    expect(await read('?fields=notes')).toMatchObject({ status: 400, field: 'fields' })
  })

  it('is 409 with a pause while it is processed, and 404 if it does not exist', async () => {
    await using stack = await startStack()
    const processing = stack.upstream.meetings.all().find((row) => row.processing)
    const response = await stack.fetch(`/meetings/${processing?.id}`)
    expect(await response.json()).toMatchObject({
      status: 409,
      error_code: 'MEETING_PROCESSING',
      retryable: true,
    })
    expect(response.headers.get('retry-after')).toBe('5')
    expect((await stack.fetch('/meetings/none')).status).toBe(404)
  })

  it.each([
    '/',
    '/session-token/x',
    '/tags/x',
    '/meetings/',
    '/meetings/a/b',
    '/Meetings',
    '//meetings',
    '/meetings//a',
  ])('%s is no address', async (path) => {
    await using stack = await startStack()
    const response = await rawRequest(stack.origin, {
      path: `/api/voice${path}`,
      headers: { 'x-stagepass': '1' },
    })
    expect(response.status).toBe(404)
    expect(stack.upstream.requests).toEqual([])
  })
})

describe('tags', () => {
  it.each([
    ['an object', 'tags'],
    ['an array', ''],
  ])('are an object, even if the upstream sends %s', async (_, path) => {
    await using stack = await startStack({ emulator: { wire: { tags: path } } })
    const { tags } = (await (await stack.fetch('/tags')).json()) as { tags: unknown[] }
    expect(tags.length).toBeGreaterThan(0)
  })

  it('accept no query', async () => {
    await using stack = await startStack()
    expect(await (await stack.fetch('/tags?limit=1')).json()).toMatchObject({ status: 400, field: 'limit' })
  })
})

it('without meetings.baseUrl the base of the tokens is used', async () => {
  await using stack = await startStack()
  await stack.remount({ meetings: { baseUrl: undefined } })
  stack.upstream.use(respond({ status: 200, body: { meetings: [] } }))
  await stack.fetch('/meetings')
  expect(stack.upstream.requests.at(-1)?.path).toBe('/meetings')
})

it('a user without meetings in the grant gets 403 on all three', async () => {
  await using stack = await startStack()
  stack.grant = { user: 'ada' }
  for (const path of ['/meetings', '/meetings/1', '/tags'])
    expect(await (await stack.fetch(path)).json()).toMatchObject({ status: 403, error_code: 'FORBIDDEN' })
  expect(stack.upstream.requests).toEqual([])
  expect(stack.events).toContainEqual(
    expect.objectContaining({ type: 'grant.refused', user: 'ada', what: 'meetings' }),
  )
})
