import { expect, it } from 'vitest'
import { startStack } from './startStack.js'

it('runs the whole chain: a token, a page of meetings, an outage, another BFF', async () => {
  await using stack = await startStack()

  const token = await stack.fetch('/session-token', { json: { usage_type: 'stt' } })
  expect(token.status).toBe(200)
  const list = await stack.fetch('/meetings?limit=2')
  expect(await list.json()).toMatchObject({ meetings: [{}, {}], next_cursor: expect.any(String) })

  const undo = stack.intercept((_req, res) => void res.status(500).end())
  expect((await stack.fetch('/tags')).status).toBe(500)
  undo()
  expect((await stack.fetch('/tags')).status).toBe(200)

  await stack.remount({ apiKey: stack.upstream.keys.expired })
  const refused = await stack.fetch('/session-token', { json: { usage_type: 'stt' } })
  expect(await refused.json()).toMatchObject({ status: 502, error_code: 'AUTH_API_KEY_EXPIRED' })

  stack.grant = null
  expect((await stack.fetch('/tags')).status).toBe(401)
})
