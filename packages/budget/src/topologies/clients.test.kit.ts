import { once } from 'node:events'
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

/** Clients of one server. */
export const SINGLE = {
  async 'node-redis 6'([port = 0]) {
    const socket = { host: HOST, port, tls: false } as const
    const client = await createClient({ socket, disableOfflineQueue: true }).on('error', ignore).connect()
    return { client, end: () => client.destroy() }
  },
  async 'node-redis 5'([port = 0]) {
    const socket = { host: HOST, port, tls: false } as const
    const client = await createClient5({ socket, disableOfflineQueue: true }).on('error', ignore).connect()
    return { client, end: () => client.destroy() }
  },
  async 'ioredis 6'([port = 0]) {
    const client = new Redis({ host: HOST, port, maxRetriesPerRequest: 1 }).on('error', ignore)
    await once(client, 'ready')
    return { client, end: () => client.disconnect() }
  },
  async 'ioredis 5'([port = 0]) {
    const client = new Redis5({ host: HOST, port, maxRetriesPerRequest: 1 }).on('error', ignore)
    await once(client, 'ready')
    return { client, end: () => client.disconnect() }
  },
} satisfies Record<string, Connect>

const sentinelOf = (ports: readonly number[]) => ({
  name: 'main',
  sentinelRootNodes: nodesOf(ports),
  scanInterval: 1_000,
})

/** Clients of a Sentinel, by the ports of its sentinels. */
export const SENTINEL = {
  async 'node-redis 6'(ports) {
    const client = await createSentinel(sentinelOf(ports)).on('error', ignore).connect()
    return { client, end: () => client.destroy() }
  },
  async 'node-redis 5'(ports) {
    const client = await createSentinel5(sentinelOf(ports)).on('error', ignore).connect()
    return { client, end: () => client.destroy() }
  },
  async 'ioredis 6'(ports) {
    const settings = { sentinels: nodesOf(ports), name: 'main', maxRetriesPerRequest: 1 }
    const client = new Redis(settings).on('error', ignore)
    await once(client, 'ready')
    return { client, end: () => client.disconnect() }
  },
  async 'ioredis 5'(ports) {
    const settings = { sentinels: nodesOf(ports), name: 'main', maxRetriesPerRequest: 1 }
    const client = new Redis5(settings).on('error', ignore)
    await once(client, 'ready')
    return { client, end: () => client.disconnect() }
  },
} satisfies Record<string, Connect>

/** Clients of a Cluster, by the ports of its nodes. */
export const CLUSTER = {
  async 'node-redis 6'(ports) {
    const client = createCluster({
      rootNodes: nodesOf(ports).map((socket) => ({ socket: { ...socket, tls: false } })),
      defaults: { disableOfflineQueue: true },
    })
    client.on('error', ignore)
    await client.connect()
    return { client, end: () => client.destroy() }
  },
  async 'ioredis 6'(ports) {
    const client = new Cluster(nodesOf(ports)).on('error', ignore)
    await once(client, 'ready')
    return { client, end: () => client.disconnect() }
  },
  async 'ioredis 5'(ports) {
    const client = new Cluster5(nodesOf(ports)).on('error', ignore)
    await once(client, 'ready')
    return { client, end: () => client.disconnect() }
  },
} satisfies Record<string, Connect>

/** A cluster client that does not recover. */
export const LOST_CLUSTER = {
  async 'node-redis 5'(ports) {
    const client = createCluster5({
      rootNodes: nodesOf(ports).map((socket) => ({ socket: { ...socket, tls: false } })),
      defaults: { disableOfflineQueue: true },
    })
    client.on('error', ignore)
    await client.connect()
    return { client, end: () => client.destroy() }
  },
} satisfies Record<string, Connect>

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
