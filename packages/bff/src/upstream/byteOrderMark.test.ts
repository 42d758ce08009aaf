import { byteOrderMark, fail } from '@stagepass/emulator'
import { startStack } from '@stagepass/testing'
import { expect, it } from 'vitest'

const MINT = { json: { usage_type: 'stt' } }

it('a byte order mark before a response changes nothing', async () => {
  await using stack = await startStack()
  stack.upstream.meetings.add({ id: 'm1' })
  stack.upstream.use(byteOrderMark())
  expect((await stack.fetch('/session-token', MINT)).status).toBe(200)
  for (const path of ['/meetings', '/meetings/m1', '/tags'])
    expect([path, (await stack.fetch(path)).status]).toEqual([path, 200])
})

it('a byte order mark before a refusal changes nothing', async () => {
  await using stack = await startStack()
  stack.upstream.use(fail('SPEND_CAP_REACHED'))
  stack.upstream.use(fail('invalid_api_key'))
  stack.upstream.use(byteOrderMark())
  expect(await (await stack.fetch('/session-token', MINT)).json()).toMatchObject({
    error_code: 'SPEND_CAP_REACHED',
  })
  const json = { usage_type: 'stt', session_key: 'st_any' }
  expect(await (await stack.fetch('/handshake-check', { json })).json()).toMatchObject({
    error_code: 'invalid_api_key',
  })
})
