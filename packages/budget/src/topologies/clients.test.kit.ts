import { type EventEmitter, once } from 'node:events'
import { Cluster, Redis } from 'ioredis'
import { Cluster as Cluster5, Redis as Redis5 } from 'ioredis-5'
import { createClient, createCluster, createSentinel } from 'redis'
import {
  createClient as createClient5,
  createCluster as createCluster5,
  createSentinel as createSentinel5,
} from 'redis-5'
import type { RedisClient } from '../redis/redisClient.js'

/** Clients as a host makes them. */
export interface Clients extends AsyncDisposable {
  readonly list: readonly RedisClient[]
}

interface Connection {
  readonly client: RedisClient
  readonly end: () => unknown
}
type Connect = (ports: readonly number[]) => Promise<Connection>

const HOST = '127.0.0.1'
const ignore = (): undefined => undefined
const nodesOf = (ports: readonly number[]) => ports.map((port) => ({ host: HOST, port }))

interface NodeRedis {
  on(event: 'error', listener: () => void): unknown
  connect(): Promise<unknown>
  destroy(): unknown
}

const nodeRedis =
  (create: (ports: readonly number[]) => NodeRedis & RedisClient): Connect =>
  async (ports) => {
    const client = create(ports)
    client.on('error', ignore)
    await client.connect()
    return { client, end: () => client.destroy() }
  }

const ioredis =
  (create: (ports: readonly number[]) => EventEmitter & { disconnect(): void } & RedisClient): Connect =>
  async (ports) => {
    const client = create(ports)
    client.on('error', ignore)
    await once(client, 'ready')
    return { client, end: () => client.disconnect() }
  }

const singleOf = ([port = 0]: readonly number[]) => ({
  socket: { host: HOST, port, tls: false } as const,
  disableOfflineQueue: true,
})

/** Clients of one server. */
export const SINGLE = {
  'node-redis 6': nodeRedis((ports) => createClient(singleOf(ports))),
  'node-redis 5': nodeRedis((ports) => createClient5(singleOf(ports))),
  'ioredis 6': ioredis(([port = 0]) => new Redis({ host: HOST, port, maxRetriesPerRequest: 1 })),
  'ioredis 5': ioredis(([port = 0]) => new Redis5({ host: HOST, port, maxRetriesPerRequest: 1 })),
}

const sentinelOf = (ports: readonly number[]) => ({
  name: 'main',
  sentinelRootNodes: nodesOf(ports),
  scanInterval: 1_000,
})
const sentinelsOf = (ports: readonly number[]) => ({
  sentinels: nodesOf(ports),
  name: 'main',
  maxRetriesPerRequest: 1,
})

/** Clients of a Sentinel, by the ports of its sentinels. */
export const SENTINEL = {
  'node-redis 6': nodeRedis((ports) => createSentinel(sentinelOf(ports))),
  'node-redis 5': nodeRedis((ports) => createSentinel5(sentinelOf(ports))),
  'ioredis 6': ioredis((ports) => new Redis(sentinelsOf(ports))),
  'ioredis 5': ioredis((ports) => new Redis5(sentinelsOf(ports))),
}

const clusterOf = (ports: readonly number[]) => ({
  rootNodes: nodesOf(ports).map((socket) => ({ socket: { ...socket, tls: false as const } })),
  defaults: { disableOfflineQueue: true },
})

/** Clients of a Cluster, by the ports of its nodes. */
export const CLUSTER = {
  'node-redis 6': nodeRedis((ports) => createCluster(clusterOf(ports))),
  'ioredis 6': ioredis((ports) => new Cluster(nodesOf(ports))),
  'ioredis 5': ioredis((ports) => new Cluster5(nodesOf(ports))),
}

/** A cluster client that does not recover. */
export const LOST_CLUSTER = { 'node-redis 5': nodeRedis((ports) => createCluster5(clusterOf(ports))) }

export async function connect(
  kinds: Readonly<Record<string, Connect>>,
  ports: readonly number[],
): Promise<Clients> {
  const open: Connection[] = []
  for (const kind of Object.values(kinds)) open.push(await kind(ports))
  return {
    list: open.map(({ client }) => client),
    async [Symbol.asyncDispose]() {
      for (const { end } of open) await end()
    },
  }
}
