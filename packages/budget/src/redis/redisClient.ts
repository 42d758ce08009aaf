/** Runs a Lua script in Redis or Valkey: all that the budget asks of a client. */
export type RedisEval = (script: string, keys: readonly string[], args: readonly string[]) => Promise<unknown>

/** The part of a node-redis client (`redis` or `@redis/client`, 5 or 6) that is used. */
interface NodeRedisClient {
  evalSha(sha: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>
}

/** The part of an ioredis client (5 or 6) that is used. */
interface IoredisClient {
  evalsha(sha: string, keyCount: number, ...keysAndArgs: string[]): Promise<unknown>
  eval(script: string, keyCount: number, ...keysAndArgs: string[]): Promise<unknown>
}

/** A connected client of one of the two libraries. Its connection stays the host's: nothing here opens or closes one. */
export type RedisClient = NodeRedisClient | IoredisClient

/** Runs scripts over either client, or by a function of the host. Throws if the client cannot come back from a failover. */
export function redisEval(client: RedisClient | RedisEval): RedisEval {
  if (typeof client === 'function') return client
  if (isOldCluster(client))
    throw new TypeError(
      'Failed to use the Redis client: it is a cluster client of node-redis 4 or 5, which does not find the new master after a failover. ' +
        'Use node-redis 6 or ioredis.',
    )
  if (isNodeRedis(client)) {
    return byHash(
      (sha, keys, args) => client.evalSha(sha, { keys: [...keys], arguments: [...args] }),
      (script, keys, args) => client.eval(script, { keys: [...keys], arguments: [...args] }),
    )
  }
  return byHash(
    (sha, keys, args) => client.evalsha(sha, keys.length, ...keys, ...args),
    (script, keys, args) => client.eval(script, keys.length, ...keys, ...args),
  )
}

/** By its hash while the server has the script; by its source after a restart or a flush, which also stores it again. */
function byHash(runHash: RedisEval, runSource: RedisEval): RedisEval {
  let known = { script: '', sha: Promise.resolve('') }
  return async (script, keys, args) => {
    if (known.script !== script) known = { script, sha: sha1(script) }
    const sha = await known.sha
    try {
      return await runHash(sha, keys, args)
    } catch (error) {
      if (error instanceof Error && error.message.startsWith('NOSCRIPT')) return runSource(script, keys, args)
      throw error
    }
  }
}

async function sha1(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-1', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Whether this is a client of node-redis, by its methods. */
export const isNodeRedis = (client: unknown): client is NodeRedisClient => hasMethod(client, 'evalSha')

/** A cluster client of node-redis before 6. It has no version, so methods have to tell: `clientUnblock` came with 6.0. */
const isOldCluster = (client: unknown): boolean =>
  isNodeRedis(client) && hasMethod(client, 'getSlotMaster') && !hasMethod(client, 'clientUnblock')

/** Whether this is a client of ioredis, by its methods. */
export const isIoredis = (client: unknown): client is IoredisClient => hasMethod(client, 'evalsha')

function hasMethod(client: unknown, name: string): boolean {
  return typeof client === 'object' && client !== null && typeof Reflect.get(client, name) === 'function'
}
