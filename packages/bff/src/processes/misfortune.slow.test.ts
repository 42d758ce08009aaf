import { createEmulator } from '@stagepass/emulator'
import { beforeAll, describe, expect, it } from 'vitest'
import { bundleInstance, type Fleet, startFleet } from './startFleet.test.kit.js'

/*
 * Four instances ask for more than the limit, the upstream counts strictly, and then something fails. No
 * request may be refused, and the work must continue.
 */

/** More than a window holds. */
const BUSY = 26

let program: string
beforeAll(async () => {
  program = await bundleInstance()
})

/** How many requests the upstream refused. */
async function limitedBy(misfortune: (fleet: Fleet) => Promise<void> | void): Promise<number> {
  await using upstream = await createEmulator({ limiter: 'sliding', latency: { ms: 10, jitterMs: 20 } })
  await using fleet = await startFleet(upstream, program)
  await fleet.more(BUSY)
  await misfortune(fleet)
  await fleet.more(BUSY)
  return fleet.limited()
}

// Each test has its own Redis, account and instances, and mostly waits.
describe.concurrent('work goes on, and no request is refused, when', () => {
  it('an instance is killed', async () => {
    const limited = await limitedBy((fleet) => void fleet.instances[0]?.kill('SIGKILL'))
    expect(limited).toBe(0)
  })

  it('an instance is suspended for some seconds, and continues', async () => {
    const limited = await limitedBy(async (fleet) => {
      fleet.instances[1]?.kill('SIGSTOP')
      await fleet.more(15)
      fleet.instances[1]?.kill('SIGCONT')
    })
    expect(limited).toBe(0)
  })

  it('Redis is restarted, empty', async () => {
    const limited = await limitedBy((fleet) => fleet.redis.restart(500))
    expect(limited).toBe(0)
  })
})
