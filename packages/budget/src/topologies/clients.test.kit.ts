import { Cluster, Redis } from 'ioredis'
import { Cluster as Cluster5, Redis as Redis5 } from 'ioredis-5'
import { createClient, createCluster, createSentinel } from 'redis'
import { createClient as createClient5, createSentinel as createSentinel5 } from 'redis-5'
import type { RedisClient } from '../redis/redisClient.js'

/** Clients as a host makes them, of the current and the previous major. */
export interface Clients extends AsyncDisposable {
  readonly list: readonly RedisClient[]
}

const HOST = '127.0.0.1'
const ignore = (): undefined => undefined

function owned(clients: readonly { readonly client: RedisClient; readonly end: () => unknown }[]): Clients {
  return {
    list: clients.map(({ client }) => client),
    async [Symbol.asyncDispose]() {
      for (const { end } of clients) await end()
    },
  }
}

export async function connectSingle(port: number): Promise<Clients> {
  const socket = { host: HOST, port, tls: false } as const
  const node6 = await createClient({ socket, disableOfflineQueue: true }).on('error', ignore).connect()
  const node5 = await createClient5({ socket, disableOfflineQueue: true }).on('error', ignore).connect()
  const io6 = new Redis({ host: HOST, port, maxRetriesPerRequest: 1 }).on('error', ignore)
  const io5 = new Redis5({ host: HOST, port, maxRetriesPerRequest: 1 }).on('error', ignore)
  return owned([
    { client: node6, end: () => node6.destroy() },
    { client: node5, end: () => node5.destroy() },
    { client: io6, end: () => io6.disconnect() },
    { client: io5, end: () => io5.disconnect() },
  ])
}

export async function connectSentinel(ports: readonly number[]): Promise<Clients> {
  const nodes = ports.map((port) => ({ host: HOST, port }))
  const settings = { name: 'main', sentinelRootNodes: nodes, scanInterval: 1_000 }
  const node6 = await createSentinel(settings).on('error', ignore).connect()
  const node5 = await createSentinel5(settings).on('error', ignore).connect()
  const io = { sentinels: nodes, name: 'main', maxRetriesPerRequest: 1 }
  const io6 = new Redis(io).on('error', ignore)
  const io5 = new Redis5(io).on('error', ignore)
  return owned([
    { client: node6, end: () => node6.destroy() },
    { client: node5, end: () => node5.destroy() },
    { client: io6, end: () => io6.disconnect() },
    { client: io5, end: () => io5.disconnect() },
  ])
}

/** Without node-redis 5: after a failover it does not ask the cluster for its new masters. */
export async function connectCluster(ports: readonly number[]): Promise<Clients> {
  const nodes = ports.map((port) => ({ host: HOST, port }))
  const node6 = createCluster({
    rootNodes: nodes.map((socket) => ({ socket: { ...socket, tls: false } })),
    defaults: { disableOfflineQueue: true },
  })
  node6.on('error', ignore)
  await node6.connect()
  const io6 = new Cluster(nodes).on('error', ignore)
  const io5 = new Cluster5(nodes).on('error', ignore)
  return owned([
    { client: node6, end: () => node6.destroy() },
    { client: io6, end: () => io6.disconnect() },
    { client: io5, end: () => io5.disconnect() },
  ])
}
