import { startCluster, startSentinel } from '@stagepass/testing'
import { describe, expect, it } from 'vitest'
import { CLUSTER, SENTINEL } from './clients.test.kit.js'
import { failover } from './failover.test.kit.js'

/* The quick part of the tests on real topologies. `npm run check:all` runs the others. */

describe.concurrent('work goes on, and no request is refused, when the master is killed', () => {
  it.each([
    { name: 'Sentinel', start: startSentinel, kinds: SENTINEL },
    { name: 'Cluster', start: startCluster, kinds: CLUSTER },
  ])('of a $name', async ({ name, start, kinds }) => {
    const { 'node-redis 6': node, 'ioredis 6': io } = kinds
    expect(await failover({ name, start, clients: { node, io }, windows: 1 })).toBe(0)
  })
})
