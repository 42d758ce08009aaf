import { type Stack, startRedis } from '@stagepass/testing'
import { type VirtualClock, virtualClock } from '@stagepass/testing/virtualClock'
import type { RedisEval } from './index.js'

/** Where the instances of an account count. */
export type Place = 'memory' | 'Redis'

/**
 * Starts two instances on one Redis, or one in memory, which is both then. `start` gets the virtual clock of
 * both, and their Redis.
 */
export async function startTwo(
  place: Place,
  start: (clock: VirtualClock, redis: RedisEval | undefined, nth: number) => Promise<Stack>,
) {
  const server = place === 'Redis' ? await startRedis() : undefined
  const client = await server?.connect()
  const clock = virtualClock()
  const redis: RedisEval | undefined =
    client &&
    ((script, keys, args) =>
      clock.track(client.eval(script, { keys: [...keys], arguments: args.map(String) })))
  const one = await start(clock, redis, 0)
  const other = client ? await start(clock, redis, 1) : one
  return {
    one,
    other,
    clock,
    client,
    /** The events of both. */
    of: (type: string) =>
      [...new Set([one, other])].flatMap(({ events }) => events.filter((event) => event.type === type)),
    async [Symbol.asyncDispose]() {
      await one.close()
      if (other !== one) await other.close()
      await server?.close()
    },
  }
}
