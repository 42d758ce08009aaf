import { startCluster, startSentinel } from '@stagepass/testing'
import { describe, expect, it } from 'vitest'
import { CLUSTER, SENTINEL } from './clients.test.kit.js'
import { failover } from './failover.test.kit.js'

/* The quick part of the tests on real topologies. `npm run check:all` runs the others. */

describe.concurrent('work goes on, and no request is refused, when the master is killed', () => {
  it('of a Sentinel', async () => {
    const { 'node-redis 6': node, 'ioredis 6': io } = SENTINEL
    const limited = await failover({
      name: 'Sentinel',
      start: startSentinel,
      clients: { node, io },
      windows: 1,
    })
    expect(limited).toBe(0)
  })

  it('of a Cluster', async () => {
    const { 'node-redis 6': node, 'ioredis 6': io } = CLUSTER
    const limited = await failover({
      name: 'Cluster',
      start: startCluster,
      clients: { node, io },
      windows: 1,
    })
    expect(limited).toBe(0)
  })
})
