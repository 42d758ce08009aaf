import { expireCursors, fail, respond } from '@stagepass/emulator'
import { startStack } from '@stagepass/testing'
import { expect, it } from 'vitest'
import { ask } from '../ask.test.kit.js'

it.each([400, 404, 410] as const)(
  'a cursor that the service refuses with %i is named, and is final',
  async (status) => {
    await using stack = await startStack()
    stack.upstream.use(expireCursors({ status }))
    for (const more of ['', '&fields=title', '&q=x']) {
      const { text } = await ask(stack, `/meetings?cursor=expired${more}`)
      expect(JSON.parse(text)).toMatchObject({
        error_code: 'VALIDATION_ERROR',
        field: 'cursor',
        retryable: false,
      })
    }
    // The address of the service is right.
    expect(stack.events.map(({ type }) => type)).not.toContain('host.misconfigured')
  },
)

it('a name in fields that the service refuses is named, also with a cursor', async () => {
  await using stack = await startStack()
  stack.upstream.use(fail('INVALID_FIELDS', { on: 'list' }))
  for (const query of ['fields=title', 'fields=title&cursor=c']) {
    const { text } = await ask(stack, `/meetings?${query}`)
    expect(JSON.parse(text)).toMatchObject({ error_code: 'VALIDATION_ERROR', field: 'fields' })
  }
})

it.each(['/meetings', '/meetings?q=x', '/meetings/m1', '/tags'])(
  'a refusal of %s, which has neither, names no field',
  async (path) => {
    await using stack = await startStack()
    stack.upstream.use(respond({ status: 400, body: { error: 'no' } }, { on: 'meetings' }))
    const { text } = await ask(stack, path)
    expect(JSON.parse(text)).toMatchObject({ error_code: 'VALIDATION_ERROR', status: 400 })
    expect(text).not.toContain('"field"')
    expect(stack.events.at(-1)).toMatchObject({ seen: { cause: 'service', name: 'the request' } })
  },
)
