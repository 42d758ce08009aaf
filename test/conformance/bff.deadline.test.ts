import { fail, hang } from '@stagepass/emulator'
import { startStack } from '@stagepass/testing'
import { expect, it } from 'vitest'
import { ask } from './kit.js'

it('answers what is known, CACHE_UNAVAILABLE, where the deadline cuts a retry of it', async () => {
  await using stack = await startStack({ bff: { deadlineMs: 2_000 } })
  stack.upstream.use(hang({ on: 'token' }))
  stack.upstream.use(fail('CACHE_UNAVAILABLE', { times: 1 }))
  const reply = await ask(`${stack.url}/session-token`, { json: { usage_type: 'stt' } })
  expect(reply).toBeProblem({ status: 503, code: 'CACHE_UNAVAILABLE', retryable: true, retryAfter: true })
  expect(stack.upstream.requests.length).toBe(2)
})
