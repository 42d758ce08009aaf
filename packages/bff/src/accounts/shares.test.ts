import { hang } from '@stagepass/emulator'
import { startStack } from '@stagepass/testing'
import { expect, it, vi } from 'vitest'
import { MAX_IN_FLIGHT } from '../upstream/createConcurrencyLimit.js'

const keyOf = (customer: string) => `vk_of_${customer}_0123456789`

it('S65 an account whose requests the service does not answer leaves connections to the others', async () => {
  const customers = ['slow', 'quick']
  await using stack = await startStack({
    emulator: { keys: customers.map((account) => ({ key: keyOf(account), account })) },
    // Longer than any test: only the end of a request ends it.
    bff: { deadlineMs: 600_000 },
  })
  const { bff, upstream } = stack
  const as = (account: string, user: number) =>
    bff.as({ user: `${account}-${user}`, account, apiKey: keyOf(account) })
  const leaving = new AbortController()
  const stop = upstream.use(hang())
  const slow = Array.from({ length: 2 * MAX_IN_FLIGHT.ofAccount }, async (_, user) =>
    as('slow', user)
      .sessionToken('stt', { signal: leaving.signal })
      .then(
        () => 'served',
        () => 'left',
      ),
  )
  await vi.waitFor(() => expect(upstream.requests).toHaveLength(MAX_IN_FLIGHT.ofAccount))
  stop()
  for (let user = 0; user < 3; user += 1)
    expect(await as('quick', user).sessionToken('stt')).toMatchObject({ usage_type: 'stt' })
  const { inFlight } = bff.gauge()
  expect(inFlight).toBe(slow.length)
  leaving.abort()
  expect(new Set(await Promise.all(slow))).toEqual(new Set(['left']))
  expect(await as('slow', 0).sessionToken('stt')).toMatchObject({ usage_type: 'stt' })
})
