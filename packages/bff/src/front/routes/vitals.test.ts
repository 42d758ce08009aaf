import { codesOf, LOST_REASONS, PAGE_FIGURES, VITALS_LIMITS } from '@stagepass/contract'
import { startStack } from '@stagepass/testing'
import { describe, expect, it } from 'vitest'
import { virtualClock } from '@stagepass/testing/virtualClock'
import type { BffEvent } from '../../index.js'

const REPORT = {
  engine: 'gecko',
  network: '4g',
  products: { stt: { firstText: [412.4], drops: { stall: 2 } } },
}

const vitalsOf = (events: readonly BffEvent[]) =>
  events.flatMap((event) => {
    if (event.type !== 'page.vitals') return []
    const { requestId: _, ...facts } = event
    return [facts]
  })

it('takes the figures of a page, and answers nothing', async () => {
  await using stack = await startStack({ bff: { vitals: true } })
  const response = await stack.fetch('/vitals', { json: REPORT })
  expect([response.status, await response.text()]).toEqual([204, ''])
  expect(response.headers.get('content-length')).toBeNull()
  expect(response.headers.get('cache-control')).toContain('no-store')
  expect(vitalsOf(stack.events)).toEqual([
    {
      type: 'page.vitals',
      user: 'ada',
      product: 'stt',
      engine: 'gecko',
      network: '4g',
      figures: { firstText: [412] },
      drops: { stall: 2 },
    },
  ])
  expect(stack.upstream.requests).toEqual([])
})

it('without the option it is 404, and takes nothing', async () => {
  await using stack = await startStack()
  const response = await stack.fetch('/vitals', { json: REPORT })
  expect(response.status).toBe(404)
  expect(await response.json()).toMatchObject({ error_code: 'NOT_FOUND', retryable: false })
  expect(vitalsOf(stack.events)).toEqual([])
})

it('names the account of the grant, and one event for each product', async () => {
  await using stack = await startStack({ bff: { vitals: true } })
  stack.grant = { user: 'ada', account: 'acme', apiKey: 'a key of acme with 40 characters at least' }
  await stack.fetch('/vitals', { json: { ...REPORT, products: { stt: { open: [1] }, vt: { open: [2] } } } })
  expect(vitalsOf(stack.events).map(({ account, product, figures }) => [account, product, figures])).toEqual([
    ['acme', 'stt', { open: [1] }],
    ['acme', 'vt', { open: [2] }],
  ])
})

it.each([
  ['no text', { ...REPORT, products: { stt: { firstText: ['Hello'] } } }, 400],
  ['no other member', { ...REPORT, user: 'bob' }, 400],
  [
    'no more values than a report has',
    { ...REPORT, products: { stt: { open: Array.from({ length: VITALS_LIMITS.values + 1 }, () => 1) } } },
    400,
  ],
  ['at most 1 KB', { ...REPORT, padding: 'x'.repeat(VITALS_LIMITS.bytes) }, 413],
])('S68 takes %s', async (_, json, status) => {
  await using stack = await startStack({ bff: { vitals: true } })
  expect((await stack.fetch('/vitals', { json })).status).toBe(status)
  expect(vitalsOf(stack.events)).toEqual([])
})

describe('S68 a page that lies', () => {
  it('gets each value within its bounds', async () => {
    await using stack = await startStack({ bff: { vitals: true } })
    const [low, high] = [-1e300, 1e300]
    const all = (values: unknown) => Object.fromEntries(codesOf(PAGE_FIGURES).map((name) => [name, values]))
    const drops = Object.fromEntries(LOST_REASONS.map((reason) => [reason, high]))
    await stack.fetch('/vitals', { json: { ...REPORT, products: { stt: { ...all([low, high]), drops } } } })
    const [event] = vitalsOf(stack.events)
    for (const name of codesOf(PAGE_FIGURES))
      expect([name, event?.figures[name]]).toEqual([name, [0, PAGE_FIGURES[name].boundsMs.at(-1)]])
    expect(new Set(Object.values(event?.drops ?? {}))).toEqual(new Set([VITALS_LIMITS.drops]))
  })

  it('is limited by its user: reports cost no other user, and no token of this one', async () => {
    const clock = virtualClock()
    const limits = { tokensPerMinute: 1, meetingsPerMinute: 1, vitalsPerMinute: 2 }
    await using stack = await startStack({ bff: { vitals: true, limits, platform: { clock } } })
    const send = async () => (await stack.fetch('/vitals', { json: REPORT })).status
    expect([await send(), await send(), await send()]).toEqual([204, 204, 429])
    expect((await stack.fetch('/session-token', { json: { usage_type: 'stt' } })).status).toBe(200)
    expect(vitalsOf(stack.events)).toHaveLength(2)
    stack.grant = { user: 'bob' }
    expect(await send()).toBe(204)
    stack.grant = { user: 'ada' }
    await clock.advance(60_001)
    expect(await send()).toBe(204)
  })
})
