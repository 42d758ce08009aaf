import { startStack } from '@stagepass/testing'
import { expect, it } from 'vitest'

it('S27 a minute has so many requests of each kind for each user, and the answer to more says when to come again', async () => {
  await using stack = await startStack({ bff: { limits: { tokensPerMinute: 2, meetingsPerMinute: 1 } } })
  const mint = () => stack.fetch('/session-token', { json: { usage_type: 'stt' } })
  const list = () => stack.fetch('/meetings')
  expect([(await mint()).status, (await mint()).status]).toEqual([200, 200])
  const refused = await mint()
  expect(refused.status).toBe(429)
  expect(await refused.json()).toMatchObject({ error_code: 'RATE_LIMITED' })
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60)

  expect([(await list()).status, (await list()).status]).toEqual([200, 429])
  const exceeded = stack.events.filter(({ type }) => type === 'limit.exceeded')
  expect(exceeded).toMatchObject([
    { user: 'ada', limit: 'tokensPerMinute' },
    { user: 'ada', limit: 'meetingsPerMinute' },
  ])
  for (const event of exceeded) {
    const { retryAfterMs = 0 } = event as { retryAfterMs?: number }
    expect(retryAfterMs).toBeGreaterThan(0)
    expect(retryAfterMs).toBeLessThanOrEqual(60_000)
  }

  stack.grant = { ...stack.grant, user: 'bob' }
  expect([(await mint()).status, (await list()).status]).toEqual([200, 200])
})

it('S27 without limits nothing is counted', async () => {
  await using stack = await startStack()
  for (let request = 0; request < 30; request += 1)
    expect((await stack.fetch('/session-token', { json: { usage_type: 'stt' } })).status).toBe(200)
  expect(stack.events.filter(({ type }) => type === 'limit.exceeded')).toEqual([])
})
