import { Cluster, Redis } from 'ioredis'
import { createClient, createCluster } from 'redis'
import { createClient as createClient4, createCluster as createCluster4 } from 'redis-4'
import { createClient as createClient5, createCluster as createCluster5 } from 'redis-5'
import { expect, it } from 'vitest'
import { ACCOUNT } from '../account.test.kit.js'
import { createBudget } from '../createBudget.js'
import { type RedisClient, redisEval } from './redisClient.js'

const cluster = { rootNodes: [{ url: 'redis://127.0.0.1:1' }] }

it.each<[string, unknown]>([
  ['4', createCluster4(cluster)],
  ['5', createCluster5(cluster)],
])('a cluster client of node-redis %s is refused at creation', (_major, client) => {
  expect(() => createBudget({ ...ACCOUNT, redis: client as RedisClient })).toThrow(
    'Failed to use the Redis client: it is a cluster client of node-redis 4 or 5, which does not find the new master after a failover. Use node-redis 6 or ioredis.',
  )
})

it.each<[string, unknown]>([
  ['the cluster client of node-redis 6', createCluster(cluster)],
  ['a client of node-redis 6', createClient()],
  ['a client of node-redis 5', createClient5()],
  ['a client of node-redis 4', createClient4()],
  ['the cluster client of ioredis', new Cluster([], { lazyConnect: true })],
  ['a client of ioredis', new Redis({ lazyConnect: true })],
])('%s is not', (_name, client) => {
  expect(redisEval(client as RedisClient)).toBeTypeOf('function')
})
