import type { Transport } from '@stagepass/contract'
import { startStack } from '@stagepass/testing'
import { virtualClock } from '@stagepass/testing/virtualClock'
import { expect, it } from 'vitest'
import { ask } from '../ask.test.kit.js'

it.each<[string, Transport['send']]>([
  ['rejects with an error of its own', () => Promise.reject(new TypeError('fetch failed'))],
  [
    'throws',
    () => {
      throw new RangeError('no')
    },
  ],
  ['returns no response', () => Promise.resolve(undefined as never)],
])('a transport of the host that %s uses up no slot of the budget', async (_what, send) => {
  const clock = virtualClock()
  const transport: Transport = { send, handshake: () => () => {}, close: async () => {} }
  await using stack = await startStack({
    bff: { transport, platform: { clock, random: () => 0 }, meetings: { cacheMs: 0 }, logger: false },
  })
  const codes = new Set<unknown>()
  // More than the account may send in any 5 s.
  for (let round = 0; round < 6; round += 1) {
    for (let request = 0; request < 6; request += 1) codes.add((await ask(stack, '/meetings')).code)
    clock.jump(6_000)
  }
  expect([...codes]).toEqual(['INTERNAL_ERROR'])
})
