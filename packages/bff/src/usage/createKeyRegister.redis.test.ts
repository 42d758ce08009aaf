import { startRedis } from '@stagepass/testing'
import { expect, it } from 'vitest'
import { createKeyRegister } from './createKeyRegister.js'

it.each(['memory', 'Redis'] as const)(
  'S27 of 1,001 keys of an account the first is dropped, also of forgotten ones, in %s',
  async (kind) => {
    await using server = kind === 'Redis' ? await startRedis() : undefined
    const client = await server?.connect()
    const register = createKeyRegister({
      redis: client,
      account: 'main',
      secret: undefined,
      breaker: (call) => call(),
    })
    const prints = Array.from({ length: 1_001 }, (_, nth) => `print ${nth}`)
    const [first = '', second = '', third = ''] = prints
    const last = prints.at(-1) ?? ''
    for (const print of prints) expect(await register.admit('acme', print)).toBe(true)
    await register.forget('acme')
    expect(await register.admit('acme', second)).toBe(false)
    expect(await register.admit('acme', last)).toBe(false)
    // It counts as new, and the second one makes room for it.
    expect(await register.admit('acme', first)).toBe(true)
    expect(await register.admit('acme', third)).toBe(false)
    expect(await register.admit('acme', second)).toBe(true)
    expect(await register.admit('bolt', last)).toBe(true)
    // With the number of the last one, and that of its end.
    const count = await client?.hLen('stagepass:{main}:keys:acme')
    expect(count).toBe(kind === 'Redis' ? 1_002 : undefined)
  },
)
