import type { RedisClient } from '@stagepass/budget'
import { createClient, createCluster, createSentinel } from 'redis'
import type { RedisPlace } from './vocabulary.js'

const HOST = '127.0.0.1'
/** The budget detects the loss itself. */
const ignore = (): void => undefined

/** A client of node-redis, created as in docs/scaling.md. */
export async function connectRedis(place: RedisPlace): Promise<RedisClient> {
  if (place.kind === 'socket')
    return await createClient({ socket: { path: place.path, tls: false }, disableOfflineQueue: true })
      .on('error', ignore)
      .connect()
  const nodes = place.ports.map((port) => ({ host: HOST, port }))
  if (place.kind === 'sentinel')
    return await createSentinel({ name: 'main', sentinelRootNodes: nodes, scanInterval: 1_000 })
      .on('error', ignore)
      .connect()
  if (place.kind === 'cluster') {
    const client = createCluster({
      rootNodes: nodes.map((node) => ({ socket: { ...node, tls: false } })),
      defaults: { disableOfflineQueue: true },
    })
    client.on('error', ignore)
    await client.connect()
    return client
  }
  const [port = 0] = place.ports
  return await createClient({ socket: { host: HOST, port, tls: false }, disableOfflineQueue: true })
    .on('error', ignore)
    .connect()
}
